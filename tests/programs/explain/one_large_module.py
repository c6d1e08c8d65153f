"""Two modules, one of which takes most of the time; nothing else is to be found.

event: big first
event: small first
also: large_module
absent: backward_unused
"""
# %%
import warp as wp

wp.config.enable_backward = False
a = wp.ones(8, dtype=wp.vec3, device="cpu")


@wp.kernel(module="big")
def b0(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    q = wp.quat_from_axis_angle(wp.normalize(a[i]), wp.sin(a[i][0]) * 0.0)
    for k in range(12):
        q = wp.normalize(q * wp.quat_from_axis_angle(wp.cross(a[i], a[i] + wp.vec3(float(k), 1.0, 2.0)), wp.cos(a[i][1])))
        a[i] = wp.quat_rotate(q, a[i]) + wp.quat_rotate_inv(q, a[i]) * 0.5


@wp.kernel(module="big")
def b1(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    q = wp.quat_from_axis_angle(wp.normalize(a[i]), wp.sin(a[i][0]) * 1.0)
    for k in range(12):
        q = wp.normalize(q * wp.quat_from_axis_angle(wp.cross(a[i], a[i] + wp.vec3(float(k), 1.0, 2.0)), wp.cos(a[i][1])))
        a[i] = wp.quat_rotate(q, a[i]) + wp.quat_rotate_inv(q, a[i]) * 1.5


@wp.kernel(module="big")
def b2(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    q = wp.quat_from_axis_angle(wp.normalize(a[i]), wp.sin(a[i][0]) * 2.0)
    for k in range(12):
        q = wp.normalize(q * wp.quat_from_axis_angle(wp.cross(a[i], a[i] + wp.vec3(float(k), 1.0, 2.0)), wp.cos(a[i][1])))
        a[i] = wp.quat_rotate(q, a[i]) + wp.quat_rotate_inv(q, a[i]) * 2.5


@wp.kernel(module="big")
def b3(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    q = wp.quat_from_axis_angle(wp.normalize(a[i]), wp.sin(a[i][0]) * 3.0)
    for k in range(12):
        q = wp.normalize(q * wp.quat_from_axis_angle(wp.cross(a[i], a[i] + wp.vec3(float(k), 1.0, 2.0)), wp.cos(a[i][1])))
        a[i] = wp.quat_rotate(q, a[i]) + wp.quat_rotate_inv(q, a[i]) * 3.5


@wp.kernel(module="small")
def s(a: wp.array(dtype=wp.vec3)):
    a[wp.tid()] = wp.vec3(1.0)


# %%
for kernel in (b0, b1, b2, b3, s):
    wp.launch(kernel, dim=8, inputs=[a], device="cpu")

"""A small finite element program: clean.

event: * first
event: * first
event: * first
event: * first
event: * first
event: * first
event: * first
event: * first
also: hidden_modules
"""
# %%
import warp as wp
import warp.fem as fem

wp.set_device("cpu")
geo = fem.Grid2D(res=wp.vec2i(4, 4))
domain = fem.Cells(geo)
space = fem.make_polynomial_space(geo, degree=1)
test = fem.make_test(space, domain=domain)
trial = fem.make_trial(space, domain=domain)


@fem.integrand
def diffusion(s: fem.Sample, u: fem.Field, v: fem.Field):
    return wp.dot(fem.grad(u, s), fem.grad(v, s))


@fem.integrand
def source(s: fem.Sample, v: fem.Field):
    return v(s)


# %%
matrix = fem.integrate(diffusion, fields={"u": trial, "v": test})
right = fem.integrate(source, fields={"v": test})

"""Launches in two workers, started as told; the main process only waits, unless it is to build first."""

import multiprocessing as mp
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor


def work(n: int) -> float:
    from kernels import total

    return total(n)


def barrier_work(barrier, n: int) -> None:
    barrier.wait()
    print(work(n), flush=True)


def work_and_wait(launched) -> None:
    work(4)
    work(5)
    launched.set()
    time.sleep(1000)


if __name__ == "__main__":
    how = sys.argv[1]
    if len(sys.argv) > 2:
        work(1)
    if how == "subprocess":
        codes = [f"import workers; print(workers.work({n}))" for n in (4, 5)]
        started = [subprocess.Popen([sys.executable, "-c", code]) for code in codes]
        assert [each.wait() for each in started] == [0, 0]
    elif how == "pool":
        with mp.get_context("fork").Pool(1) as pool:  # leaving the block terminates the worker
            print(pool.map(work, [4, 5]))
    elif how == "terminated":
        launched = mp.Event()
        process = mp.Process(target=work_and_wait, args=(launched,))
        process.start()
        launched.wait()
        process.terminate()
        process.join()
    elif how == "executor":
        with ProcessPoolExecutor(1, mp_context=mp.get_context("spawn")) as pool:
            print(list(pool.map(work, [4, 5])))
    elif how == "os.fork":
        pid = os.fork()
        if not pid:
            work(4)
            sys.exit(0)
        os.waitpid(pid, 0)
    else:
        context = mp.get_context(how)
        barrier = context.Barrier(2)
        started = [context.Process(target=barrier_work, args=(barrier, n)) for n in (4, 5)]
        for each in started:
            each.start()
        for each in started:
            each.join()
        assert [each.exitcode for each in started] == [0, 0]

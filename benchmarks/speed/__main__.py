"""Start the benchmark on two cores, whatever the machine has."""

import os

N_CORES = 2

if hasattr(os, "sched_setaffinity"):  # before NumPy counts the cores; peers and subprocesses inherit it
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:N_CORES])

from benchmarks.speed.run import main  # noqa: E402 - see above

main()

"""Start the benchmark, on two cores whatever the machine has."""

import os

if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):  # before NumPy counts the cores
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])

    from benchmarks.objects.run import main

    main()

"""python -m benchmarks.gpu"""

from benchmarks.gpu.run import main

main()

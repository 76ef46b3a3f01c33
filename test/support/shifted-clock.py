"""Runs a Python program under the clock of shifted-clock.mjs: python3 shifted-clock.py PROGRAM ARGUMENTS"""

import os
import runpy
import sys
import time

offset = int(os.environ["ISTHMUS_TEST_CLOCK_OFFSET"]) / 1000
real = time.time
time.time = lambda: real() + offset
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")

"""Runs tests of the page: python3 run.py FILE… or FILE.CLASS…; without any, those of all files.

A failure is printed when it happens. A test that hangs fails within two minutes. At the end stand the tests that took longest."""

import pathlib
import signal
import sys
import time
import unittest

#: Seconds after which a test hangs, or what its class does before and after it.
LIMIT = 120
#: So many of the slowest tests are named.
SLOWEST = 10


class Hang(AssertionError):
    pass


def ring(*_):
    # It ends whatever it waits for.
    raise Hang(f"not done within {LIMIT} s")


class Result(unittest.TextTestResult):
    def __init__(self, *all, **options):
        super().__init__(*all, **options)
        self.times = []

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        signal.alarm(LIMIT)

    def stopTest(self, test):
        # The next test, or its class, has as long.
        signal.alarm(LIMIT)
        self.times.append((time.monotonic() - self.begun, test.id()))
        super().stopTest(test)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.tell(subtest, self.failures if issubclass(error[0], test.failureException) else self.errors)

    def addError(self, test, error):
        super().addError(test, error)
        self.tell(test, self.errors)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell(test, self.failures)

    def tell(self, test, faults):
        self.stream.write(f"FAILED: {self.getDescription(test)}\n{faults[-1][1]}\n")
        self.stream.flush()

    def printErrors(self):
        """They were printed when they happened."""

    def printSlowest(self):
        for seconds, name in sorted(self.times, reverse=True)[:SLOWEST]:
            self.stream.write(f"{seconds:8.1f} s  {name}\n")


signal.signal(signal.SIGALRM, ring)
signal.alarm(LIMIT)
files = sys.argv[1:] or sorted(file.stem for file in pathlib.Path(__file__).parent.glob("test_*.py"))
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(unittest.defaultTestLoader.loadTestsFromNames(files))
signal.alarm(LIMIT)
result.printSlowest()
sys.stdout.flush()
sys.exit(not result.wasSuccessful())

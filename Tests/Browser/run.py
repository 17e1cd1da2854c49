"""Runs tests of the page: python3 run.py FILE… or FILE.CLASS…; without any, those of all files.

It writes as Swift Testing does, for deploy/targets: an issue when it happens, and how long each test took. A test that hangs fails within two minutes, or within CUBIST_HANG_SECONDS."""

import pathlib
import signal
import sys
import time
import unittest

from devtools import LIMIT

#: A failure shows the line of the test, and not these of its tools.
__unittest = True


class Hang(AssertionError):
    """It is raised in whatever the test waits for."""


def ring(*_):
    raise Hang(f"not done within {LIMIT} s")


def write(*lines):
    """Writes lines in one piece: other lanes write, too."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


class Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.begun, self.before = time.monotonic(), self.count
        write(f"◇ Test {test.id()} started.")
        signal.alarm(LIMIT)

    def stopTest(self, test):
        # The next test, or its class, has as long.
        signal.alarm(LIMIT)
        seconds, issues = time.monotonic() - self.begun, self.count - self.before
        if issues:
            write(f"✘ Test {test.id()} failed after {seconds:.3f} seconds with {issues} issue{'s' * (issues > 1)}.")
        else:
            write(f"✔ Test {test.id()} passed after {seconds:.3f} seconds.")
        super().stopTest(test)

    @property
    def count(self):
        return len(self.failures) + len(self.errors) + len(self.unexpectedSuccesses)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        # Some tests go through a hundred states: each has as long.
        signal.alarm(LIMIT)
        if error:
            self.tell(subtest, error, self.failures if issubclass(error[0], test.failureException) else self.errors)

    def addError(self, test, error):
        super().addError(test, error)
        self.tell(test, error, self.errors)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell(test, error, self.failures)

    def tell(self, test, error, faults):
        write(f"✘ Test {test.id()} recorded an issue: {error[0].__name__}", *[f"↳ {line}" for line in faults[-1][1].splitlines()])


def run(names):
    signal.signal(signal.SIGALRM, ring)
    # Services and browsers end with the program.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.alarm(LIMIT)
    begun, result = time.monotonic(), Result()
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    # It also tears the last class down.
    suite.run(result)
    signal.alarm(LIMIT)
    mark, outcome = ("✔", "passed") if result.wasSuccessful() else ("✘", "failed")
    write(f"{mark} Test run with {result.testsRun} test{'s' * (result.testsRun != 1)} {outcome} after {time.monotonic() - begun:.3f} seconds.")
    return result.testsRun > 0 and result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(not run(sys.argv[1:] or sorted(file.stem for file in pathlib.Path(__file__).parent.glob("test_*.py"))))

"""Runs tests of the page: python3 run.py FILE… or FILE.CLASS…; without any, those of all files.

It writes as Swift Testing does, for deploy/targets: an issue when it happens, and how long each test took. A test that hangs fails within two minutes, or on a busy machine within CUBIST_HANG_SECONDS, eight minutes unless told otherwise."""

import pathlib
import signal
import sys
import time
import unittest

from devtools import LIMIT, Machine

#: A failure shows the line of the test, and not these of its tools.
__unittest = True


class Hang(AssertionError):
    """It is raised in whatever the test waits for."""


class Alarm:
    """It rings when a test has taken too long, and looks at the machine meanwhile."""

    STEP = LIMIT / 16

    def set(self):
        self.machines = [Machine()]
        signal.setitimer(signal.ITIMER_REAL, self.STEP)

    def ring(self, *_):
        seconds = len(self.machines) * self.STEP
        if len(self.machines) >= 3 and self.machines[-3].is_quiet() or seconds >= LIMIT:
            # What the test cleans up may hang, too.
            self.set()
            raise Hang(f"not done within {seconds:.0f} s")
        self.machines.append(Machine())
        signal.setitimer(signal.ITIMER_REAL, self.STEP)


alarm = Alarm()


def write(*lines):
    """Writes lines in one piece: other lanes write, too."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


class Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.begun, self.before = time.monotonic(), self.count
        write(f"◇ Test {test.id()} started.")
        alarm.set()

    def stopTest(self, test):
        # The next test, or its class, has as long.
        alarm.set()
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
        alarm.set()
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
    signal.signal(signal.SIGALRM, alarm.ring)
    # Services and browsers end with the program.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    alarm.set()
    begun, result = time.monotonic(), Result()
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    # It also tears the last class down.
    suite.run(result)
    alarm.set()
    mark, outcome = ("✔", "passed") if result.wasSuccessful() else ("✘", "failed")
    write(f"{mark} Test run with {result.testsRun} test{'s' * (result.testsRun != 1)} {outcome} after {time.monotonic() - begun:.3f} seconds.")
    return result.testsRun > 0 and result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(not run(sys.argv[1:] or sorted(file.stem for file in pathlib.Path(__file__).parent.glob("test_*.py"))))

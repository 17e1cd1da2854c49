"""Tests that hang are told from slow ones."""

import unittest
from unittest import mock

import browser
import devtools
import run


class Hangs(unittest.TestCase):
    def setUp(self):
        #: The seconds that passed, and those in which one of two processors computed.
        self.now, self.busy = 0, 0
        machine = lambda: devtools.Machine(lambda: (200 * self.now, 100 * self.busy), 2)
        for target, name, value in [
            (run, "Machine", machine), (run.signal, "setitimer", lambda *_: None), (browser, "Machine", machine), (browser.time, "monotonic", lambda: self.now),
            (browser.time, "sleep", lambda _: self.pass_time(10)),
        ]:
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.load = 0

    def pass_time(self, seconds):
        self.now += seconds
        self.busy += seconds * self.load

    def hangs_after(self):
        """The seconds after which an alarm ends a test."""
        alarm, begun = run.Alarm(), self.now
        alarm.set()
        while True:
            self.pass_time(alarm.STEP)
            try:
                alarm.ring()
            except run.Hang:
                return self.now - begun

    def test_a_test_hangs_within_two_minutes_on_a_machine_with_nothing_to_do(self):
        self.load = 0.4
        self.assertLessEqual(self.hangs_after(), devtools.QUIET_LIMIT)

    def test_a_test_on_a_busy_machine_has_four_times_as_long(self):
        self.load = 0.6
        self.assertEqual(self.hangs_after(), run.LIMIT)

    def test_a_machine_that_stands_still_is_not_quiet(self):
        machine = devtools.Machine(lambda: (7, 7), 2)
        self.assertFalse(machine.is_quiet())

    def test_what_a_test_waits_for_may_take_longer_on_a_busy_machine(self):
        for load, seconds in [(0, 70), (1, 430)]:
            self.load, begun = load, self.now
            self.assertIsNone(browser.patiently(lambda: None, 60))
            self.assertEqual(self.now - begun, seconds)

    def test_the_processors_say_what_they_have_done(self):
        whole, busy = devtools.ticks()
        self.assertTrue(0 < busy < whole)

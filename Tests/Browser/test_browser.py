"""The browsers of these tests."""

import pathlib
import unittest

from browser import Browser, patiently


def processes(log):
    """The processes that were started with this file as their browser's log."""
    mark, found = f"CHROME_LOG_FILE={log}\0".encode(), []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            # It has ended, or is another user's.
            continue
    return found


class Browsers(unittest.TestCase):
    def test_a_browser_that_is_closed_leaves_no_process(self):
        for whole in (False, True):
            with self.subTest(whole=whole):
                browser = Browser(whole=whole)
                self.assertNotEqual(processes(browser.log), [])
                browser.close()
                self.assertTrue(patiently(lambda: not processes(browser.log)), "its processes end")

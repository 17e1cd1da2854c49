"""Prints how fast the page is on a slow telephone: 1.6 Mbit/s, 150 ms, a processor of a quarter of the speed.

Chromium has no graphics card here: it draws with the processor, on this machine, beside everything else that runs on it."""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Browser"))

from browser import Browser  # noqa: E402
from server import Server  # noqa: E402

PHONE = (360, 740)
LOADS = 5
#: Seconds for which a finger turns the cube.
TURNING = 4
BYTES_A_SECOND = 1_600_000 // 8

#: Notes the frame after which the cube stands there.
WATCH = """
const look = () => {
  if (document.querySelectorAll('.face:not([hidden])').length > 0) requestAnimationFrame((now) => { window.cubeAt = now; });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
COUNT = """
window.frames = [];
const note = (now) => { window.frames.push(now); if (!window.isDone) requestAnimationFrame(note); };
requestAnimationFrame(note);
"""


def load(browser, address):
    """Milliseconds until something is drawn, until the cube is, and until a move can be played."""
    browser.visit(address)
    browser.wait("return document.body.dataset.ready === 'yes'", "the game arrives", seconds=60)
    ready = browser.run("return performance.now()")
    paint = browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return paint, browser.run("return window.cubeAt"), ready


def turn(browser):
    """Turns the cube by a mouse; gives the milliseconds from each frame to the next."""
    # Beside the cube, where a finger turns it, and below the button of the corner.
    box = browser.run("const { x, y, width, height } = document.getElementById('stage').getBoundingClientRect(); return [x, y, width, height]")
    x, y = box[0] + 6, box[1] + box[3] / 4
    before = browser.run("return document.querySelector('.face:not([hidden])').style.transform")
    browser.command("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
    browser.run(COUNT)
    end = time.monotonic() + TURNING
    step = 0
    while time.monotonic() < end:
        step += 1
        across = 60 * abs((step / 40) % 2 - 1)
        browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=x + across, y=y, button="left", buttons=1)
    browser.run("window.isDone = true")
    browser.command("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left")
    if browser.run("return document.querySelector('.face:not([hidden])').style.transform") == before:
        raise SystemExit("bench: the cube did not turn")
    frames = browser.run("return window.frames")
    return [later - earlier for earlier, later in zip(frames, frames[1:])]


def main():
    server = Server()
    browser = Browser(*PHONE, touch=True)
    try:
        browser.command("Network.enable")
        browser.command("Network.setCacheDisabled", cacheDisabled=True)
        browser.command(
            "Network.emulateNetworkConditions", offline=False, latency=150, downloadThroughput=BYTES_A_SECOND, uploadThroughput=BYTES_A_SECOND)
        browser.command("Emulation.setCPUThrottlingRate", rate=4)
        browser.command("Page.enable")
        browser.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        loads = [load(browser, server.address) for _ in range(LOADS)]
        gaps = turn(browser)
    finally:
        browser.close()
        server.stop()
    print(f"the page at 1.6 Mbit/s, 150 ms, processor ÷ 4; medians of {LOADS} loads")
    for name, times in zip(["something is drawn", "the cube is drawn", "a move can be played"], zip(*loads)):
        print(f"  {name:<28} after {statistics.median(times):6.0f} ms ({min(times):.0f} to {max(times):.0f})")
    slowest = sorted(gaps)[int(len(gaps) * 0.95)]
    print(f"  {'while the cube is turned':<28} {1_000 * len(gaps) / sum(gaps):6.1f} frames a second; 19 of 20 frames within {slowest:.0f} ms")


if __name__ == "__main__":
    main()

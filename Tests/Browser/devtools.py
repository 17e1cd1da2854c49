"""Chromium's DevTools protocol, over two pipes to the browser: commands to all its targets, and their events."""

import json
import os
import subprocess

#: A failure shows the line of the test, and not these of its tools.
__unittest = True

#: Seconds after which a test hangs on a busy machine, or what its class does before and after it.
LIMIT = int(os.environ.get("CUBIST_HANG_SECONDS", 480))
#: The same on a machine that has nothing to do: then nothing works for the test.
QUIET_LIMIT = LIMIT // 4
#: The same of one thing that a test waits for.
PATIENCE = QUIET_LIMIT // 2


def ticks():
    """What the processors have done so far, in ticks of all of them together: all, and those in which a processor or a disk worked."""
    with open("/proc/stat") as file:
        found = [int(word) for word in file.readline().split()[1:9]]
    return sum(found), sum(found) - found[3]


class Machine:
    """Tells what hangs from what is slow."""

    def __init__(self, ticks=ticks, processors=os.cpu_count()):
        self.ticks, self.processors, self.begun = ticks, processors, ticks()

    def is_quiet(self):
        """Whether less than half a processor has computed since then. A machine that stood still was not quiet."""
        whole, busy = (now - before for now, before in zip(self.ticks(), self.begun))
        return busy * 2 * self.processors < whole


class Gone(AssertionError):
    """The page went away before it gave its answer."""


class DevTools:
    """A browser's process. It ends when its pipes are closed, so none outlives the tests."""

    def __init__(self, program, arguments, environment):
        reads, self.commands = os.pipe()
        self.answers, writes = os.pipe()

        def connect():
            # Chromium reads commands from file 3, and writes to file 4.
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [program, "--remote-debugging-pipe", *arguments], env=environment, preexec_fn=connect, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (reads, writes):
            os.close(end)
        self.bytes, self.count, self.results = bytearray(), 0, {}
        #: Those that nobody has taken.
        self.events = []

    def send(self, name, arguments, session=None):
        """Begins a command, and gives its number."""
        self.count += 1
        message = {"id": self.count, "method": name, "params": arguments}
        if session:
            message["sessionId"] = session
        # A message ends with a zero.
        content = memoryview(json.dumps(message).encode() + b"\0")
        while content:
            content = content[os.write(self.commands, content):]
        return self.count

    def hear(self):
        """The next message, an answer or an event."""
        while (end := self.bytes.find(0)) < 0:
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise AssertionError("the browser has ended")
            self.bytes += part
        message = json.loads(self.bytes[:end])
        del self.bytes[:end + 1]
        return message

    def answer(self, number, name):
        """The result of a command that was begun."""
        while number not in self.results:
            message = self.hear()
            if "id" in message:
                self.results[message["id"]] = message
            else:
                self.events.append(message)
        message = self.results.pop(number)
        if "error" in message:
            is_gone = message["error"]["message"] in ("Inspected target navigated or closed", "Execution context was destroyed.", "Cannot find default execution context")
            raise (Gone if is_gone else AssertionError)(f"{name}: {message['error']['message']}")
        return message["result"]

    def command(self, name, session=None, **arguments):
        return self.answer(self.send(name, arguments, session), name)

    def take(self, is_wanted):
        """The events so far that are wanted. They are taken away."""
        found = [event for event in self.events if is_wanted(event)]
        self.events = [event for event in self.events if not is_wanted(event)]
        return found

    def event(self, is_wanted):
        """The next event that is wanted: it came, or comes."""
        while not (found := self.take(is_wanted)):
            self.events.append(self.hear())
        self.events = found[1:] + self.events
        return found[0]

    def targets(self, kind, address):
        """The ids of the pages, or service workers, whose address begins so."""
        found = self.command("Target.getTargets")["targetInfos"]
        return [target["targetId"] for target in found if target["type"] == kind and target["url"].startswith(address)]

    def end(self):
        """Waits for the end of the process."""
        self.process.wait()
        for end in (self.commands, self.answers):
            os.close(end)


class Target:
    """A page or a service worker of a browser."""

    def __init__(self, devtools, id):
        self.devtools, self.id = devtools, id
        self.session = devtools.command("Target.attachToTarget", targetId=id, flatten=True)["sessionId"]

    def command(self, name, **arguments):
        return self.devtools.command(name, self.session, **arguments)

    def commands(self, *commands):
        """Several commands, of which nobody wants the results, without a wait between them: pairs of a name and its arguments."""
        for number, name in [(self.devtools.send(name, arguments, self.session), name) for name, arguments in commands]:
            self.devtools.answer(number, name)

    def value(self, script):
        """What an expression gives, or its promise."""
        found = self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise AssertionError(f"{script[:500]}: {details.get('exception', {}).get('description', details['text'])}")
        return found["result"].get("value")

    def detach(self):
        self.devtools.command("Target.detachFromTarget", sessionId=self.session)

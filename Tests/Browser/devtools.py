"""A connection of its own to Chromium's DevTools, beside that of chromedriver, which tells no events and does not reach a service worker."""

import base64
import json
import os
import socket
import struct
import urllib.request


class DevTools:
    """One target: a page or a service worker, whose kind and address begin so."""

    def __init__(self, browser, kind, address):
        host = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{host}/json/list", timeout=10) as answer:
            targets = json.load(answer)
        found = [target for target in targets if target["type"] == kind and target["url"].startswith(address)]
        if not found:
            raise AssertionError(f"no {kind} at {address}: {[(target['type'], target['url']) for target in targets]}")
        path = "/" + found[0]["webSocketDebuggerUrl"].split("/", 3)[3]
        name, port = host.rsplit(":", 1)
        self.socket = socket.create_connection((name, int(port)), timeout=20)
        self.bytes, self.count, self.events = b"", 0, []
        # Without the field Origin the browser takes it for a program of this machine.
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        if not head.startswith(b"HTTP/1.1 101"):
            raise AssertionError(head.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read(self, count):
        while len(self.bytes) < count:
            part = self.socket.recv(65536)
            if not part:
                raise AssertionError("the browser has closed the connection")
            self.bytes += part
        found, self.bytes = self.bytes[:count], self.bytes[count:]
        return found

    def send(self, text):
        """A message in one masked frame (RFC 6455)."""
        content, mask = text.encode(), os.urandom(4)
        length = len(content)
        head = struct.pack("!BB", 0x81, 0x80 | length) if length < 126 else struct.pack("!BBH", 0x81, 0xFE, length) if length < 65536 else struct.pack("!BBQ", 0x81, 0xFF, length)
        self.socket.sendall(head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(content)))

    def hear(self):
        """The next message. The browser may send it in several frames."""
        content = b""
        while True:
            first, length = self.read(2)
            if length == 126:
                length = struct.unpack("!H", self.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.read(8))[0]
            part = self.read(length)
            # A frame of control comes in between.
            if first & 0x0F < 8:
                content += part
                if first & 0x80:
                    return json.loads(content)

    def command(self, name, **arguments):
        self.count += 1
        self.send(json.dumps({"id": self.count, "method": name, "params": arguments}))
        while True:
            message = self.hear()
            if message.get("id") == self.count:
                if "error" in message:
                    raise AssertionError(f"{name}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def event(self, name, is_wanted):
        """The parameters of an event that came, or comes."""
        while True:
            for message in self.events:
                if message.get("method") == name and is_wanted(message["params"]):
                    return message["params"]
            self.events.append(self.hear())

    def value(self, script):
        """What an expression gives, or its promise."""
        found = self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise AssertionError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

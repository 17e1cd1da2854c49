"""An HTTP/2 server in the place of Apple's push service, on Debian's python3-h2 and Python's TLS.

apns.py CERTIFICATE KEY TABLE prints its port, and then one line of JSON for each request: path, headers, body, and the
number of the connection. The last digits of a device's token choose the answer, by the file TABLE with JSON:
{"DIGITS": {"status": 410, "reason": "Unregistered", "retryAfter": "7"}}. Without an entry the answer is 200. In place of
a status an entry may have "act": "close" ends the connection in the middle of the stream, "flood" sends frames of
WINDOW_UPDATE without end, "goaway" sends GOAWAY before this stream is handled, "half" sends headers and a part of the body and then ends the connection, "mute" answers nothing
more on the connection over which it comes first, "reset" resets the stream, and "silent" never answers. An entry with a status and "flood"
sends so many bytes of such frames before its answer."""
import itertools
import json
import socket
import ssl
import sys
import threading

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, DataReceived, RequestReceived, StreamEnded
from h2.exceptions import ProtocolError
from hyperframe.frame import WindowUpdateFrame

with open(sys.argv[3]) as table:
    ANSWERS = json.load(table)
PRINTING = threading.Lock()
# Frames that bring no answer, about 16 kB.
FRAMES = WindowUpdateFrame(0, window_increment=1).serialize() * 1_260


def told(**fact):
    with PRINTING:
        print(json.dumps(fact, sort_keys=True), flush=True)


def entry(path):
    token = path.rsplit("/", 1)[-1]
    fitting = [digits for digits in ANSWERS if token.endswith(digits)]
    return ANSWERS[max(fitting, key=len)] if fitting else {"status": 200}


class Connection:
    # Whether any connection is mute.
    has_muted = False

    def __init__(self, link, number):
        self.link, self.number = link, number
        self.protocol = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.streams = {}
        # The last stream that was handled.
        self.last = 0
        self.mute = False

    def flush(self):
        data = self.protocol.data_to_send()
        if data:
            self.link.sendall(data)

    def run(self):
        self.protocol.initiate_connection()
        self.flush()
        while True:
            data = self.link.recv(65_536)
            if not data:
                return
            for event in self.protocol.receive_data(data):
                if isinstance(event, RequestReceived):
                    self.streams[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, DataReceived):
                    self.streams[event.stream_id][1].extend(event.data)
                    self.protocol.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    if not self.answer(event.stream_id):
                        return
                elif isinstance(event, ConnectionTerminated):
                    return
            self.flush()

    def answer(self, stream):
        headers, body = self.streams.pop(stream)
        path = headers[":path"]
        told(
            connection=self.number, method=headers[":method"], path=path, body=body.decode(errors="replace"),
            headers={name: value for name, value in headers.items() if not name.startswith(":")})
        wanted = entry(path)
        act = wanted.get("act")
        if act == "mute" and not Connection.has_muted:
            Connection.has_muted = self.mute = True
        if self.mute:
            return True
        if act == "close":
            return False
        if act == "flood" or "flood" in wanted:
            rounds = itertools.count() if act == "flood" else range(wanted["flood"] // len(FRAMES))
            for _ in rounds:
                self.link.sendall(FRAMES)
        if act == "goaway":
            # Handled no stream but the earlier ones: a client may send this one again on a new connection.
            self.protocol.close_connection(ErrorCodes.NO_ERROR, last_stream_id=self.last)
            self.flush()
            return False
        if act == "reset":
            self.protocol.reset_stream(stream, ErrorCodes.INTERNAL_ERROR)
            return True
        if act == "silent":
            return True
        status, reason = wanted.get("status", 200), wanted.get("reason")
        text = json.dumps({"reason": reason}).encode() if reason else b""
        fields = [(":status", str(status)), ("apns-id", headers.get("apns-id", ""))]
        if "retryAfter" in wanted:
            fields.append(("retry-after", wanted["retryAfter"]))
        if act == "half":
            self.protocol.send_headers(stream, fields + [("content-length", "100")])
            self.protocol.send_data(stream, b"{")
            self.flush()
            return False
        self.protocol.send_headers(stream, fields, end_stream=not text)
        if text:
            self.protocol.send_data(stream, text, end_stream=True)
        self.last = stream
        return True


def serve(link, number, context):
    try:
        with context.wrap_socket(link, server_side=True) as secure:
            if secure.selected_alpn_protocol() != "h2":
                told(connection=number, trouble="no HTTP/2: %s" % secure.selected_alpn_protocol())
                return
            Connection(secure, number).run()
    except (OSError, ProtocolError) as error:
        told(connection=number, trouble=type(error).__name__)


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    number = 0
    while True:
        link, _ = listener.accept()
        number += 1
        threading.Thread(target=serve, args=(link, number, context), daemon=True).start()


main()

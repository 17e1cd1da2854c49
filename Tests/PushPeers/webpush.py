"""A push service of browsers for tests: TLS, and a line of JSON for each message.

    webpush.py CERTIFICATE KEY

The path of an endpoint says the statuses of its answers, such as /503-201/name: the last one stays. The first line of the
output is the port. By ALPN it asks for HTTP/2 if that is offered, as a server does that wants to send odd frames. It speaks
HTTP/1.1 alone."""

import base64
import collections
import http.server
import json
import ssl
import sys
import threading

counts = collections.Counter()
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        statuses = self.path.split("/")[1].split("-")
        with lock:
            count = counts[self.path]
            counts[self.path] += 1
            line = {
                "path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": base64.b64encode(body).decode(), "protocol": self.connection.selected_alpn_protocol() or ""}
            print(json.dumps(line), flush=True)
        self.send_response(int(statuses[min(count, len(statuses) - 1)]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A sender that was killed is no news."""


server = Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
context.set_alpn_protocols(["h2", "http/1.1"])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()

"""Serves Web/ as the gateway does: with the policy, compressed, and every file under its own type.

A server with a build has the files in that folder, too, and the service worker."""

import base64
import functools
import gzip
import hashlib
import http.server
import json
import pathlib
import re
import sys
import threading

WEB = pathlib.Path(__file__).resolve().parents[2] / "Web"
#: The gallery has the page in frames, so that its own address may frame it here.
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'self'; form-action 'none'; frame-ancestors 'self'"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}
CARRIED = (WEB.parent / "Sources/CWeb/web.c").read_text()
#: The files that the service worker keeps, as the gateway names them: the index first, and nothing of a player at a service.
FILES = [name for name in re.findall(r'^    \{"([\w.-]+)",', CARRIED, re.MULTILINE) if name != "worker.js"][: -int(re.search(r"service_files_count = (\d+)", CARRIED)[1])]


@functools.cache
def packed(file, _, build=None):
    content = file.read_bytes()
    if build and file.name == "index.html":
        content = content.replace(b"<head>", f'<head>\n<base href="/{build}/">'.encode(), 1)
    if build and file.name == "worker.js":
        digests = {each.name: digest(each, build) for each in WEB.iterdir() if each.is_file() and each.name != "worker.js"}
        content = f'const build = "{build}";\nconst files = {json.dumps(FILES)};\nconst digests = {json.dumps(digests)};\n'.encode() + content
    return gzip.compress(content, 6, mtime=0)


def digest(file, build):
    """The digest of a file as it is sent, as browsers know it."""
    content = gzip.decompress(packed(file, file.stat().st_mtime_ns, build))
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        if self.server.is_away:
            self.close_connection = True
            return
        build = self.server.build
        if build:
            path = path.replace(f"/{build}/", "/", 1)
        file = self.server.extra.get(path) or WEB / {"/": "index.html", "/favicon.ico": "icon.svg"}.get(path, path.lstrip("/"))
        if path not in self.server.extra and file.parent != WEB or not file.is_file():
            self.send_error(404)
            return
        body = packed(file, file.stat().st_mtime_ns, build)
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", TYPES[file.suffix])
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", f"{POLICY}; report-uri /violation")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)
        self.server.requests.append(path)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.violations.append(body.decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A browser that ends breaks its connections off."""


class Server:
    """A server of its own thread, on a free port of 127.0.0.1."""

    def __init__(self, port=0, build=None):
        self.server = Listener(("127.0.0.1", port), Handler)
        self.server.build, self.server.is_away = build, False
        self.server.requests, self.server.violations, self.server.extra = [], [], {}
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def violations(self):
        return self.server.violations

    @property
    def requests(self):
        return self.server.requests

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    server = Server(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
    print(server.address)
    threading.Event().wait()

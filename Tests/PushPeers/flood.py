"""A server of HTTPS for tests that floods its client with new keys of TLS 1.3 and never answers.

    flood.py CERTIFICATE KEY MESSAGES

The first line of the output is the port. Once a request has come, the second one is "request". So many messages that bring no
data are made then and sent all at once; the connection is ended behind them, and the third line is "flood"."""

import ctypes
import ctypes.util
import socket
import sys

library = ctypes.CDLL(ctypes.util.find_library("ssl"))
crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for owner, name in [
        (library, "TLS_server_method"), (library, "SSL_CTX_new"), (library, "SSL_new"), (crypto, "BIO_new"),
        (crypto, "BIO_s_mem")]:
    getattr(owner, name).restype = ctypes.c_void_p


def call(function, *arguments):
    return function(*(ctypes.c_void_p(one) if isinstance(one, int) and one > 1 << 31 else one for one in arguments))


certificate, key, messages = sys.argv[1].encode(), sys.argv[2].encode(), int(sys.argv[3])
context = call(library.SSL_CTX_new, library.TLS_server_method())
assert call(library.SSL_CTX_use_certificate_file, context, certificate, 1) == 1
assert call(library.SSL_CTX_use_PrivateKey_file, context, key, 1) == 1
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    session = call(library.SSL_new, context)
    call(library.SSL_set_fd, session, client.fileno())
    request = ctypes.create_string_buffer(4096)
    if call(library.SSL_accept, session) != 1 or call(library.SSL_read, session, request, 4096) <= 0:
        client.close()
        continue
    print("request", flush=True)
    memory = call(crypto.BIO_new, crypto.BIO_s_mem())
    call(library.SSL_set0_wbio, session, memory)
    for _ in range(messages):
        assert call(library.SSL_key_update, session, 0) == 1 and call(library.SSL_do_handshake, session) == 1
    size = call(crypto.BIO_ctrl_pending, memory)
    flood = ctypes.create_string_buffer(size)
    assert call(crypto.BIO_read, memory, flood, size) == size
    client.sendall(flood.raw)
    client.shutdown(socket.SHUT_WR)
    print("flood", flush=True)

"""Reads encrypted notifications as a browser does, and a push service's part of their headers, with libraries that are
not ours: http-ece decrypts, pyjwt verifies.

decrypt.py FILE reads a file of JSON, one object a line, and writes one line for each:
  {"private", "secret", "body"}                      the text
  {"authorization", "key", "origin", "contact", "now"}  "verified", or what is wrong
All bytes are in base64url without padding; so is the text. It ends with 1 at the first line that cannot be read."""
import base64
import json
import sys

import http_ece
import jwt
from cryptography.hazmat.primitives.asymmetric import ec


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decrypt(message):
    private = ec.derive_private_key(int.from_bytes(decoded(message["private"]), "big"), ec.SECP256R1())
    return encoded(
        http_ece.decrypt(
            decoded(message["body"]), private_key=private, auth_secret=decoded(message["secret"]), version="aes128gcm"))


def verify(message):
    scheme, rest = message["authorization"].split(" ", 1)
    fields = dict(field.strip().split("=", 1) for field in rest.split(","))
    if scheme != "vapid" or sorted(fields) != ["k", "t"]:
        return "not of the form of RFC 8292: " + message["authorization"]
    if fields["k"] != message["key"]:
        return "another key: " + fields["k"]
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(fields["k"]))
    # The times are judged below, by the time of the message.
    claims = jwt.decode(
        fields["t"], key, algorithms=["ES256"], audience=message["origin"],
        options={"verify_exp": False, "require": ["exp", "aud", "sub"]})
    if not message["now"] < claims["exp"] <= message["now"] + 86_400:
        return "valid until %s" % claims["exp"]
    if claims["sub"] != message["contact"]:
        return "another contact: " + claims["sub"]
    return "verified"


with open(sys.argv[1]) as lines:
    for line in lines:
        message = json.loads(line)
        print(verify(message) if "authorization" in message else decrypt(message))

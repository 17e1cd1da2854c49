#!/usr/bin/env python3
"""A player by HTTP, written from docs/protocol.md and docs/rules.md alone.

Takes a new name, invites an opponent that accepts by itself, such as the bot of `cubistd up`, plays
the match to its end on a second device, asks for a rematch, and verifies the record. Needs Python
3.11 and Debian's package python3-cryptography. Exits 0 only if all of that held.
"""
import argparse, base64, hashlib, http.client, itertools, json, secrets, struct, time
import urllib.parse, uuid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

POINTS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", [
    1, 4, 4, 3, 1, 5, 3, 5, 1, 9, 6, 2, 4, 2, 1, 4, 12, 2, 1, 2, 1, 5, 5, 9, 5, 11]))
CUBES = list(itertools.product(range(3), repeat=3))
FACES = [(cube, side) for cube in CUBES for side in "TLR"]
NORMAL = {"T": (0, 1, 0), "L": (0, 0, 1), "R": (1, 0, 0)}
CREASE = {"T": ((0, 1, 1), (1, 1, 0)), "L": ((0, 1, 1), (1, 0, 1)), "R": ((1, 1, 0), (1, 0, 1))}


def check(holds, text):
    if not holds:
        raise SystemExit(f"client.py: {text}")


def digest(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def player_id(public):
    return str(uuid.UUID(bytes=digest(b"cubist/player/1\0", public)[:16]))


def add(cube, step, k=0):
    return tuple(c + s + k for c, s in zip(cube, step))


def corners(face):
    cube, side = face
    spans = [(n,) if n else (0, 1) for n in NORMAL[side]]
    return {add(cube, step) for step in itertools.product(*spans)}


TOUCHING = {f: [g for g in FACES if g != f and corners(f) & corners(g)] for f in FACES}


class Game:
    """The cube of a match (docs/rules.md)."""

    def __init__(self, letters):
        self.letters = dict(zip(FACES, letters, strict=True))
        self.uses = dict.fromkeys(FACES, 0)
        self.removed, self.played = set(), set()

    def in_play(self, cube):
        return cube in CUBES and cube not in self.removed and all(
            self.uses[cube, side] < 3 for side in "TLR")

    def playable(self, face):
        cube, side = face
        return self.in_play(cube) and not any(
            self.in_play(add(cube, NORMAL[side], k)) or self.in_play(add(cube, (1, 1, 1), k))
            or all(self.in_play(add(cube, step, k)) for step in CREASE[side]) for k in range(3))

    def removals(self):
        return [cube for cube in CUBES if any(self.playable((cube, side)) for side in "TLR")]

    def spelling(self, faces):
        return "".join("QU" if self.letters[f] == "Q" else self.letters[f] for f in faces)

    def score(self, faces):
        word = self.spelling(faces)
        return sum(POINTS[c] for c in word) * len(word) * max(1, len(word) - 3)

    def apply(self, move, words):
        """Makes a move in notation and returns its score, or fails if it breaks a rule."""
        if move.startswith("-"):
            cube = tuple(map(int, move[1:]))
            check(cube in self.removals(), f"{move} is out of reach")
            self.removed.add(cube)
            return 0
        faces = [(tuple(map(int, text[:3])), text[3]) for text in move.split(" ")]
        word = self.spelling(faces)
        check(len(set(faces)) == len(faces) and len(word) >= 3
              and all(map(self.playable, faces))
              and all(b in TOUCHING[a] for a, b in zip(faces, faces[1:]))
              and word in words and word not in self.played, f"{move} is not a legal word")
        for face in faces:
            self.uses[face] += 1
        self.played.add(word)
        return self.score(faces)

    def turn(self, words, prefixes):
        """A removal and the best word that is left; without a word two removals."""
        best, open_faces = [], {f for f in FACES if self.playable(f)}
        paths = [[face] for face in open_faces]
        while paths:
            path = paths.pop()
            text = self.spelling(path)
            if text not in prefixes:
                continue
            if text in words and text not in self.played and self.score(path) > (
                    self.score(best) if best else 0):
                best = path
            paths += [path + [f] for f in TOUCHING[path[-1]] if f in open_faces and f not in path]
        spare = [cube for cube in self.removals() if cube not in {face[0] for face in best}]
        moves = ["-%d%d%d" % cube for cube in spare[:1]]
        if best:
            return moves + [" ".join("%d%d%d%s" % (*cube, side) for cube, side in best)]
        self.removed.add(spare[0])
        return moves + ["-%d%d%d" % cube for cube in self.removals()[:1]]


class Player:
    """A key, and everything that is signed with it and sent by HTTP."""

    def __init__(self, url):
        self.key = ed25519.Ed25519PrivateKey.generate()
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = player_id(self.public)
        self.url = urllib.parse.urlsplit(url)
        self.connection = self.connect()
        self.service, self.ahead = str(uuid.UUID(int=0)), 0.0
        # The first contact: any key, any service, any clock.
        self.info = self.ask("serviceInfo")
        self.service, self.ahead = self.info["service"], self.info["now"] / 1e6 - time.time()

    def connect(self):
        kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        return kind[self.url.scheme](self.url.netloc, timeout=60)

    def envelope(self, tag, type, fields):
        """The signed bytes, with an id by the service's clock."""
        now = int((time.time() + self.ahead) * 1000)
        bits = now << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
        payload = json.dumps({
            "v": 1, "service": self.service, "id": str(uuid.UUID(int=bits)), "type": type,
            "player": self.id, **fields}, separators=(",", ":")).encode()
        return b"\1" + self.public + self.key.sign(tag + b"\0" + payload) + payload

    def post(self, path, body):
        """One request: its status, seconds to wait before the next, and the answer."""
        headers = {"Content-Type": "application/octet-stream", "Prefer": "wait=20"}
        try:
            self.connection.request("POST", path, body, headers)
            response = self.connection.getresponse()
            answer = json.loads(response.read())
            return response.status, float(response.getheader("Retry-After") or 1), answer
        except (OSError, http.client.HTTPException, ValueError):
            self.connection.close()  # `request` opens it again.
            return 503, 1.0, {"detail": "no answer of a gateway came"}

    def until_answered(self, path, make_body, tries=30):
        for _ in range(tries):
            status, pause, answer = self.post(path, make_body())
            if status not in (202, 429, 502, 503, 504):
                break
            time.sleep(pause)  # As the gateway's Retry-After says.
        check(status == 200, f"refused with {status}: {answer.get('refused', answer)}")
        return answer

    def send(self, type, **fields):
        """Sends an event, the same bytes until there is a reply."""
        body = self.envelope(b"cubist/event/1", type, fields)
        return self.until_answered("/v1/events", lambda: body)["accepted"]

    def ask(self, type, **fields):
        """Asks a query; each time it is signed anew."""
        return self.until_answered(
            "/v1/queries", lambda: self.envelope(b"cubist/query/1", type, fields))["ok"]

    def device(self):
        """A second device of the player, with a key of its own."""
        code = "".join(secrets.choice("0123456789ABCDEFGHJKMNPQRSTVWXYZ") for _ in range(12))
        invitation = digest(
            b"cubist/invitation/1\0", uuid.UUID(self.service).bytes, code.encode()).hex()
        self.send("deviceInvited", invitation=invitation)
        device = Player(self.url.geturl())
        device.id = device.ask("invitationOf", invitation=invitation)["player"]
        device.send("keyAdded", code=code)
        keys = [(row["key"], row.get("inviter")) for row in device.ask("keys")["keys"]]
        check(keys == [(self.public.hex(), None), (device.public.hex(), self.public.hex())],
              "the keys are others")
        return device

    def versions(self):
        """Yields (match, version) of all that changes, for ever."""
        while True:
            stream = self.connect()
            try:
                stream.request(
                    "POST", "/v1/changes", self.envelope(b"cubist/query/1", "overview", {}))
                response, event = stream.getresponse(), ""
                for line in response if response.status == 200 else ():
                    field, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if field == "event":
                        event = value
                    elif field == "data" and event in ("overview", "match"):
                        data = json.loads(value)
                        for entry in data["matches"] if event == "overview" else [data]:
                            yield entry["match"], entry["version"]
            except (OSError, http.client.HTTPException):
                pass  # An orderly end and a broken connection are the same: ask again.
            stream.close()
            time.sleep(1)  # A gateway that is away is not asked at once again.

    def play(self, match, words, prefixes):
        """Plays a match to its end and returns it."""
        versions, view = self.versions(), self.ask("match", match=match)
        while view["stage"] != "ended":
            if view["seats"][view["seatToPlay"]].get("player") == self.id:
                game = Game(view["letters"])
                for move in (move for turn in view["turns"] for move in turn["moves"]):
                    game.apply(move, words)
                version = self.send(
                    "turnPlayed", match=match, turn=view["turn"], previous=view["previous"],
                    moves=game.turn(words, prefixes))["version"]
            else:
                version = next(new for id, new in versions
                               if id == match and new > view["version"])
            view = self.ask("match", match=match, atLeast=version)
        return view

    def record(self, match):
        """The record of a match. Every part but the last one has so many bytes."""
        parts = []
        while not parts or len(parts[-1]) == 98_304:
            parts.append(self.ask("record", match=match, part=len(parts) + 1)["record"])
        return "".join(parts)


def verify(record, root_key, words):
    """Verifies a record: chain, signatures, certificates, keys, deal, turns and points."""
    def signed(key, signature, tag, content, text):
        try:
            ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, tag + b"\0" + content)
        except InvalidSignature:
            check(False, f"a wrong signature of {text}")

    check(record["format"] == "cubist-record" and record["formatVersion"] in (1, 2, 3, 4),
          "another format")
    check(record["rootKey"] == root_key, "another root key than at first contact")
    valid = {}
    for item in record["certificates"]:
        key = bytes.fromhex(item["key"])
        signed(bytes.fromhex(root_key), bytes.fromhex(item["signature"]), b"cubist/workingKey/1",
               uuid.UUID(record["service"]).bytes + key
               + struct.pack(">QQ", item["validFrom"], item["validUntil"]), "a certificate")
        valid[key] = range(item["validFrom"], item["validUntil"])
    later = set()
    for seat in record["seats"] + record.get("left", []):
        used = set()  # Of this player: another one's event may have the same id.
        for origin in seat.get("origins", ()):
            messages = []
            for name in ("named", "recovered", "statement") if "recovered" in origin else (
                    "invited", "added"):
                key, payload = bytes.fromhex(origin[name]["key"]), base64.b64decode(
                    origin[name]["payload"])
                tag = b"cubist/service/1" if name == "statement" else b"cubist/event/1"
                signed(key, bytes.fromhex(origin[name]["signature"]), tag, payload, "an origin")
                content = json.loads(payload)
                check((content["player"], content["service"])
                      == (seat["player"], record["service"]), "an origin of another player")
                messages.append((key, content))
            types = [content["type"] for _, content in messages]
            if len(messages) == 2:
                (inviter, invited), (key, added) = messages
                check(types == ["deviceInvited", "keyAdded"] and invited["invitation"] == digest(
                    b"cubist/invitation/1\0", uuid.UUID(record["service"]).bytes,
                    added["code"].encode()).hex(), "the code of an origin")
                invitation = digest(base64.b64decode(origin["invited"]["payload"]))
                check(invitation not in used, "an invitation of two keys")
                used.add(invitation)
            else:
                (inviter, named), (words_key, asked), (working, stated) = messages
                check(types == ["recoveryKeyNamed", "playerRecovered", "recovered"],
                      "an origin of another kind")
                check(named["key"] == words_key.hex(), "the recovery key of an origin")
                check((stated["recovery"], stated["key"]) == (asked["id"], asked["key"])
                      and stated["queueTime"] >= stated["begunAt"] + stated["credit"]
                      + 72 * 3_600_000_000 and stated["credit"] >= 0
                      and stated["statedAt"] in valid.get(working, ()), "a recovery")
                key = bytes.fromhex(asked["key"])
                signed(key, bytes.fromhex(asked["proof"]), b"cubist/newKey/1",
                       uuid.UUID(record["service"]).bytes + uuid.UUID(seat["player"]).bytes
                       + words_key + key, "a new key")
            check(player_id(inviter) == seat["player"] or (inviter, seat["player"]) in later,
                  "an inviter is no key of the player")
            later.add((key, seat["player"]))
    head, last, previous, number = bytes(32), 0, None, 1
    game, letters, points, seats, left, outcome = None, None, [0, 0], [], [], None
    for position, entry in enumerate(record["entries"]):
        key, signature = bytes.fromhex(entry["key"]), bytes.fromhex(entry["signature"])
        payload, accepted = base64.b64decode(entry["payload"]), entry["acceptedAt"]
        content = json.loads(payload)
        before, head = head, digest(b"cubist/entry/1\0", head,
                                    struct.pack(">QQ", position, accepted), key, signature, payload)
        check(entry["position"] == position and accepted >= last and entry["hash"] == head.hex()
              and content["service"] == record["service"], f"entry {position} breaks the chain")
        last, kind = accepted, content["type"]
        if "id" in content:
            check(player_id(key) == content["player"] or (key, content["player"]) in later,
                  f"the key of entry {position}")
            signed(key, signature, b"cubist/event/1", payload, f"entry {position}")
        else:
            check(accepted in valid.get(key, ()), f"entry {position} has no valid certificate")
            signed(key, signature, b"cubist/service/1", payload, f"entry {position}")
        if position == 0:
            id = digest(b"cubist/match/1\0", *(
                uuid.UUID(content[field]).bytes for field in ("player", "id")))
            check(record["match"] == str(uuid.UUID(
                bytes=uuid.UUID(content["id"]).bytes[:6] + id[:10])), "the match's id")
        if kind == "matchDealt":
            seats, letters, previous = content["seats"], content["letters"], entry["hash"]
            game = Game(letters)
        elif kind == "seatFilled":
            seats[content["seat"]] = content["player"]
        elif kind == "seatLeft":
            check(seats[content["seat"]] == content["player"]
                  and (content.get("letters") is None) == (number > 1), "a seat that was left")
            seats[content["seat"]] = None
            left.append(content["player"])
            if number == 1:  # Dealt anew: nobody comes back knowing the cube.
                letters, previous = content["letters"], entry["hash"]
                game = Game(letters)
        elif kind == "turnPlayed":
            seat = (number - 1) % 2
            check((content["turn"], content["previous"], content["player"])
                  == (number, previous, seats[seat]), f"turn {number} is not due")
            points[seat] += sum(game.apply(move, words) for move in content["moves"])
            number, previous = number + 1, entry["hash"]
        elif kind == "matchEnded":
            check(content["head"] == before.hex(), "the end of another chain")
            check(content["points"] == points, f"points {content['points']}, not {points}")
            outcome = content["outcome"]
    check(record["head"] == head.hex(), "entries are missing at the end")
    check(outcome and outcome == record["outcome"] and points == record["points"], "the outcome")
    check(letters == record["letters"], "other letters than in the deal")
    check(seats == [seat.get("player") for seat in record["seats"]], "the seats")
    check(left == [seat["player"] for seat in record.get("left", [])], "who left")
    if outcome["reason"] == "cleared":
        won = [["tied"] * 2, ["won", "lost"], ["lost", "won"]][
            (points[0] > points[1]) - (points[0] < points[1])]
        check(not game.removals() and outcome["results"] == won, "the wrong result")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url", help="the gateway, such as http://127.0.0.1:8080")
    parser.add_argument("words", help="the list of words, such as deploy/lexicon/english.txt")
    parser.add_argument("--opponent", default="Robot", help="a player who accepts by itself")
    options = parser.parse_args()
    with open(options.words, encoding="utf-8") as file:
        words = {line.strip().upper() for line in file}
    prefixes = {word[:length] for word in words for length in range(1, len(word) + 1)}
    player = Player(options.url)
    player.send("playerRegistered", name="py-" + secrets.token_hex(4))
    opponent = player.ask("player", name=options.opponent)["id"]
    match = player.send("matchRequested", opponent="player", turnLimit=3600, language="en",
                        **{"with": opponent})["match"]
    ended = player.device().play(match, words, prefixes)
    rematch = player.send("rematchRequested", match=match)
    record = json.loads(player.record(match))
    verify(record, player.info["rootKey"], words)
    check(record["points"] == [seat["points"] for seat in ended["seats"]], "points changed")
    print(json.dumps({"match": match, "turns": len(ended["turns"]), "points": record["points"],
                      "outcome": record["outcome"]["reason"], "rematch": rematch["type"]}))


if __name__ == "__main__":
    main()

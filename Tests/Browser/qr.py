"""Reads the QR codes of the page, as the camera of a telephone does with one that it sees without a fault."""
import re

BORDER = 4
# Of versions 1 to 9 at level M: codewords of data, blocks, and codewords that correct a block.
VERSIONS = [(16, 1, 10), (28, 1, 16), (44, 1, 26), (64, 2, 18), (86, 2, 24), (108, 4, 16), (124, 4, 18), (154, 4, 22), (182, 5, 22)]
MASKS = [
    lambda i, j: (i + j) % 2 == 0, lambda i, j: i % 2 == 0, lambda i, j: j % 3 == 0, lambda i, j: (i + j) % 3 == 0,
    lambda i, j: (i // 2 + j // 3) % 2 == 0, lambda i, j: i * j % 2 + i * j % 3 == 0,
    lambda i, j: (i * j % 2 + i * j % 3) % 2 == 0, lambda i, j: ((i + j) % 2 + i * j % 3) % 2 == 0,
]
# The 15 bits that say level M and a mask, as the standard prints them (table C.1).
FORMATS = [0x5412, 0x5125, 0x5E7C, 0x5B4B, 0x45F9, 0x40CE, 0x4F97, 0x4AA0]
# The 18 bits that say a version (table D.1).
VERSION_BITS = {7: 0x07C94, 8: 0x085BC, 9: 0x09A99}


def read(size, path):
    """The text of a code, of the size and the path of its drawing."""
    count = size - 2 * BORDER
    dark = {(int(y) - BORDER, int(x) - BORDER) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}
    version = (count - 17) // 4
    for i, j in ((0, 0), (0, count - 7), (count - 7, 0)):
        for row in range(7):
            for column in range(7):
                ring = max(abs(row - 3), abs(column - 3))
                assert ((i + row, j + column) in dark) == (ring != 2), f"the corner at {i}, {j}"
    bits = format_bits(dark, count)
    mask = FORMATS.index(bits)
    if version >= 7:
        said = sum(((bit // 3, count - 11 + bit % 3) in dark) << bit for bit in range(18))
        assert said == VERSION_BITS[version], hex(said)
    words = codewords(dark, version, count, MASKS[mask])
    return content(joined(words, version))


def format_bits(dark, count):
    """Read from the most significant bit, around the first corner, and beside the others."""
    near = [(8, j) for j in (0, 1, 2, 3, 4, 5, 7, 8)] + [(i, 8) for i in (7, 5, 4, 3, 2, 1, 0)]
    far = [(i, 8) for i in range(count - 1, count - 8, -1)] + [(8, j) for j in range(count - 8, count)]
    values = [sum((place in dark) << (14 - index) for index, place in enumerate(places)) for places in (near, far)]
    assert values[0] == values[1] and (count - 8, 8) in dark, [hex(value) for value in values]
    return values[0]


def is_pattern(i, j, version, count):
    if i == 6 or j == 6:
        return True
    if (i < 9 and (j < 9 or j >= count - 8)) or (i >= count - 8 and j < 9):
        return True
    if version >= 7 and ((i < 6 and j >= count - 11) or (j < 6 and i >= count - 11)):
        return True
    places = [] if version == 1 else [6, count - 7] if version < 7 else [6, (count - 1) // 2, count - 7]
    corners = {(6, 6), (6, count - 7), (count - 7, 6)}
    return any((a, b) not in corners and abs(i - a) <= 2 and abs(j - b) <= 2 for a in places for b in places)


def codewords(dark, version, count, mask):
    bits = []
    columns = [column for column in range(count - 1, 0, -1) if column != 6]
    pairs = [(columns[index], columns[index + 1] if index + 1 < len(columns) else 0) for index in range(0, len(columns), 2)]
    for number, pair in enumerate(pairs):
        for step in range(count):
            i = count - 1 - step if number % 2 == 0 else step
            for j in pair:
                if not is_pattern(i, j, version, count):
                    bits.append(((i, j) in dark) != mask(i, j))
    return [int("".join("01"[bit] for bit in bits[start:start + 8]), 2) for start in range(0, len(bits) - 7, 8)]


def joined(words, version):
    """The data, from the blocks that stand side by side. Each block holds by its corrections."""
    room, count, corrections = VERSIONS[version - 1]
    assert len(words) == room + count * corrections, len(words)
    lengths = [room // count + (block >= count - room % count) for block in range(count)]
    blocks = [[] for _ in range(count)]
    rest = iter(words)
    for place in range(max(lengths)):
        for block in range(count):
            if place < lengths[block]:
                blocks[block].append(next(rest))
    whole = [list(block) for block in blocks]
    for _ in range(corrections):
        for block in whole:
            block.append(next(rest))
    for block in whole:
        for root in range(corrections):
            assert value_at(block, power(root)) == 0, "a block is not corrected by its codewords"
    return [word for block in blocks for word in block]


def times(one, other):
    product = 0
    while other:
        product ^= one if other & 1 else 0
        one = one << 1 ^ (0x11D if one & 0x80 else 0)
        other >>= 1
    return product


def power(exponent):
    value = 1
    for _ in range(exponent):
        value = times(value, 2)
    return value


def value_at(terms, argument):
    value = 0
    for term in terms:
        value = times(value, argument) ^ term
    return value


def content(words):
    bits = "".join(f"{word:08b}" for word in words)
    assert bits[:4] == "0100", "it has no bytes"
    length = int(bits[4:12], 2)
    assert set(bits[12 + 8 * length:16 + 8 * length]) <= {"0"}
    return bytes(int(bits[12 + 8 * place:20 + 8 * place], 2) for place in range(length)).decode()

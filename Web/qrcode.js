// Makes the QR code of a link, by ISO/IEC 18004: bytes, error correction M, versions 1 to 9.

/** Of each version the codewords of data, the blocks that they are split into, and the codewords that correct a block. */
const versions = [[16, 1, 10], [28, 1, 16], [44, 1, 26], [64, 2, 18], [86, 2, 24], [108, 4, 16], [124, 4, 18], [154, 4, 22], [182, 5, 22]];
/** Codewords before and after the bytes: a mode, a length and an end, which are half a codeword, one and half a codeword. */
const frame = 2;
const padding = [0xec, 0x11];
/** Light modules around the code. */
const border = 4;

/** The `size` of the code with its border, and the `path` of its dark modules in SVG; null: the text is too long. */
export function draw(text) {
  const bytes = new TextEncoder().encode(text);
  const version = versions.findIndex(([room]) => bytes.length + frame <= room) + 1;
  if (version === 0) return null;
  const code = new Code(version);
  code.fill(interleaved(codewords(bytes, versions[version - 1][0]), versions[version - 1]));
  const best = [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => code.masked(mask)).reduce((one, other) => (penalty(other) < penalty(one) ? other : one));
  const dark = best.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + border} ${y + border}h1v1h-1z` : [])));
  return { size: best.length + 2 * border, path: dark.join("") };
}

// MARK: Codewords

/** The bytes after mode 4 and their number, filled up to so many codewords. */
function codewords(bytes, room) {
  const halves = [4, bytes.length >> 4, bytes.length & 15, ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const words = Array.from({ length: halves.length / 2 }, (_, index) => (halves[2 * index] << 4) | halves[2 * index + 1]);
  return [...words, ...Array.from({ length: room - words.length }, (_, index) => padding[index % 2])];
}

/** The blocks of data side by side, then their corrections. The last blocks may have a codeword more than the first. */
function interleaved(data, [room, count, corrections]) {
  const length = Math.floor(room / count);
  const shortCount = count - (room % count);
  const start = (block) => block * length + Math.max(0, block - shortCount);
  const blocks = Array.from({ length: count }, (_, block) => data.slice(start(block), start(block + 1)));
  const across = (lists) => Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, place) => lists.flatMap((list) => list[place] ?? [])).flat();
  return [...across(blocks), ...across(blocks.map((block) => correction(block, corrections)))];
}

/** Powers of 2 in the field of 256 elements of the polynomial 0x11d, and their exponents. */
const powers = [1];
while (powers.length < 255) powers.push((powers.at(-1) << 1) ^ (powers.at(-1) > 127 ? 0x11d : 0));
const exponents = new Map(powers.map((power, exponent) => [power, exponent]));
const product = (one, other) => (one && other ? powers[(exponents.get(one) + exponents.get(other)) % 255] : 0);

/** The rest of a block, as a polynomial, by that with the first powers of 2 as its roots. */
function correction(block, count) {
  let divisor = [1];
  for (let root = 0; root < count; root++) divisor = [...divisor, 0].map((term, place) => term ^ product(divisor[place - 1] ?? 0, powers[root]));
  let rest = Array(count).fill(0);
  for (const word of block) {
    const factor = word ^ rest[0];
    rest = [...rest.slice(1), 0].map((term, place) => term ^ product(divisor[place + 1], factor));
  }
  return rest;
}

// MARK: Modules

const masks = [
  (x, y) => (x + y) % 2,
  (x, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** A number and the rest of its division by a polynomial of a degree. */
function withRest(number, polynomial, degree) {
  let rest = number << degree;
  for (let bit = 31; bit >= degree; bit--) if ((rest >>> bit) & 1) rest ^= polynomial << (bit - degree);
  return (number << degree) | rest;
}

class Code {
  #version;
  #size;
  /** Rows of modules. What is there from the start is no place for data, and is not masked. */
  #rows;
  #isFixed;

  constructor(version) {
    this.#version = version;
    this.#size = 17 + 4 * version;
    const rows = (value) => Array.from({ length: this.#size }, () => Array(this.#size).fill(value));
    [this.#rows, this.#isFixed] = [rows(false), rows(false)];
    this.#drawPatterns();
  }

  #set(x, y, isDark) {
    if (this.#rows[y]?.[x] === undefined) return;
    [this.#rows[y][x], this.#isFixed[y][x]] = [Boolean(isDark), true];
  }

  /** Squares around a middle; `isDark` tells it of each distance from there. */
  #drawSquares(x, y, reach, isDark) {
    for (let down = -reach; down <= reach; down++) {
      for (let right = -reach; right <= reach; right++) this.#set(x + right, y + down, isDark(Math.max(Math.abs(right), Math.abs(down))));
    }
  }

  #drawPatterns() {
    const last = this.#size - 7;
    for (let place = 0; place < this.#size; place++) {
      this.#set(6, place, place % 2 === 0);
      this.#set(place, 6, place % 2 === 0);
    }
    if (this.#version > 1) {
      const places = this.#version < 7 ? [6, last] : [6, (last + 6) / 2, last];
      const isCorner = (x, y) => (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      for (const y of places) for (const x of places) if (!isCorner(x, y)) this.#drawSquares(x, y, 2, (distance) => distance !== 1);
    }
    for (const [x, y] of [[3, 3], [this.#size - 4, 3], [3, this.#size - 4]]) this.#drawSquares(x, y, 4, (distance) => distance < 2 || distance === 3);
    this.#drawFormat(0);
    if (this.#version < 7) return;
    const bits = withRest(this.#version, 0x1f25, 12);
    for (let bit = 0; bit < 18; bit++) {
      const [one, other] = [Math.floor(bit / 3), this.#size - 11 + (bit % 3)];
      this.#set(one, other, (bits >>> bit) & 1);
      this.#set(other, one, (bits >>> bit) & 1);
    }
  }

  /** The mask's number, twice. Level M is 0. */
  #drawFormat(mask) {
    const bits = withRest(mask, 0x537, 10) ^ 0x5412;
    const near = [0, 1, 2, 3, 4, 5, 7, 8];
    for (let bit = 0; bit < 15; bit++) {
      const isDark = (bits >>> bit) & 1;
      if (bit < 8) {
        this.#set(8, near[bit], isDark);
        this.#set(this.#size - 1 - bit, 8, isDark);
      } else {
        this.#set(near[14 - bit], 8, isDark);
        this.#set(8, this.#size - 15 + bit, isDark);
      }
    }
    this.#set(8, this.#size - 8, true);
  }

  /** Writes codewords into the free modules: up and down in columns of two, from the right. */
  fill(words) {
    let bit = 0;
    for (let right = this.#size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.#size; step++) {
        const y = isUp ? this.#size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.#isFixed[y][x]) continue;
          this.#rows[y][x] = Boolean((words[bit >>> 3] >>> (7 - (bit & 7))) & 1);
          bit += 1;
        }
      }
    }
  }

  /** The rows under a mask. */
  masked(mask) {
    this.#drawFormat(mask);
    return this.#rows.map((row, y) => row.map((isDark, x) => isDark !== (!this.#isFixed[y][x] && masks[mask](x, y) === 0)));
  }
}

/** How badly a code can be read: long runs, squares, what looks like a corner, and too many modules of one kind. */
function penalty(rows) {
  const size = rows.length;
  const lines = [...rows, ...rows.map((_, x) => rows.map((row) => row[x]))].map((line) => line.map(Number).join(""));
  let points = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2;
    points += 40 * [...line.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let y = 1; y < size; y++) {
    for (let x = 1; x < size; x++) if (new Set([rows[y][x], rows[y - 1][x], rows[y][x - 1], rows[y - 1][x - 1]]).size === 1) points += 3;
  }
  const share = rows.flat().filter(Boolean).length / size ** 2;
  return points + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}

// Draws the cube: 81 buttons, of which the open ones are parallelograms. The view is parallel, so a
// face is a square under an affine map, and the order of the numbers is the order from back to front.

const sides = ["top", "left", "right"];
const sideNames = ["top", "left side", "right side"];

/** What a face is, from its number: as in docs/rules.md. */
export const faces = Array.from({ length: 81 }, (_, number) => {
  const cube = Math.floor(number / 3);
  return { number, cube, side: number % 3, x: Math.floor(cube / 9), y: Math.floor(cube / 3) % 3, z: cube % 3 };
});

const straight = { yaw: 45, pitch: 35.26 };
const limits = { yaw: [14, 76], pitch: [14, 66] };
/** How long a cube takes to vanish. */
const vanishing = 800;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Cube {
  #stage;
  #group;
  #paths;
  #buttons = [];
  #match = null;
  /** The text on each face. */
  #letters = [];
  #edge = 60;
  #view = { ...straight };
  #target = { ...straight };
  #frame = 0;
  #gone = 0;
  #goneSince = 0;
  #focused = 26;

  constructor(stage, group, paths) {
    [this.#stage, this.#group, this.#paths] = [stage, group, paths];
    for (const face of faces) this.#buttons.push(this.#makeButton(face));
    group.append(...this.#buttons);
    new ResizeObserver(() => this.#fit()).observe(stage);
    group.addEventListener("focusin", (event) => this.#rove(Number(event.target.dataset.face)));
  }

  #makeButton(face) {
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.className = `face ${sides[face.side]}`;
    button.dataset.face = face.number;
    button.innerHTML =
      '<span class="tile"><span class="letter"></span><span class="value"></span><span class="dots"></span></span>';
    button.style.setProperty("--far", 6 - face.x - face.y - face.z);
    return button;
  }

  // MARK: The state

  /** Draws a match. */
  show(match) {
    const [before, wasFocused] = [this.#match, this.focused !== null];
    this.#match = match;
    this.#letters = match.letters.match(/[A-Z][a-z]*/g);
    const gone = match.isVanishing ? match.leaving | match.marked : 0;
    if (gone !== this.#gone) [this.#gone, this.#goneSince] = [gone, performance.now()];
    if (before && before.key !== match.key && !still.matches) this.#view = { yaw: 16, pitch: 20 };
    for (const face of faces) this.#dress(face);
    if (!this.#isPlayable(this.#focused)) this.#moveFocus(wasFocused);
    this.#rove(this.#focused);
    this.#wake();
  }

  #isPlayable(number) {
    return this.#match.playable[number] === "1";
  }

  #dress(face) {
    const match = this.#match;
    const button = this.#buttons[face.number];
    button.hidden = match.open[face.number] === "0";
    if (button.hidden) return;
    const letter = this.#letters[face.number];
    const uses = Number(match.uses[face.number]);
    const order = match.path.indexOf(face.number);
    const isLeaving = Boolean((match.leaving >> face.cube) & 1);
    const isMarked = Boolean((match.marked >> face.cube) & 1);
    const isPlayable = this.#isPlayable(face.number);
    const set = (name, isSet) => button.classList.toggle(name, isSet);
    set("covered", !isPlayable);
    set("lit", order >= 0);
    set("theirs", order >= 0 && match.isTheirs);
    set("end", order >= 0 && order === match.path.length - 1 && !match.isTheirs);
    set("leaving", isLeaving);
    set("marked", isMarked);
    set("valued", match.values.length > 0);
    button.dataset.uses = Math.min(uses, 2);
    const [text, value] = button.firstChild.children;
    text.textContent = letter;
    text.classList.toggle("two", letter.length > 1);
    value.textContent = match.values[face.number] ?? "";
    button.ariaHidden = isPlayable ? null : "true";
    button.ariaPressed = isPlayable ? String(order >= 0) : null;
    button.ariaLabel = isPlayable ? this.#label(face, letter, { uses, order, isLeaving, isMarked }) : null;
  }

  #label(face, letter, { uses, order, isLeaving, isMarked }) {
    const { x, y, z, side } = face;
    const [row, column, depth] = [[z, x, 2 - y], [2 - y, x, 2 - z], [2 - y, 2 - z, 2 - x]][side];
    const parts = [`${letter.toUpperCase()}, ${sideNames[side]} row ${row + 1} column ${column + 1}`];
    if (depth > 0) parts.push(`${depth} deeper`);
    if (uses > 0) parts.push(uses === 1 ? "used once" : "used twice");
    if (order >= 0) parts.push(this.#match.isTheirs ? "in their word" : `letter ${order + 1} of the word`);
    if (isLeaving) parts.push("its cube will vanish");
    if (isMarked) parts.push("its cube is taken away");
    return parts.join(", ");
  }

  // MARK: Focus

  #rove(number) {
    this.#buttons[this.#focused].tabIndex = -1;
    this.#focused = number;
    this.#buttons[number].tabIndex = this.#isPlayable(number) ? 0 : -1;
  }

  /** The face under the focus, if the focus is in the cube. */
  get focused() {
    return document.activeElement?.parentElement === this.#group ? faces[this.#focused] : null;
  }

  /** Goes to the nearest face in a direction of the screen. */
  moveFocus(across, down) {
    const here = this.#center(faces[this.#focused]);
    let best = null;
    for (const face of faces) {
      if (face.number === this.#focused || !this.#isPlayable(face.number)) continue;
      const there = this.#center(face);
      const [dx, dy] = [there.x - here.x, there.y - here.y];
      const ahead = dx * across + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * across);
      if (ahead < 2 || aside > 2 * ahead) continue;
      const distance = ahead + 1.6 * aside;
      if (!best || distance < best.distance) best = { face, distance };
    }
    if (best) this.#buttons[best.face.number].focus();
  }

  /** Goes from a face that is no longer there to the nearest one. */
  #moveFocus(wasFocused) {
    const here = this.#center(faces[this.#focused]);
    const distance = (face) => {
      const there = this.#center(face);
      return Math.hypot(there.x - here.x, there.y - here.y);
    };
    const open = faces.filter((face) => this.#isPlayable(face.number));
    if (open.length === 0) return;
    const nearest = open.reduce((best, face) => (distance(face) < distance(best) ? face : best));
    this.#rove(nearest.number);
    if (wasFocused) this.#buttons[nearest.number].focus();
  }

  // MARK: Turning

  /** Turns by degrees; at once, or in a moment. */
  turn(yaw, pitch, isSlow = false) {
    const bounded = (value, [least, most]) => Math.min(most, Math.max(least, value));
    this.#target = {
      yaw: bounded(this.#target.yaw + yaw, limits.yaw),
      pitch: bounded(this.#target.pitch + pitch, limits.pitch),
    };
    if (!isSlow || still.matches) this.#view = { ...this.#target };
    this.#wake();
  }

  straighten() {
    this.turn(straight.yaw - this.#target.yaw, straight.pitch - this.#target.pitch, true);
  }

  /** The way that the cube is seen, in degrees. */
  get view() {
    return { ...this.#target };
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = this.#stage;
    this.#edge = Math.max(24, Math.min((width - 8) / 4.28, (height - 8) / 5.05, 150));
    this.#group.style.setProperty("--edge", `${this.#edge}px`);
    this.#paths.setAttribute("viewBox", `${-width / 2} ${-height / 2} ${width} ${height}`);
    this.#wake();
  }

  #wake() {
    if (this.#match && this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#draw(now));
  }

  // MARK: Drawing

  /** Where one step along x, y and z goes on the screen. */
  #axes() {
    const [yaw, pitch] = [(this.#view.yaw * Math.PI) / 180, (this.#view.pitch * Math.PI) / 180];
    const size = this.#edge;
    return {
      x: [size * Math.cos(yaw), size * Math.sin(yaw) * Math.sin(pitch)],
      y: [0, -size * Math.cos(pitch)],
      z: [-size * Math.sin(yaw), size * Math.cos(yaw) * Math.sin(pitch)],
    };
  }

  #point(axes, x, y, z) {
    const at = (index) => (x - 1.5) * axes.x[index] + (y - 1.5) * axes.y[index] + (z - 1.5) * axes.z[index];
    return { x: at(0), y: at(1) };
  }

  #center({ x, y, z, side }, axes = this.#axes()) {
    const [a, b, c] = [[0.5, 1, 0.5], [0.5, 0.5, 1], [1, 0.5, 0.5]][side];
    return this.#point(axes, x + a, y + b, z + c);
  }

  #draw(now) {
    this.#frame = 0;
    const isTurning = this.#approach();
    const isVanishing = this.#gone !== 0 && !still.matches && now - this.#goneSince < vanishing + 50;
    const axes = this.#axes();
    this.#group.style.setProperty("--yaw", `${-this.#view.yaw}deg`);
    for (const face of faces) this.#place(face, axes, now);
    this.#drawPaths(axes);
    if (isTurning || isVanishing) this.#wake();
  }

  #approach() {
    const [yaw, pitch] = [this.#target.yaw - this.#view.yaw, this.#target.pitch - this.#view.pitch];
    if (Math.abs(yaw) + Math.abs(pitch) < 0.2) {
      this.#view = { ...this.#target };
      return false;
    }
    this.#view = { yaw: this.#view.yaw + yaw * 0.22, pitch: this.#view.pitch + pitch * 0.22 };
    return true;
  }

  #place(face, axes, now) {
    const button = this.#buttons[face.number];
    if (button.hidden) return;
    const { x, y, z, side } = face;
    // The upper left corner as the side is read, and where the edges go from there.
    const corner = [[x, y + 1, z], [x, y + 1, z + 1], [x + 1, y + 1, z + 1]][side];
    const minus = ([across, down]) => [-across, -down];
    const [u, v] = [
      [axes.x, axes.z],
      [axes.x, minus(axes.y)],
      [minus(axes.z), minus(axes.y)],
    ][side];
    const from = this.#point(axes, ...corner);
    const left = this.#left(face.cube, now);
    // A vanishing cube shrinks around its middle, and comes nearer.
    const middle = this.#point(axes, x + 0.5, y + 0.5, z + 0.5);
    const lift = (1 - left) * this.#edge * 0.5;
    const at = [middle.x + (from.x - middle.x) * left, middle.y + (from.y - middle.y) * left - lift];
    const scale = left / this.#edge;
    const map = [u[0] * scale, u[1] * scale, v[0] * scale, v[1] * scale, at[0], at[1]];
    button.style.transform = `matrix(${map.map((number) => number.toFixed(4)).join()})`;
    button.style.opacity = left < 1 ? String(Math.min(1, 1.6 * left)) : "";
  }

  /** How much of a cube is left, 1 to 0, while it vanishes. */
  #left(cube, now) {
    if (still.matches || !((this.#gone >> cube) & 1)) return 1;
    const passed = Math.min(1, Math.max(0, now - this.#goneSince) / vanishing);
    return 1 - passed * passed * (3 - 2 * passed);
  }

  #drawPaths(axes) {
    const { path, taken, isTheirs, cubes } = this.#match;
    const centers = path.filter((number) => !this.#buttons[number].hidden).map((number) => this.#center(faces[number], axes));
    let line = "";
    for (let index = 1; index < centers.length; index++) {
      const [from, to] = [centers[index - 1], centers[index]];
      const length = Math.hypot(to.x - from.x, to.y - from.y);
      const cut = Math.min(0.36, (this.#edge * 0.3) / Math.max(length, 1));
      const along = (part) => `${(from.x + (to.x - from.x) * part).toFixed(1)} ${(from.y + (to.y - from.y) * part).toFixed(1)}`;
      line += `M${along(cut)}L${along(1 - cut)}`;
    }
    const ghosts = taken.filter((cube) => !((cubes >> cube) & 1)).map((cube) => this.#outline(cube, axes));
    this.#paths.replaceChildren(
      shape("path", { class: isTheirs ? "link theirs" : "link", d: line }),
      ...ghosts.map((d) => shape("path", { class: "ghost", d })),
    );
  }

  /** The edges of a cube that is taken away, so far. */
  #outline(cube, axes) {
    const { x, y, z } = faces[3 * cube];
    const corner = (a, b, c) => {
      const { x: across, y: down } = this.#point(axes, x + a, y + b, z + c);
      return `${across.toFixed(1)} ${down.toFixed(1)}`;
    };
    return (
      `M${corner(0, 1, 0)}L${corner(1, 1, 0)}L${corner(1, 0, 0)}L${corner(1, 0, 1)}L${corner(0, 0, 1)}L${corner(0, 1, 1)}Z` +
      `M${corner(1, 1, 1)}L${corner(1, 1, 0)}M${corner(1, 1, 1)}L${corner(0, 1, 1)}M${corner(1, 1, 1)}L${corner(1, 0, 1)}`
    );
  }
}

function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

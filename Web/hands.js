// Makes actions of fingers, mouse and keys.

/** How long a finger rests on a cube that it takes away. */
const hold = 450;
/** How soon a second tap makes a double tap. */
const double = 320;
/** How soon after a finger a click is that finger's. */
const recent = 1000;
/** How far a finger moves before it drags. */
const slack = 8;
const step = 9;
const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Hands {
  #cube;
  #send;
  #pointers = new Map();
  #gesture = null;
  #lastDown = -recent;
  #lastTap = { number: -1, time: 0 };
  /** Whether a key was used last, rather than a finger. */
  usesKeys = false;

  constructor(stage, cube, send) {
    [this.#cube, this.#send] = [cube, send];
    stage.addEventListener("pointerdown", (event) => this.#down(event, stage));
    stage.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, (event) => this.#up(event));
    stage.addEventListener("contextmenu", (event) => event.preventDefault());
    // Else a browser takes a quick movement for a scroll, and swallows the next tap.
    const prevent = (event) => {
      if (!event.target.closest("button:not(.face)")) event.preventDefault();
    };
    stage.addEventListener("touchstart", prevent, { passive: false });
    // The focus stays where it is: Enter plays, and pushes no face.
    stage.addEventListener("mousedown", (event) => {
      if (event.target.closest(".face")) event.preventDefault();
    });
    stage.addEventListener("click", (event) => this.#click(event));
    stage.addEventListener("dblclick", (event) => {
      if (Hands.#faceAt(event) === null && !event.target.closest("button")) cube.straighten();
    });
    document.addEventListener("keydown", (event) => {
      this.usesKeys = true;
      this.#key(event);
    });
    document.addEventListener("pointerdown", () => (this.usesKeys = false), { capture: true });
  }

  // MARK: Fingers

  static #faceAt(event) {
    const face = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".face");
    return face ? Number(face.dataset.face) : null;
  }

  #down(event, stage) {
    // A captured pointer would take the click away from the button.
    if (event.target.closest("button:not(.face)")) return;
    stage.setPointerCapture(event.pointerId);
    this.#lastDown = event.timeStamp;
    this.#pointers.set(event.pointerId, event);
    this.#rest();
    const number = Hands.#faceAt(event);
    const turns = this.#pointers.size > 1 || number === null || event.shiftKey || event.button > 0;
    if (turns) {
      this.#gesture = { kind: "turn" };
      return;
    }
    const timer = setTimeout(() => {
      this.#gesture = { kind: "held" };
      navigator.vibrate?.(15);
      this.#send(`mark ${Math.floor(number / 3)}`);
    }, hold);
    this.#gesture = { kind: "tap", number, at: event, timer };
  }

  #rest() {
    clearTimeout(this.#gesture?.timer);
    this.#gesture = null;
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    this.#pointers.set(event.pointerId, event);
    const gesture = this.#gesture;
    if (gesture?.kind === "turn") {
      const share = 0.4 / this.#pointers.size;
      this.#cube.turn((before.clientX - event.clientX) * share, (event.clientY - before.clientY) * share);
      return;
    }
    if (gesture?.kind === "tap") {
      if (Math.hypot(event.clientX - gesture.at.clientX, event.clientY - gesture.at.clientY) < slack) return;
      const number = Hands.#faceAt(event);
      if (number === gesture.number) return;
      clearTimeout(gesture.timer);
      this.#gesture = { kind: "spell", number: gesture.number };
      this.#send(`drag ${gesture.number}`);
    }
    if (this.#gesture?.kind === "spell") this.#spell(event);
  }

  /** Only the inner part of a face counts, so that a finger can pass between two others. */
  #spell(event) {
    const face = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".face");
    if (!face || Number(face.dataset.face) === this.#gesture.number) return;
    const box = face.getBoundingClientRect();
    const across = (event.clientX - box.x) / box.width - 0.5;
    const down = (event.clientY - box.y) / box.height - 0.5;
    if (Math.hypot(across, down) > 0.36) return;
    this.#gesture.number = Number(face.dataset.face);
    this.#send(`drag ${face.dataset.face}`);
  }

  #up(event) {
    this.#pointers.delete(event.pointerId);
    const gesture = this.#gesture;
    if (gesture?.kind === "tap" && event.type === "pointerup") this.#tap(gesture.number, event.timeStamp);
    if (this.#pointers.size === 0) this.#rest();
  }

  /** A second tap takes the first one back, and then the cube away. */
  #tap(number, time) {
    const isDouble = this.#lastTap.number === number && time - this.#lastTap.time < double;
    this.#lastTap = isDouble ? { number: -1, time: 0 } : { number, time };
    this.#send(`face ${number}`);
    if (isDouble) this.#send(`mark ${Math.floor(number / 3)}`);
  }

  /** A click without a finger is a screen reader's, or the space bar's. */
  #click(event) {
    const turner = event.target.closest(".turner");
    if (turner) this.#turnBy(turner.dataset.turn);
    const face = event.target.closest(".face");
    const isFinger = event.detail > 0 && event.timeStamp - this.#lastDown < recent;
    if (face && !isFinger) this.#send(`face ${face.dataset.face}`);
  }

  #turnBy(name) {
    const [yaw, pitch] = { left: [2, 0], right: [-2, 0], up: [0, -2], down: [0, 2] }[name];
    this.#cube.turn(yaw * step, pitch * step, true);
  }

  // MARK: Keys

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const place = document.body.dataset.place;
    if (document.querySelector("dialog[open]")) return;
    const isField = event.target.matches("input");
    const isText = isField && event.target.id !== "type";
    if (event.key === "F1" || (event.key === "?" && !isText)) return this.#take(event, "help");
    const no = event.key === "Escape" && [...document.querySelectorAll(".asks > :last-child")].find((button) => button.checkVisibility());
    if (no) return this.#take(event, () => no.click());
    if (place === "menu" && event.key === "Escape") return this.#take(event, "leave");
    // A form keeps the letters that are typed into it.
    if (place === "list" || place === "menu" || (isText && event.target.type === "text")) return;
    const action = isField ? this.#fieldKey(event) : this.#pageKey(event);
    if (action) this.#take(event, action);
  }

  #take(event, action) {
    event.preventDefault();
    if (typeof action === "string") this.#send(action);
    else action();
  }

  /** The field has its letters by itself. */
  #fieldKey({ key, target }) {
    if (target.type === "range") return key === "Escape" ? "clear" : null;
    if (key === "Enter") return "submit";
    if (directions[key]) return () => this.#turnAlong(directions[key]);
    return /^[0-9#]$/.test(key) ? this.#digit(key) : this.#sharedKey(key);
  }

  #sharedKey(key) {
    return { Escape: "clear", PageUp: "look 1", PageDown: "look -1", Home: "turn 1", End: "turn 0" }[key] ?? null;
  }

  #turnAlong([across, down]) {
    this.#cube.turn(-across * step, down * step, true);
  }

  #digit(key) {
    if (key === "#") return "values";
    return key === "0" ? () => this.#cube.straighten() : `way ${key}`;
  }

  #pageKey({ key, target }) {
    const face = target.closest(".face");
    const isControl = target.closest("button, a") && !face;
    if (/^[a-z]$/i.test(key)) return `letter ${key}`;
    if (/^[0-9#]$/.test(key)) return this.#digit(key);
    if (directions[key]) {
      if (face) return () => this.#cube.moveFocus(...directions[key]);
      return () => this.#turnAlong(directions[key]);
    }
    switch (key) {
      case "Enter":
        return isControl ? null : "submit";
      case "Backspace":
        return "back";
      case "Delete":
        return face ? `mark ${Math.floor(Number(face.dataset.face) / 3)}` : "back";
      default:
        return this.#sharedKey(key);
    }
  }
}

// The page: it sends actions to the game and draws the state that comes back.

import { Cube } from "./cube.js";
import { load } from "./engine.js";
import { first } from "./first.js";
import { Hands } from "./hands.js";
import { draw } from "./panel.js";

const element = (id) => document.getElementById(id);
const keptName = "cubist.firstSteps";

const cube = new Cube(element("stage"), element("cube"), element("paths"));
const timers = new Map();
let engine = null;
let state = first;
/** Actions from before the game is there. */
let waiting = [];
/** Whether a state is fixed: nothing happens by itself. */
let isFixed = false;

function send(action) {
  if (!engine) {
    waiting.push(action);
    return;
  }
  const next = engine.act(action);
  if (next) take(next);
}

function take(next) {
  const before = state;
  state = next;
  for (const { act, after } of isFixed ? [] : state.timers) {
    clearTimeout(timers.get(act));
    timers.set(act, setTimeout(() => send(act), after));
  }
  if (state.kept !== before.kept) keep(state.kept);
  show();
  if (place(before) !== place(state)) focus();
}

const place = ({ home, steps }) => (home ? "list" : steps ? "steps" : "match");

/** Who plays by keys finds the focus where it goes on. A telephone's keyboard stays away. */
function focus() {
  if (!hands.usesKeys) return;
  (state.home ? element("rows").querySelector("button") : element("type")).focus();
}

function show() {
  draw(state, send);
  if (state.match) cube.show(state.match);
}

/** A browser may forbid to keep anything. The first steps then begin anew. */
function keep(text) {
  if (isFixed) return;
  try {
    localStorage.setItem(keptName, text);
  } catch {}
}

function kept() {
  try {
    return localStorage.getItem(keptName) ?? "unseen";
  } catch {
    return "unseen";
  }
}

for (const [id, action] of Object.entries({
  back: "back", clear: "clear", play: "submit", replay: "replay", now: "turn 0", earlier: "look 1", later: "look -1", rematch: "rematch", other: "leave", values: "values",
  yes: "yes", no: "no", "step-next": "submit", "step-leave": "leave", "steps-button": "steps", "welcome-button": "steps", "list-button": "leave", "help-button": "help",
})) {
  element(id).addEventListener("click", () => send(action));
}
element("help").addEventListener("close", () => send("close"));
element("scrubber").addEventListener("input", (event) => {
  const number = Number(event.target.value);
  send(`turn ${number > state.match.lines.length ? 0 : number}`);
});
element("type").addEventListener("input", (event) => {
  // Whatever keyboard it was: the letters that were added or taken away at the end.
  const typed = event.target.value.toUpperCase().replace(/[^A-Z]/g, "");
  const { word, missed } = state.match;
  const shown = (word?.text ?? "") + missed;
  if (typed.startsWith(shown)) for (const letter of typed.slice(shown.length)) send(`letter ${letter}`);
  else if (shown.startsWith(typed)) send("back");
  else {
    send("clear");
    for (const letter of typed) send(`letter ${letter}`);
  }
  show();
});

const hands = new Hands(element("stage"), cube, send);
show();
try {
  const loaded = await load("cubist.wasm");
  const asked = new URLSearchParams(location.search).get("state");
  // Fixed states for pictures and tests; nobody else loads them.
  const fixed = asked ? (await import("./gallery.js")).states[asked] : null;
  engine = loaded;
  isFixed = Boolean(fixed);
  if (fixed) {
    take(engine.start(1n, fixed.kept ?? "done"));
    for (const action of fixed.actions) send(action);
    if (fixed.turn) cube.turn(...fixed.turn);
  } else {
    const [seed] = crypto.getRandomValues(new BigUint64Array(1));
    take(engine.start(seed, kept()));
    for (const action of waiting) send(action);
  }
  waiting = [];
  document.body.dataset.ready = "yes";
} catch (error) {
  element("status").textContent = "The game could not be loaded. Reload the page to try again.";
  throw error;
}

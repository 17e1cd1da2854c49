// The page: it sends actions to the game and draws the state that comes back.

import { Cube } from "./cube.js";
import { load } from "./engine.js";
import { first } from "./first.js";
import { Hands } from "./hands.js";
import { build, isUnderWay, keep, keepSteps, keptSteps, open } from "./keep.js";
import { draw } from "./panel.js";
import { update } from "./update.js";

const element = (id) => document.getElementById(id);

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
  if (!isFixed) {
    if (state.kept !== before.kept) keepSteps(state.kept);
    keep(engine.kept());
  }
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
  if (!state.match) return;
  element("cube").hidden = false;
  cube.show(state.match);
}

/** Shows a sentence beside the game, and perhaps a button that does something. */
function tell(text, label, act) {
  element("note").hidden = !text;
  element("note-text").textContent = text;
  element("note-act").hidden = !label;
  element("note-act").textContent = label ?? "";
  element("note-act").onclick = act;
}

/** Goes on with a game that was kept. One that ends the module would do so at each visit. */
function resume({ text }) {
  try {
    return engine.resume(text);
  } catch (error) {
    keep("");
    throw error;
  }
}

/** Goes on with the game of this tab, or begins one. */
function begin(kept) {
  const [seed] = crypto.getRandomValues(new BigUint64Array(1));
  const opened = engine.start(seed, keptSteps());
  const resumed = kept?.from === build ? resume(kept) : null;
  take(resumed ?? opened);
  // They were meant for the first cube.
  if (!resumed) for (const action of waiting) send(action);
  if (!kept || resumed) return;
  tell(kept.from === build ? "Your match could not be read again." : "The game was updated. Your match could not go on.");
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

element("note-close").addEventListener("click", () => tell(""));

const hands = new Hands(element("stage"), cube, send);
// A game that is kept has another cube than the first one.
if (isUnderWay()) element("cube").hidden = true;
else show();
try {
  const asked = new URLSearchParams(location.search).get("state");
  // Fixed states for pictures and tests; nobody else loads them.
  const fixed = asked ? (await import("./gallery.js")).states[asked] : null;
  const [loaded, kept] = await Promise.all([load("cubist.wasm"), fixed ? null : open().catch(() => null)]);
  engine = loaded;
  isFixed = Boolean(fixed);
  if (fixed) {
    take(engine.start(1n, fixed.kept ?? "done"));
    for (const action of fixed.actions) send(action);
    if (fixed.turn) cube.turn(...fixed.turn);
  } else {
    begin(kept);
    update(tell);
  }
  waiting = [];
  document.body.dataset.ready = "yes";
} catch (error) {
  element("status").textContent = "The game could not be loaded. Reload the page to try again.";
  throw error;
}

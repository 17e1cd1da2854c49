// The page: it sends actions to the game and draws the state that comes back.

import { Cube } from "./cube.js";
import { load } from "./engine.js";
import { first } from "./first.js";
import { Hands } from "./hands.js";
import { build, hasPlayer, isMissedTold, isUnderWay, keep, keepSteps, keptSteps, open, rememberMissedTold } from "./keep.js";
import { draw, placeOf } from "./panel.js";
import { update } from "./update.js";
import { notes } from "./words.js";

const element = (id) => document.getElementById(id);

const cube = new Cube(element("stage"), element("cube"), element("paths"));
const timers = new Map();
let engine = null;
let state = first;
/** Actions from before the game is there. */
let waiting = [];
/** Whether a state is fixed: nothing happens by itself. */
let isFixed = false;
/** Ends the trailer, while it plays. */
let endTrailer = null;
/** The state of the player at a service, and `send` for its actions. Null without a service. */
let people = null;
/** Draws that state, once it is loaded. */
let drawService = null;
/** The sentences about the file of the key, once they are loaded. */
let keyFiles = null;

/** Whether the page shows something of that player's rather than the game against robots. The list has both. */
const isWithPeople = () => ["match", "steps", "menu", "absent"].some((name) => people?.state[name]);
const shown = () => (isWithPeople() ? people.state : state);

/** Sends an action to the game that is on the page. */
function send(action) {
  if (endTrailer) endTrailer();
  else if (isWithPeople()) people.send(action);
  else sendToRobots(action);
}

function sendToRobots(action) {
  if (!engine) {
    waiting.push(action);
    return;
  }
  const next = engine.act(action);
  if (next) take(next);
}

/** Loads what draws a player at a service. */
async function loadPeople() {
  ({ drawService, keyFiles } = await import("./people.js"));
}

/** The code by which the page was opened: of an invitation, or of a game that somebody shared. */
const [, folder, code] = location.pathname.match(/^\/([gs])\/([A-Za-z0-9-]{4,40})$/) ?? [];
let invitation = folder === "g" ? code : null;
const shared = folder === "s" ? code : null;
let [isPlayerAsked, isLackTold] = [false, false];

/** The code of a link by which another device lets this one in. */
let deviceCode = null;
/** The match to which a notification leads, or the kind of one that has none. */
let told = null;

/** Takes what the end of the address leads to. The address forgets it: it is good once. */
function takeEnd() {
  const end = new URLSearchParams(location.hash.slice(1));
  const [code, match] = [end.get("add"), end.get("match")];
  if (!code && !match && !end.has("keys")) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (code) deviceCode = code.slice(0, 64);
  else told = match ? { match } : { kind: "account" };
}
takeEnd();
addEventListener("hashchange", async () => {
  takeEnd();
  if (!(deviceCode || told) || !engine || isFixed) return;
  await findPlayer();
  await offerAddition();
  goToTold();
});
// A notification was clicked.
navigator.serviceWorker?.addEventListener("message", async ({ data }) => {
  if (data?.cubist !== "follow" || !(data.match || data.kind)) return;
  told = data;
  if (!engine || isFixed) return;
  await findPlayer();
  goToTold();
});

/** Leads to what a notification has told: its match, the keys, or the list. */
function goToTold() {
  if (!told || !people || endTrailer) return;
  const { match, kind } = told;
  told = null;
  if (!people.state.account.name) return;
  if (!state.home) sendToRobots("leave");
  if (match) people.send(`open ${match}`);
  else if (people.state.menu?.name !== "keys") people.send(kind === "account" ? "keys" : "leave");
}

/** Leads to the form with that code. The player presses its button: no link adds a device by itself. */
async function offerAddition() {
  if (!deviceCode || !people) return;
  const { name, noKeys, removed, recovering } = people.state.account;
  const found = deviceCode;
  deviceCode = null;
  if (name) return tell(`You are ${name} in this browser already. Open the link on the device that is to be added.`);
  if (!state.home) sendToRobots("leave");
  if (recovering) return tell(`This browser waits to play as ${recovering}. Stop that recovery before you add it to a player by a link.`);
  if (noKeys) return tell(`The link adds this device to a player. ${noKeys}`);
  const fill = async () => {
    await people.send(`devicecode ${found}`);
    element("add-take")?.focus();
  };
  if (!removed) return fill();
  // Anybody can make such a link: it takes nothing from this browser that its player does not give up.
  const begin = async () => {
    tell("");
    await people.send("anew");
    await fill();
  };
  tell(`The link adds this device to a player. This device was that of ${removed} and was removed. Forget its old key, and go on?`, ["Forget it", begin]);
}

/** Finds the player of this browser. Without a network the robots are there all the same. A player who came for people is told. */
async function findPlayer() {
  if (isPlayerAsked) return;
  isPlayerAsked = true;
  try {
    const [{ Player }] = await Promise.all([import("./player.js"), loadPeople()]);
    const hasName = await new Player(() => engine.words(), takePeople, shared).load();
    if (isLackTold) tell("");
    isLackTold = false;
    const { noKeys, lost, recovering } = people?.state.account ?? {};
    if ((hasName || invitation || lost || recovering) && !isUnderWay() && !state.home) sendToRobots("leave");
    if (lost && !state.home) tell(keyFiles.lost, ["See what helps", () => sendToRobots("leave")]);
    await offerAddition();
    goToTold();
    if (invitation && !hasName) noKeys ? tell(`You are invited to a match. ${noKeys}`) : note("invited");
  } catch {
    isPlayerAsked = false;
    if (isLackTold || !(invitation || shared || deviceCode || told || hasPlayer())) return;
    isLackTold = true;
    const { text, label } = notes.lacks;
    const again = async () => {
      await loadAnew();
      location.reload();
    };
    tell(invitation ? `You are invited to a match. ${text}` : text, [label, again]);
  }
}

let [isKeyAsked, isTroubleTold] = [false, false];

/** A page does not see whether the browser has kept the key's file. A second click at the same place confirms nothing. */
function askWhetherSaved() {
  const confirm = () => {
    people.send("hasfile");
    tellWithWords("");
  };
  tell(keyFiles.given, ["Save it again", () => people.send("keyfile")], ["Yes, I have it", confirm]);
}

/** Tells something about the key's file, and offers recovery words to a player who is known to have none. */
function tellWithWords(text, ...acts) {
  const { lacksWords, countsAtOnce } = people.state.account;
  if (!lacksWords) return tell(text, ...acts);
  const offer = countsAtOnce ? `${keyFiles.words} ${keyFiles.wordsAtOnce}` : keyFiles.words;
  tell([text, offer].filter(Boolean).join(" "), ...acts, ["Recovery words", () => people.send("keys")]);
}

function saveKeyFile() {
  people.send("keyfile");
  askWhetherSaved();
}

/** What stands there about the file gets the offer of words, or loses it. */
function offerWords() {
  const text = element("note").hidden ? "" : element("note-text").textContent;
  if (text.startsWith(keyFiles.offered)) tellWithWords(keyFiles.offered, ["Save the key file", saveKeyFile]);
  else if (text.startsWith(keyFiles.missed)) tellWithWords(keyFiles.missed);
  else if (text.startsWith(keyFiles.words)) tellWithWords("");
}

/** Asks once more for the key's file, when there is a match to lose; or says once that it cannot be saved any more. */
function askForKey({ keyFile }) {
  isKeyAsked = true;
  // The answer brings the offer of words.
  if (!isFixed) people.send("askwords");
  if (keyFile === "offered") tellWithWords(keyFiles.offered, ["Save the key file", saveKeyFile]);
  else if (keyFile === "given") askWhetherSaved();
  else if (isFixed || !isMissedTold()) {
    if (!isFixed) rememberMissedTold();
    tellWithWords(keyFiles.missed);
  }
}

/** A player with a name is led to the match of the invitation. */
function follow({ account }) {
  if (!invitation || !account.name) return;
  const code = invitation;
  invitation = null;
  tell("");
  history.replaceState(null, "", "/");
  people.send("menu new");
  people.send(`fill join ${code}`);
}

/** Takes a state of the player at a service, and draws it. `send` takes actions. */
function takePeople(next, send) {
  const [before, wasWithPeople, lackedWords] = [shown(), isWithPeople(), people?.state.account.lacksWords];
  people = { state: next, send };
  follow(next);
  if (next.account.trouble?.isFinal && !isTroubleTold) {
    isTroubleTold = true;
    tell(next.account.trouble.message);
  }
  if (next.account.name && next.account.keyFile && next.match && !isKeyAsked) askForKey(next.account);
  else if (isKeyAsked && next.account.lacksWords !== lackedWords) offerWords();
  // A player who comes back from a match of people comes to the list.
  if (wasWithPeople && !isWithPeople() && !state.home) sendToRobots("leave");
  else show();
  if (placeOf(before) !== placeOf(shown())) focus();
}

function take(next) {
  const [before, { kept }] = [shown(), state];
  state = next;
  for (const { act, after } of isFixed ? [] : state.timers) {
    clearTimeout(timers.get(act));
    timers.set(act, setTimeout(() => sendToRobots(act), after));
  }
  if (!isFixed && !endTrailer) {
    if (state.kept !== kept) keepSteps(state.kept);
    keep(engine.kept());
    if (state.home) findPlayer();
  }
  show();
  if (placeOf(before) !== placeOf(shown())) focus();
}

/** The focus goes on for a player who uses keys. */
function focus() {
  if (hands.usesKeys) goOn();
}

/** Takes the focus to the place where the player goes on. A telephone's keyboard stays away. */
function goOn() {
  const places = { list: ["entries", "rows"].map((id) => element(id).querySelector("button")), menu: [element("menu-title")] };
  const found = (places[placeOf(shown())] ?? (hands.usesKeys ? [element("type")] : [])).find((part) => part?.checkVisibility());
  if (found) return found.focus();
  const panel = element("panel");
  panel.tabIndex = -1;
  // Else a click beside its buttons would take the focus there, too.
  panel.addEventListener("blur", () => panel.removeAttribute("tabindex"), { once: true });
  panel.focus();
}

function show() {
  draw(shown(), send);
  if (people) drawService(people.state, people.send);
  const { match } = shown();
  if (!match) return;
  element("cube").hidden = false;
  cube.show(match);
}

/** Shows a sentence beside the game, and perhaps one button or two, each a label and the function that it calls. */
function tell(text, ...acts) {
  // A browser may take the focus from a button as soon as it is hidden.
  const last = document.activeElement;
  element("note").hidden = !text;
  element("note-text").textContent = text;
  for (const [index, id] of ["note-act", "note-other"].entries()) {
    const [label, act] = acts[index] ?? [];
    element(id).hidden = !label;
    element(id).textContent = label ?? "";
    element(id).onclick = act;
  }
  // The button that had the focus may be gone, or the whole note with it.
  if (!element("note").contains(last) || last.checkVisibility()) return;
  if (text) element(element("note-act").hidden ? "note-close" : "note-act").focus();
  else goOn();
}

/** The page leaves room for the note, which covers nothing that cannot be scrolled above it. */
new ResizeObserver(([{ target }]) => {
  const height = target.offsetHeight;
  document.documentElement.style.setProperty("--note", height ? `${height + 16}px` : "0px");
}).observe(element("note"));

const note = (name, act) => tell(notes[name].text, [notes[name].label, act]);

/** Begins a state of the gallery, whatever was shown before. */
function beginFixed(kept) {
  people = null;
  [isKeyAsked, isTroubleTold] = [false, false];
  for (const id of ["people", "home", "files"]) element(id).hidden = true;
  tell("");
  take(engine.start(1n, kept));
}

function fail() {
  element("status").textContent = globalThis.WebAssembly ? notes.broken.text : notes.noModules.text;
}

/** Whether what the browser has kept of the page is thrown away, once: a file of it may be spoilt. */
async function loadAnew() {
  try {
    if (!build || !navigator.onLine || sessionStorage.getItem("cubist.anew") || (await caches.keys()).length === 0) return false;
    sessionStorage.setItem("cubist.anew", "yes");
    for (const name of await caches.keys()) await caches.delete(name);
    return true;
  } catch {
    return false;
  }
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
  note(kept.from === build ? "unread" : "lost");
}

/** Shows the recorded game in place of the player's own, which comes back at the first tap or key, or at the end. */
async function watch() {
  const trailer = await import("./trailer.js").catch(() => null);
  if (!trailer) return tell("The match could not be loaded. Try again.");
  const ending = new AbortController();
  for (const timer of timers.values()) clearTimeout(timer);
  endTrailer = () => {
    ending.abort();
    location.reload();
  };
  addEventListener("keydown", endTrailer);
  take(engine.start(1n, "done"));
  await trailer.play({ send: sendToRobots, read: () => state, turn: (...angles) => cube.turn(...angles, true), tell, signal: ending.signal });
  if (!ending.signal.aborted) note("watched", endTrailer);
}

for (const [id, action] of Object.entries({
  back: "back", clear: "clear", play: "submit", replay: "replay", now: "turn 0", earlier: "look 1", later: "look -1", rematch: "rematch", other: "leave", values: "values",
  yes: "yes", no: "no", "step-next": "submit", "step-leave": "leave", "steps-button": "steps", "welcome-button": "steps", "list-button": "leave", "named-button": "leave", "help-button": "help",
})) {
  element(id).addEventListener("click", () => send(action));
}
element("help").addEventListener("close", () => send("close"));
element("scrubber").addEventListener("input", (event) => {
  const number = Number(event.target.value);
  send(`turn ${number > shown().match.lines.length ? 0 : number}`);
});
// Until the game is there the field keeps its text; then it shows the letters that are chosen.
element("type").addEventListener("input", (event) => send(`type ${event.target.value}`));

element("note-close").addEventListener("click", () => (endTrailer ? endTrailer() : tell("")));
element("trailer-button").addEventListener("click", () => engine && watch());

const hands = new Hands(element("stage"), cube, send);
// A game that is kept has another cube than the first one.
if (isUnderWay()) element("cube").hidden = true;
else show();
try {
  const asked = !build && new URLSearchParams(location.search).get("state");
  // Fixed states for pictures and tests; nobody else loads them.
  const gallery = asked && (await import("./gallery.js"));
  isFixed = Boolean(gallery && gallery.states[asked]);
  const [loaded, kept] = await Promise.all([load("cubist.wasm"), isFixed ? null : open().catch(() => null)]);
  engine = loaded;
  if (isFixed) {
    await gallery.begin(asked, { begin: beginFixed, cube, fail, loadPeople, note, send, takePeople, tell });
  } else {
    begin(kept);
    const isUnsaved = () => ["offered", "given"].includes(people?.state.account.keyFile);
    update(note, () => isWithPeople() || isUnsaved(), () => isUnsaved() && Boolean(people.state.account.name));
    if (invitation || shared || deviceCode || told || hasPlayer()) await findPlayer();
  }
  waiting = [];
  document.body.dataset.ready = "yes";
} catch (error) {
  if (await loadAnew()) location.reload();
  fail();
  throw error;
}

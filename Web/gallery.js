// States of the page, each by the actions that lead to it, for pictures and tests: index.html?state=NAME.

import { atPlainAddress } from "./keys.js";
import { captions, removals, words } from "./trailer.js";

const spell = (word) => [...word].map((letter) => `letter ${letter}`);
/** A turn, and the robot's answer; nothing moves any more. */
const turn = (actions) => [...actions, "submit", "clear", "robot 1", "clear"];
const opening = (count) => words.slice(0, count).flatMap((word) => turn(spell(word)));
const whole = [...opening(words.length), ...removals.flatMap((pair) => turn(pair.map((cube) => `mark ${cube}`)))];

/** A game alone: from the nearest cube to the farthest, none is covered by the rest. */
const alone = (count) => ["leave", "row 4", ...Array.from({ length: count }, (_, index) => [`mark ${26 - index}`, "submit", "clear"]).flat()];

const lesson = [
  ["submit"], spell("G"), spell("A"), spell("ME"), ["submit"], ["submit"], ["look 1"], ["clear"],
  [...spell("CUBES"), "submit"], spell("BAC"), ["back"], ["clear"], spell("GAME"), ["clear"], spell("TIN"), ["way 2"], ["submit"],
  spell("GAMES"), ["submit"], ["mark 26"], ["mark 17"], ["submit"],
];
const steps = (count) => ["steps", ...lesson.slice(0, count).flat()];

const noForm = { noKeys: "", keyFile: "" };
const ada = { ...noForm, name: "ada" };
const tested = { heard: 1, devices: ["watch", "phone"], browsers: [], news: ["Something last arrived 3 h ago. Its push service said 3 h ago: taken", ""], test: { stage: "done" } };
const consequences = [
  "All your devices are told as soon as you confirm. Each of them can keep the account for 72 hours. The wait is longer while a recovery is under way, or after a device was added.",
  "Then your name, keys, settings, devices, invitations of devices, recovery words and blocks are gone for ever. You leave all boards.",
  "Your games, results and ratings stay, and their records can still be verified. They stand under an id that names nobody: other players see “gone”.",
  "Matches that still run end then, as if you gave them up. Nobody can take your name for 90 days.",
];
const form = { name: "", code: "", needsCode: false, isSending: false };
const otherService = "This is another service than the one that your key was made for, or someone pretends to be it. Ask who runs it.";
/** At the list, with a state of a player's that people-states.json has. */
const people = (name, account = ada) => ({ actions: ["leave"], people: name, account });

/** Actions that a state of a player was sent, for tests. */
export const sent = [];

let page = null;
/** The states of a player with a name. */
let all = null;

/** Shows a state in a page that gives its functions. */
export async function begin(name, functions) {
  page = functions;
  all ??= await (await fetch("people-states.json")).json();
  await show(name);
}

/** Shows another state in place of the present one, and waits until it is drawn. */
export async function show(name) {
  const state = states[name];
  if (state.people) await page.loadPeople();
  document.activeElement.blur();
  page.begin(state.kept ?? "done");
  // A dialog says that it is closed a moment later.
  await drawn();
  page.cube.straighten();
  for (const action of state.actions) page.send(action);
  if (state.turn) page.cube.turn(...state.turn);
  if (state.people) withPermission(state.permission, () => page.takePeople({ ...all[state.people], ...state.besides, account: state.account }, (action) => sent.push(action)));
  if (state.link) await drawLink(state.link);
  if (state.note) page.note(state.note);
  if (state.told) page.tell(state.told);
  if (state.fails) page.fail();
  sent.length = 0;
  await drawn();
  for (const part of document.querySelectorAll("html, #panel, dialog, .scroll")) part.scrollTo(0, 0);
}

/** Draws the QR code of a link in the place of that of the server, which has another port each time. */
async function drawLink(link) {
  const [{ drawPicture }, { draw }] = await Promise.all([import("./devices.js"), import("./qrcode.js")]);
  drawPicture(document.getElementById("let-in-picture"), draw(link));
}

const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Acts while the player wants to be notified here, and the browser has some permission. */
function withPermission(permission, act) {
  if (!permission) return act();
  const names = { Notification: permission === "none" ? undefined : { permission }, localStorage: { getItem: () => "on" } };
  const before = Object.keys(names).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, value] of Object.entries(names)) Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    act();
  } finally {
    for (const [name, property] of before) Object.defineProperty(globalThis, name, property);
  }
}

/** Each state with its title. Without `kept` the first steps are done. */
export const states = {
  welcome: { title: "First visit", kept: "unseen", actions: [] },
  first: { title: "Before the first turn", actions: [] },
  short: { title: "Too short so far", actions: spell("PL") },
  word: { title: "A word", actions: spell("PLANET") },
  nonsense: { title: "Not a word", actions: spell("NAL") },
  missed: { title: "Letters without a path", actions: spell("PLANEX") },
  ways: { title: "Several ways", actions: [...opening(3), ...spell("DAMSON")] },
  thinking: { title: "The robot thinks", actions: [...spell("PLANET"), "submit"] },
  answered: { title: "The robot has played", actions: opening(1) },
  spelling: { title: "The robot's word is shown", actions: [...opening(1).slice(0, -1), "tick 1"] },
  leaving: { title: "A cube will vanish", actions: [...opening(1), ...spell("RAPTLY")] },
  middle: { title: "In the middle of a match", actions: opening(8) },
  marked: { title: "A cube taken away, and a word", actions: [...opening(8), "mark 8", ...spell("GLINT")] },
  two: { title: "Two cubes taken away", actions: [...opening(4), "mark 8", "mark 5"] },
  full: { title: "No room for more", actions: [...opening(4), "mark 8", "mark 5", "letter A"] },
  back: { title: "Looking back", actions: [...opening(8), "turn 9"] },
  values: { title: "Letter values", actions: [...opening(2), "values"] },
  turned: { title: "The cube turned", actions: opening(8), turn: [24, -12] },
  over: { title: "The end", actions: whole },
  alone: { title: "Alone, a cube taken away", actions: [...alone(2), "mark 24"] },
  aloneOver: { title: "Alone, the end", actions: alone(27) },
  list: { title: "Games", actions: [...opening(2), "leave"] },
  help: { title: "Rules and keys", actions: ["help"] },
  step1: { title: "First steps: welcome", actions: steps(0) },
  step4: { title: "First steps: a word", actions: steps(3) },
  step6: { title: "First steps: the other one", actions: steps(5) },
  step16: { title: "First steps: two ways", actions: steps(15) },
  step19: { title: "First steps: a cube will vanish", actions: steps(18) },
  step22: { title: "First steps: a cube is away", actions: steps(20) },
  step24: { title: "First steps: farewell", actions: steps(22) },
  advice: { title: "First steps: another letter", actions: [...steps(1), "letter C"] },
  failure: { title: "The game could not be loaded", kept: "unseen", actions: [], fails: true },
  note_unread: { title: "A match that could not be read", actions: [], note: "unread" },
  note_lost: { title: "A match of another build", actions: [], note: "lost" },
  note_update: { title: "A new version waits", actions: opening(2), note: "update" },
  note_otherTabs: { title: "A new version: other tabs", actions: opening(2), note: "otherTabs" },
  note_unsaved: { title: "A new version: the key has no file", actions: opening(2), note: "unsaved" },
  note_ends: { title: "A new version: matches end", actions: opening(2), note: "ends" },
  ...Object.fromEntries(Object.entries(captions).map(([number, told]) => [`trailer_${number}`, { title: `Trailer, turn ${Number(number) + 1}`, actions: opening(Number(number)), told }])),
  trailer_end: { title: "Trailer: the end", actions: whole, note: "watched" },
  people_no: { title: "People: no key at a plain address", ...people("loading", { ...noForm, noKeys: atPlainAddress("/") }) },
  people_named: { title: "People: a name is typed", ...people("loading", { ...noForm, keyFile: "offered", form: { ...form, name: "ada" } }) },
  people_name: { title: "People: no name yet", ...people("loading", { ...noForm, form }) },
  people_added: { title: "People: a code is typed", ...people("loading", { ...noForm, form, addition: { code: "K3F7", fault: "12 letters and digits", stage: "typing" } }) },
  people_adding: { title: "People: this device is added", ...people("loading", { ...noForm, form, addition: { code: "K3F79QMN2XVB", stage: "asked" } }) },
  people_addingLate: { title: "People: a code waits for the network", ...people("loading", { ...noForm, form, addition: { code: "K3F79QMN2XVB", stage: "delayed" } }) },
  people_recover: {
    title: "People: recovery words that are none",
    ...people("loading", { ...noForm, form, recovery: { name: "ad", nameFault: "3 to 16 of A-Z a-z 0-9 _ -", fault: `Word 3, "zoop", is not on the list. Look at what you wrote down, and type all words again.`, stage: "typing" } }),
  },
  people_recoverAsked: { title: "People: a name is to come back", ...people("loading", { ...noForm, form, recovery: { name: "ada", stage: "asked" } }) },
  people_recoverDoubted: { title: "People: stop another recovery?", ...people("loading", { ...noForm, form, recovery: { name: "ada", stage: "doubted", other: "ada", otherEffect: "in 2 days 3 h" } }) },
  people_recoverStopped: { title: "People: a recovery is stopped", ...people("loading", { ...noForm, form, recovery: { name: "ada", notice: "The recovery of ada is stopped. If it was not yours, somebody has your words: make others on one of your devices.", stage: "typing" } }) },
  people_recovering: { title: "People: a recovery is waited for", ...people("loading", { ...noForm, form, recovering: "ada", recovery: { name: "", stage: "typing", effect: "in 5 days 23 h", isObjected: true } }) },
  people_lost: { title: "People: the key was lost", ...people("loading", { ...noForm, form, lost: "ada" }) },
  people_removed: { title: "People: this device was removed", ...people("loading", { ...noForm, form, removed: "ada" }) },
  people_fault: {
    title: "People: a name that is taken",
    ...people("loading", { ...noForm, form: { ...form, name: "ben", nameFault: "The name \"ben\" is taken.", code: "12", codeFault: "4 to 16 of A-Z and 0-9", needsCode: true, trouble: "Nothing was registered." } }),
  },
  people_invitation: { title: "People: an invitation, and no name yet", ...people("loading", { ...noForm, form }), note: "invited" },
  people_sending: { title: "People: a name is asked for", ...people("loading", { ...noForm, form: { ...form, name: "ada", isSending: true } }) },
  people_delayed: { title: "People: a name waits for the network", ...people("loading", { ...noForm, form: { ...form, name: "ada", isSending: true, isDelayed: true } }) },
  people_otherService: { title: "People: another service", ...people("list", { ...ada, trouble: { message: otherService, isFinal: true } }) },
  people_key: { title: "People: the key can be saved", ...people("empty", { ...ada, keyFile: "offered" }) },
  people_keyGiven: { title: "People: was the key saved?", ...people("empty", { ...ada, keyFile: "given" }) },
  people_keyMissed: { title: "People: the key was not saved", ...people("empty", { ...ada, keyFile: "missed" }) },
  people_list: { title: "People: the list", ...people("list") },
  people_loading: { title: "People: the list is loaded", ...people("loading") },
  people_empty: { title: "People: nothing waits", ...people("empty") },
  people_warned: { title: "People: a recovery is under way", ...people("warned") },
  people_decline: { title: "People: decline an invitation?", ...people("decline") },
  people_declineAll: { title: "People: decline all invitations?", ...people("declineAll") },
  people_decliningAll: { title: "People: all invitations are declined", ...people("decliningAll") },
  people_withdraw: { title: "People: withdraw a match?", ...people("withdraw") },
  people_accepting: { title: "People: an invitation is accepted", ...people("accepting") },
  people_refused: { title: "People: a wish is refused", ...people("refused") },
  people_away: { title: "People: the service is away", ...people("away") },
  people_newMatch: { title: "New match", ...people("newMatch") },
  people_newFault: { title: "New match: a fault", ...people("newFault") },
  people_newAsked: { title: "New match: asked for", ...people("newAsked") },
  people_newPending: { title: "New match: no answer yet", ...people("newPending") },
  people_newDoubted: { title: "New match: invited before", ...people("newDoubted") },
  people_today: { title: "Boards: today’s challenge", ...people("today") },
  people_games: { title: "Boards: solo games", ...people("games") },
  people_dailies: { title: "Boards: dailies", ...people("dailies") },
  people_ladder: { title: "Boards: ladder", ...people("ladder") },
  people_review: { title: "Boards: seven days", ...people("review") },
  people_boardFailed: { title: "Boards: the service is away", ...people("boardFailed") },
  people_inbox: { title: "Notifications", ...people("inbox") },
  people_inboxEmpty: { title: "Notifications: none", ...people("inboxEmpty") },
  people_past: { title: "Past games", ...people("past") },
  people_pastMore: { title: "Past games: older ones are asked for", ...people("pastMore") },
  people_pastEmpty: { title: "Past games: none", ...people("pastEmpty") },
  people_pastFailed: { title: "Past games: the service is away", ...people("pastFailed") },
  people_pastFiltered: { title: "Past games: of a kind, with a result", ...people("pastFiltered") },
  people_pastNoneSuch: { title: "Past games: none of those that are wanted", ...people("pastNoneSuch") },
  people_pastVerified: { title: "Past games: a record that verifies", ...people("pastVerified") },
  people_pastTampered: { title: "Past games: a changed record", ...people("pastTampered") },
  people_pastRefused: { title: "Past games: a file that is no record", ...people("pastRefused") },
  people_player: { title: "Another player", ...people("player") },
  people_playerDoubted: { title: "Block a player?", ...people("playerDoubted") },
  people_playerBlocked: { title: "A blocked player", ...people("playerBlocked") },
  people_report: { title: "Report a player", ...people("report") },
  people_reportDoubted: { title: "Send a report?", ...people("reportDoubted") },
  people_playerFailed: { title: "No such player", ...people("playerFailed") },
  people_settings: { title: "Settings", ...people("settings") },
  people_settingsLoading: { title: "Settings: they are loaded", ...people("settingsLoading") },
  people_settingsFailed: { title: "Settings: the service is away", ...people("settingsFailed") },
  people_granted: { title: "Settings: notifications are allowed", ...people("settings"), permission: "granted" },
  people_denied: { title: "Settings: notifications are forbidden", ...people("settings"), permission: "denied" },
  people_unasked: { title: "Settings: notifications not yet allowed", ...people("settings"), permission: "default" },
  people_unable: { title: "Settings: a browser without notifications", ...people("settings"), permission: "none" },
  people_tested: { title: "Settings: a test is on its way", ...people("settings", { ...ada, push: tested }) },
  people_settingsFault: { title: "Settings: a fault", ...people("settingsFault") },
  people_settingsDoubted: { title: "Settings: unsaved changes", ...people("settingsDoubted") },
  people_endDoubted: { title: "Settings: end the account?", ...people("settings", { ...ada, departure: { stage: "doubted", consequences } }) },
  people_ending: { title: "Settings: the account ends", ...people("settings", { ...ada, departure: { leavesAt: "1777896000000", export: "saved" } }) },
  people_endRefused: { title: "Settings: the account stays", ...people("settings", { ...ada, departure: { stage: "refused", text: "Too much at once. Wait a minute.", export: "failed", exportText: "The service cannot be reached." } }) },
  people_keys: { title: "Devices", ...people("keys") },
  people_keysCode: { title: "Devices: a code for one more", ...people("keysCode"), link: "https://cubist.example/#add=K3F7-9QMN-2XVB" },
  people_keysDoubted: { title: "Devices: remove one?", ...people("keysDoubted") },
  people_keysOnly: { title: "Devices: the only one", ...people("keysOnly") },
  people_keysWords: { title: "Devices: new recovery words", ...people("keysWords") },
  people_keysTyping: { title: "Devices: recovery words are asked for", ...people("keysTyping") },
  people_keysRecovery: { title: "Devices: a recovery is under way", ...people("keysRecovery") },
  people_keysObject: { title: "Devices: object to a recovery?", ...people("keysObject") },
  people_mine: { title: "A match with people", ...people("mine") },
  people_hurry: { title: "Their last minute", ...people("hurry") },
  people_remind: { title: "The other player can be reminded", ...people("hurry"), besides: { nudge: { from: "0" } } },
  people_reminded: { title: "The other player is reminded", ...people("hurry"), besides: { nudge: { sent: { stage: "done" } } } },
  people_reminderRefused: { title: "The other player takes no reminders", ...people("hurry"), besides: { nudge: { from: "0", sent: { stage: "refused", text: "Player ben takes no reminders from opponents. Wait for the turn." } } } },
  people_invited: { title: "A match waits for an opponent", ...people("invited") },
  people_reacting: { title: "A word to answer with", ...people("reacting") },
  people_reactionRefused: { title: "An answer that was not taken", ...people("reactionRefused") },
  people_alone: { title: "A game alone", ...people("alone") },
  people_dailyOver: { title: "A daily that is over", ...people("dailyOver") },
  people_givingUp: { title: "Give up?", ...people("givingUp") },
  people_sentWaits: { title: "A turn waits for the network", ...people("sentWaits") },
  people_won: { title: "Won, with a rating", ...people("won") },
  people_verified: { title: "A match that was checked", ...people("verified") },
  people_unchecked: { title: "A browser that checks no signatures", ...people("unchecked") },
  people_fetching: { title: "The record is fetched", ...people("fetching") },
  people_shared: { title: "A shared game, a rematch offered", ...people("shared") },
  people_keyAsked: { title: "A match, and a key that is not saved", ...people("mine", { ...ada, keyFile: "offered" }) },
  people_keyWords: { title: "A match, a key that is not saved, and no words", ...people("mine", { ...ada, keyFile: "offered", lacksWords: true, countsAtOnce: true }) },
  people_keyDoubted: { title: "A match, and a key that was saved, perhaps", ...people("mine", { ...ada, keyFile: "given" }) },
  people_keyTold: { title: "A match, and a key that was not saved", ...people("mine", { ...ada, keyFile: "missed" }) },
  people_rematchAsked: { title: "A rematch is asked for", ...people("rematchAsked") },
  people_rematchWaits: { title: "A rematch waits for the other player", ...people("rematchWaits") },
  people_rematchBegan: { title: "There is a rematch", ...people("rematchBegan") },
  people_rematchFailed: { title: "A rematch that could not be started", ...people("rematchFailed") },
  people_watched: { title: "The game of another player", ...people("watched") },
  people_absent: { title: "No such match", ...people("absent") },
};

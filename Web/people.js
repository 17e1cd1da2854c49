// Draws a player at the service: the form for a name, the list, and all beside a cube.

import { additionParts, drawAddition, drawRecovery, recoveryParts } from "./devices.js";
import { clearMenu, drawMenu } from "./menus.js";
import { watch } from "./notices.js";
import { make, write } from "./panel.js";
import { button, drawField, drawLink, drawQuestion, duration, element, field, invitation, put, shared, sync } from "./parts.js";
import { drawRecord, fileBox, matchRecord } from "./records.js";
import { join, named, safe, timedQuestion } from "./words.js";

// Nothing is drawn without its looks.
await new Promise((resolve) => {
  document.head.append(make("link", { rel: "stylesheet", href: "people.css", onload: resolve, onerror: resolve }));
});

/** The number that operators need, beside whatever is shown. */
const number = make("p", { id: "number", className: "told" });

/** Draws a state at the service. `send` takes its actions. */
export function drawService(state, send) {
  element("people").hidden = false;
  if (state.account) drawAccount(state.account, send);
  drawFile(state, send);
  drawPeople(state, send);
  if (state.menu || state.absent) drawMenu(state, send);
  else clearMenu();
  if (state.extra) drawExtra(state.match, state, send);
  const place = element(state.menu || state.absent ? "menu" : state.extra ? "extra" : "people");
  if (number.parentElement !== place) place.append(number);
  put(number, state.account?.help ?? "");
  watch(state, send);
}

// MARK: The name

/**
 * Draws the form for a name, or the name. The actions are `name TEXT`, `code TEXT`, `register`, `keyfile` and `hasfile`.
 */
export function drawAccount({ noKeys, name, form, keyFile, addition, removed, recovery, recovering, lost }, send) {
  const account = element("account");
  const isNobody = !noKeys && !name && !removed;
  const isNew = isNobody && !recovering;
  if (!account.firstChild) account.append(...accountParts(send));
  account.hidden = false;
  drawAddition({ addition, removed }, isNew);
  drawRecovery({ recovery, recovering, lost }, isNobody, send);
  element("account-no").hidden = !noKeys || Boolean(name);
  put(element("account-no"), noKeys ?? "");
  element("account-form").hidden = !isNew;
  element("account-name-line").hidden = !name;
  put(element("account-is"), name ?? "");
  // It is of no use to somebody who only looks at what others have played.
  element("account-key").hidden = !keyFile || !(name || form?.name);
  put(element("account-key-text"), keyFile ? keyFiles[keyFile] : "");
  element("account-has").hidden = keyFile === "offered";
  element("account-save").hidden = keyFile === "missed";
  put(element("account-save"), keyFile === "given" ? "Save it again" : "Save the key file");
  if (!isNew || !form) return;
  drawField("account-name", { text: form.name, fault: form.nameFault ?? "" });
  element("account-code").parentElement.hidden = !form.needsCode;
  drawField("account-code", { text: form.code, fault: form.codeFault ?? "" });
  element("account-take").ariaDisabled = String(form.isSending);
  put(element("account-told"), form.isSending ? asking(form) : (form.trouble ?? ""));
}

const asking = ({ isDelayed }) => (isDelayed ? "Your name waits for the network. It is asked for once." : "Asking for the name.");

/** The sentences about the file of the key, in the list and beside the first match. */
export const keyFiles = {
  offered:
    "Save the key of your name as a file now. It is in this browser only, and cannot be saved any more once this page is closed or loaded again.",
  given: "Do you have the file of your key? Its name is cubist-key.txt. This page cannot see whether your browser has saved it.",
  missed:
    "You have not said that you have the key of your name as a file. Only the page that made it can save it, until it is closed or loaded again. " +
    "Without the file do not delete the data of this browser: your name and matches would be lost for good.",
  lost: "The key of your name is gone from this browser: its data was deleted.",
  words: "Twelve recovery words bring your name back when all your devices are lost.",
  wordsAtOnce: "They count at once if you make them within an hour after you took your name.",
};

function accountParts(send) {
  const register = () => {
    send("register");
    element("account-form").querySelector("[aria-invalid]")?.focus();
  };
  const form = make(
    "form",
    { id: "account-form", noValidate: true },
    make("p", { textContent: "Take a name to play with people. It is all that the others learn about you." }),
    make("p", {
      id: "account-warning",
      textContent:
        "A key is made for it, and kept in this browser only. If the browser’s data is deleted and you have no file of the key, " +
        "name and matches are lost for good.",
    }),
    field("account-name", "Your name", (text) => send(`name ${text}`), register, { autocomplete: "username", autocapitalize: "off" }),
    field("account-code", "The code that you were given", (text) => send(`code ${text}`), register, { autocapitalize: "characters" }),
    make("p", { className: "row" }, make("button", { id: "account-take", className: "main", textContent: "Take this name" })),
    make("p", { id: "account-told", className: "told", role: "status" }),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    register();
  };
  const [lost, ...recovery] = recoveryParts(send);
  return [
    make("p", { id: "account-no" }),
    lost,
    form,
    ...additionParts(send),
    ...recovery,
    make("p", { id: "account-name-line" }, "You are ", make("b", { id: "account-is", className: "name", dir: "auto" }), "."),
    make(
      "p",
      { id: "account-key", className: "row" },
      make("span", { id: "account-key-text", role: "status" }),
      button("Save the key file", () => send("keyfile"), { id: "account-save" }),
      button("Yes, I have it", () => confirmFile(send), { id: "account-has" }),
    ),
  ];
}

/** The focus goes on, since the question goes away. */
function confirmFile(send) {
  send("hasfile");
  element(element("home").hidden ? "account-name" : "new-button").focus();
}

// MARK: A file

/** Draws the check of a file for everybody without a name. A player with one has it in the list of past games. */
function drawFile({ account, record }, send) {
  const files = element("files");
  files.hidden = Boolean(account?.name);
  if (files.hidden) return;
  if (!element("list-record")) files.append(fileBox("list", send));
  drawRecord("list", record);
}

// MARK: The list

const kinds = {
  yourTurn: () => "your turn",
  theirTurn: () => "their turn",
  waiting: ({ code }) => (code ? "waits for anyone with the link" : "waits for somebody"),
  invitation: () => "invites you",
  rematchOffer: () => "offers a rematch",
  ownOffer: () => "has your offer of a rematch",
  daily: () => "can be begun",
  timedDaily: () => "can be begun: 180 seconds",
};

/** The words of the buttons of rows that are not simply opened: `yes` does it. */
const offers = {
  invitation: { yes: "Accept", of: (name) => `the invitation of ${name}` },
  rematchOffer: { yes: "Agree", of: (name) => `to a rematch with ${name}` },
  daily: { yes: "Begin", of: (name) => name },
  timedDaily: { yes: "Begin", of: (name) => `${name}: 180 seconds` },
};

const wishes = {
  accept: "Accepting the invitation.",
  decline: "Declining the invitation.",
  declineAll: "Declining the invitations.",
  rematch: "Agreeing to the rematch.",
  declineRematch: "Declining the rematch.",
  withdraw: "Withdrawing the match.",
  daily: "Beginning the challenge.",
  timedDaily: "Beginning the challenge.",
};

const doubts = {
  accept: (name) => `The list has changed. Accept the invitation of ${name}?`,
  decline: (name) => `Decline the invitation of ${name}?`,
  declineAll: (name, count) => `Decline all ${count} invitations?`,
  rematch: (name) => `The list has changed. Agree to a rematch with ${name}?`,
  declineRematch: (name) => `Decline the rematch with ${name}?`,
  withdraw: () => "Withdraw this match?",
  daily: () => "The list has changed. Begin the challenge?",
  timedDaily: () => timedQuestion,
};

/** What becomes of the account unless the player stops it, and the way there. */
function drawWarning({ warning = "", warningAct }, send) {
  const place = element("home-warning");
  const [text, way] = [place.querySelector("span"), place.querySelector("button")];
  place.hidden = !warning;
  put(text, warning);
  put(way, warningAct === "keys" ? "Your devices" : "Settings");
  way.onclick = () => send(warningAct);
}

/** Draws the list of everything that waits for the player. */
export function drawPeople({ people, account, connection }, send) {
  const hasName = Boolean(account?.removed ? "" : account?.name ?? people?.name);
  element("home").hidden = !people || !hasName;
  if (!people) return;
  const question = people.doubt ? doubts[people.doubt](named(people.doubtName), people.doubtCount) : "";
  const told = join(toldOf(people, connection), account?.unanswered);
  const empty = people.rows.length > 0 ? "" : people.isLoaded ? "Nothing waits for you." : "Loading.";
  drawQuestion(element("home-doubt"), question, () => send("yes"), () => send("no"));
  put(element("home-told"), told);
  drawWarning(people, send);
  put(element("home-empty"), empty);
  put(element("home-more"), people.more);
  sync(element("entries"), people.rows, {
    key: ({ key, kind, code, canWithdraw, isPlayer }) => [kind, key, code, canWithdraw, isPlayer].join(" "),
    make: makeEntry,
    draw: (entry, row, index) => drawEntry(entry, row, index, people.isAsking, send),
    instead: "new-button",
  });
  drawMany(people, send);
  for (const name of ["new", "boards", "games", "inbox", "settings"]) element(`${name}-button`).onclick = () => send(`menu ${name}`);
  const isInSight = document.body.dataset.place === "list";
  if (isInSight && hasName) write("say", join("Games.", waiting(people.rows), question || told || empty));
}

/** The button for all invitations, where there are several. */
function drawMany({ invitations, isAsking }, send) {
  const all = element("decline-all");
  if (!invitations && document.activeElement === all) element("new-button").focus();
  element("many").hidden = !invitations;
  put(all, invitations ? `Decline all ${invitations} invitations` : "");
  all.ariaDisabled = String(isAsking);
  all.onclick = () => send("declineall");
}

function toldOf({ wish, notice, trouble }, connection) {
  if (wish) return wishes[wish];
  if (notice || trouble) return notice || trouble;
  return connection === "lost" ? "The service cannot be reached. It is tried again and again." : "";
}

/** How much waits for the player, for a screen reader. */
function waiting(rows) {
  const count = (...names) => rows.filter(({ kind }) => names.includes(kind)).length;
  const [turns, asked] = [count("yourTurn"), count("invitation", "rematchOffer")];
  return join(turns > 0 && `It is your turn in ${turns === 1 ? "1 match" : `${turns} matches`}.`, asked > 0 && `${asked === 1 ? "1 player asks" : `${asked} players ask`} you.`);
}

function makeEntry({ kind, code, canWithdraw, isPlayer }) {
  const text = [make("b", { className: "name", dir: "auto" }), make("span", { className: "points" }), make("span", { className: "kind" }), make("span", { className: "time" })];
  const isOffer = kind in offers;
  const entry = make("li", { className: `entry ${kind}` }, make(isOffer ? "p" : "button", isOffer ? { className: "head" } : { type: "button", className: "head" }, ...text));
  const acts = make("p", { className: "row acts" });
  if (isOffer) acts.append(button(offers[kind].yes, null, { className: "main" }));
  if (kind === "invitation" || kind === "rematchOffer") acts.append(button("Decline", null, { className: "decline" }));
  if (canWithdraw) acts.append(button("Withdraw", null, { className: "withdraw" }));
  if (isPlayer) acts.append(button("About the player", null, { className: "plain about" }));
  if (code) entry.append(make("p", { className: "row link" }, make("span", { className: "unseen" }), make("input", { type: "text", readOnly: true, ariaLabel: "Link of the invitation" }), button("Copy"), button("Send")));
  if (acts.firstChild) entry.append(acts);
  return entry;
}

function drawEntry(entry, row, index, isAsking, send) {
  const { kind, points, seconds, code } = row;
  const name = named(row.name);
  const [nameText, pointsText, kindText, timeText] = entry.querySelector(".head").children;
  put(nameText, row.name);
  put(pointsText, points.join(" : "));
  put(kindText, kinds[kind](row));
  put(timeText, seconds === undefined ? "" : seconds > 0 ? `${duration(seconds)} left` : "time is up");
  const offer = offers[kind];
  const act = (selector, label, action) => {
    const part = entry.querySelector(selector);
    if (!part) return;
    if (label) part.ariaLabel = label;
    part.ariaDisabled = String(isAsking);
    part.onclick = () => send(`${action} ${index}`);
  };
  if (offer) act(".main", `${offer.yes} ${offer.of(name)}`, "row");
  else entry.querySelector(".head").onclick = () => send(`row ${index}`);
  act(".decline", `Decline ${kind === "invitation" ? offer?.of(name) : `a rematch with ${name}`}`, "decline");
  act(".about", `About ${name}`, "player");
  act(".withdraw", `Withdraw the match: ${name}`, "withdraw");
  if (code) drawLink(entry.querySelector(".link"), "Link", invitation(code));
}

// MARK: A match

/** The time for a turn: by the second in its last hour. */
function clock(seconds) {
  if (seconds >= 3600) return duration(seconds);
  const rest = Math.abs(seconds);
  return `${seconds < 0 ? "+" : ""}${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}`;
}

/** Draws what a match of people has beside its cube. */
export function drawExtra(match, { extra, record, connection, nudge }, send) {
  const { seconds, othersWaiting, givingUp } = extra;
  const time = element("clock");
  time.hidden = seconds === undefined;
  time.classList.toggle("short", seconds < 60);
  put(time, seconds === undefined ? "" : clock(seconds));
  element("connection").hidden = connection !== "lost";
  put(element("extra-text"), extraText(match, extra, nudge));

  const link = extra.invitation ? invitation(extra.invitation) : extra.code && shared(extra.code);
  element("link").hidden = !link;
  if (link) drawLink(element("link"), extra.invitation ? "Invite somebody:" : "Link of the shared game:", link);

  const { dailyResult } = extra;
  if (dailyResult && !element("result")) element("link").after(resultParts());
  if (element("result")) element("result").hidden = !dailyResult;
  if (dailyResult) drawLink(element("result"), "Your result, without a word of it:", dailyResult);

  const ask = () => drawQuestion(element("giving"), givingUp === "asked" ? givingUpQuestion(match, extra) : "", () => send("yes"), () => send("no"));
  // The focus goes from the button to the question, and back.
  if (givingUp === "asked") ask();
  element("next").classList.toggle("main", match.stage !== "mine");
  drawButton("next", othersWaiting > 0, "next", send, `Your turn in ${othersWaiting} other ${othersWaiting === 1 ? "match" : "matches"}`);
  drawButton("about", extra.isPlayer, "player", send, `About ${named(match.opponent)}`);
  const { canReact, possibleReaction } = extra;
  drawButton("answer", canReact, possibleReaction ? "react" : "look 1", send, possibleReaction ? `Answer with ${possibleReaction}` : "Answer with a word");
  const mayRemind = nudge?.from !== undefined && Date.now() >= Number(nudge.from);
  drawButton("nudge", mayRemind, "nudge", send, `Remind ${named(match.opponent)}`);
  drawButton("share", extra.canShare, "share", send);
  drawButton("give-up", extra.canGiveUp, "giveup", send, extra.isAlone ? "End the game" : "Give up");
  if (givingUp !== "asked") ask();
  if (!element("match-record")) element("extra").append(matchRecord(send));
  element("match-record").hidden = match.stage !== "over";
  drawRecord("match", record);
}

/** The place for a result that is pasted into a chat. */
const resultParts = () =>
  make(
    "p",
    { id: "result", className: "row question" },
    make("label", { htmlFor: "result-text" }),
    make("textarea", { id: "result-text", readOnly: true, rows: 3 }),
    button("Copy", null, { ariaLabel: "Copy the result" }),
    button("Send", null, { ariaLabel: "Send the result" }),
  );

function drawButton(id, isShown, action, send, text) {
  element(id).hidden = !isShown;
  element(id).onclick = () => send(action);
  if (text) put(element(id), text);
}

const losses = { no: "", possible: "This may count as a loss.", certain: "You lose." };

function givingUpQuestion({ opponent }, { isAlone, isWaiting, loss }) {
  if (isAlone) return "End the game as it stands?";
  if (isWaiting) return "Take your request back?";
  return join(opponent ? `Give up against ${named(opponent)}?` : "Give the match up?", losses[loss]);
}

const strength = ({ points, isReliable }) => `${points}${isReliable ? "" : "?"}`;

const ratings = {
  before: () => "",
  awaited: () => "Your rating is computed.",
  changed: ({ before, after }) => `Your rating: ${strength(before)} → ${strength(after)}.`,
  now: ({ after }) => `Your rating: ${strength(after)}.`,
};

/** How far a reminder of the opponent has come. */
const reminders = {
  asked: (name) => `Reminding ${name}.`,
  delayed: (name) => `Your reminder of ${name} waits for the network.`,
  done: (name) => `${name} is reminded of the turn.`,
  refused: (name, { text }) => `${name} was not reminded. ${safe(text)}`,
};

/** Sentences about the match, beside turns and points. */
function extraText(match, extra, nudge) {
  const opponent = match.opponent ? named(match.opponent) : "";
  const texts = [];
  if (extra.isWaiting) texts.push(opponent ? `${opponent} has not accepted yet.` : "Nobody has joined yet.");
  if (extra.seconds === 0) texts.push("Time is up.");
  if (extra.seconds < 0) texts.push("Time is up. The service gives some back.");
  if (extra.givingUp === "sent") texts.push(extra.isAlone ? "The game is ended." : "You give up.");
  if (extra.askedReaction) texts.push(`Answering with ${safe(extra.askedReaction)}.`);
  if (extra.reactionFailure) texts.push(`Your answer was not taken. ${safe(extra.reactionFailure)}`);
  if (nudge?.sent) texts.push(reminders[nudge.sent.stage](opponent, nudge.sent));
  if (match.stage !== "over") return join(...texts);
  if (extra.watched) texts.push(`You see it as ${named(extra.watched)} played it.`);
  if (extra.rating) texts.push(ratings[extra.rating.stage](extra.rating));
  if (extra.shareOfBest !== undefined) texts.push(`${extra.watched ? "The" : "Your"} words have ${extra.shareOfBest} % of the best points.`);
  texts.push(rematchText(opponent, extra));
  if (extra.isSharing) texts.push("Sharing the game.");
  if (extra.shareFailure) texts.push(`It could not be shared. ${safe(extra.shareFailure)}`);
  return join(...texts);
}

function rematchText(opponent, { rematch, rematchFailure }) {
  if (rematchFailure) return `The rematch could not be started. ${safe(rematchFailure)}`;
  switch (rematch) {
    case "offered":
      return `${opponent} offers a rematch.`;
    case "asked":
      return "Asking for a rematch.";
    case "waits":
      return `Your offer of a rematch waits for ${opponent}.`;
    case "began":
      return "There is a rematch.";
    default:
      return "";
  }
}

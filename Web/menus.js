// Draws the menus beside the matches: a new match, boards, past games, the inbox, settings; and a match that is not here yet.

import { drawKeys, keyParts } from "./devices.js";
import * as notices from "./notices.js";
import { make, write } from "./panel.js";
import { button, choice, drawField, drawQuestion, element, field, put, sync, toggle } from "./parts.js";
import { drawPast, pastParts } from "./records.js";
import { join, named, safe, timedQuestion } from "./words.js";

const group = (title, ...parts) => make("fieldset", {}, make("legend", { textContent: title }), ...parts);
const row = (...parts) => make("p", { className: "row" }, ...parts);
/** A question with its buttons, hidden at first. */
const question = (id, ...labels) =>
  make("p", { id, className: "row question asks", hidden: true }, make("span"), ...labels.map((label, index) => button(label, null, { className: index === 0 ? "main" : "" })));

/** Draws a menu. Its parts are made when it is opened. */
export function drawMenu({ menu, absent, record, connection, account }, send) {
  const name = menu?.name ?? "absent";
  const page = element("menu");
  if (page.dataset.name !== name) {
    page.dataset.name = name;
    const foot = make("div", { className: "foot" }, make("p", { id: "menu-told", className: "told" }), question(`${name}-doubt`, ...(doubts[name] ?? [])));
    page.replaceChildren(make("h2", { id: "menu-title", tabIndex: -1, textContent: titles[name] }), ...parts[name](send), foot);
  }
  const { told, asks, content } = drawers[name](menu ?? absent, send, record, account);
  const text = told || (connection === "lost" ? "The service cannot be reached. It is tried again and again." : "");
  put(element("menu-told"), text);
  write("say", safe(join(`${titles[name]}.`, content, asks || text)));
}

/** Takes a menu that was left out of the page, with all that it has shown. */
export function clearMenu() {
  const page = element("menu");
  if (!page.dataset.name) return;
  delete page.dataset.name;
  page.replaceChildren();
}

const titles = { new: "New match", boards: "Boards", games: "Past games", inbox: "Notifications", settings: "Settings", player: "Player", keys: "Your devices", absent: "Match" };
const doubts = { new: ["Yes", "No"], boards: ["Yes", "No"], settings: ["Save", "Throw away", "Go on"], player: ["Yes", "No"], keys: ["Yes", "No"] };
const parts = {
  new: newParts,
  boards: boardParts,
  games: pastParts,
  inbox: inboxParts,
  settings: settingsParts,
  player: playerParts,
  keys: keyParts,
  absent: absentParts,
};
const drawers = {
  new: drawNew,
  boards: drawBoards,
  games: (menu, send, record) => drawPast(menu, record, send),
  inbox: drawInbox,
  settings: drawSettings,
  player: drawPlayer,
  keys: drawKeyMenu,
  absent: drawAbsent,
};

// MARK: A match that is not here

function absentParts(send) {
  return [
    make("p", { id: "absent-told" }),
    row(button("Try again", () => send("reload"), { id: "again", className: "main" }), button("Games", () => send("leave"))),
  ];
}

function drawAbsent({ failure }) {
  const text = failure ?? "Loading.";
  element("again").hidden = !failure;
  put(element("absent-told"), text);
  return { content: text };
}

// MARK: A new match

const picks = { anyone: "Anyone", open: "Anyone with a link", named: "Invite", join: "Join", daily: "Today’s challenge", timedDaily: "Today’s challenge, 180 seconds", alone: "Alone", timedAlone: "Alone, 180 seconds" };

function newParts(send) {
  const pick = (name) => button(picks[name], () => choose(name), { id: `pick-${name}` });
  const choose = (name) => {
    send(`pick ${name}`);
    element("menu").querySelector("[aria-invalid]")?.focus();
  };
  const fill = (id, label, name, attributes) => field(id, label, (text) => send(`fill ${name} ${text}`), () => choose(name), attributes);
  return [
    group(
      "Against",
      row(pick("anyone"), pick("open")),
      make("div", { className: "filled" }, fill("new-named", "Player’s name", "named", { autocapitalize: "off" }), pick("named")),
      make("div", { className: "filled" }, fill("new-join", "Code of a match", "join", { autocapitalize: "characters" }), pick("join")),
    ),
    group(
      "Where two play",
      field("new-turnLimit", "Time for a turn, such as 1d, 12h, 90m or 45s", (text) => send(`fill turnLimit ${text}`), () => {}, { autocapitalize: "off" }),
      row(toggle("Casual: it changes no rating", () => send("pick casual"), { id: "pick-casual" })),
    ),
    group("Alone", row(pick("daily"), pick("timedDaily"), pick("alone"), pick("timedAlone"))),
  ];
}

function drawNew({ named: name, join: code, turnLimit, isCasual, stage, wanted, wantedName, notice, trouble }, send) {
  drawField("new-named", name);
  drawField("new-join", code);
  drawField("new-turnLimit", turnLimit);
  element("pick-casual").ariaChecked = String(isCasual);
  for (const pick of Object.keys(picks)) element(`pick-${pick}`).ariaDisabled = String(stage !== "choosing");
  const asks = stage === "doubted" ? doubt(wanted, wantedName) : "";
  drawQuestion(element("new-doubt"), asks, () => send("yes"), () => send("no"));
  return { told: asks ? "" : stage === "choosing" ? notice || trouble : stages[stage](wanted), asks };
}

const stages = {
  asked: (wanted) => {
    if (wanted === "join") return "Joining the match.";
    return ["daily", "timedDaily", "alone", "timedAlone"].includes(wanted) ? "Starting the game." : "Asking for a match.";
  },
  pending: () => "Your start has no answer yet. It is sent again until then, and counts once.",
  doubted: () => "",
};

const doubt = (wanted, name) => (wanted === "named" ? `${named(name)} has an invitation of yours already. Send another one?` : "You have asked for this already. Once more?");

// MARK: Boards

const tabs = { today: "Today", solo: "Solo games", dailies: "Dailies", ladder: "Ladder", history: "Your dailies", review: "Your week" };
const spans = { day: "Of a day", week: "Of seven days", all: "Of all times" };

function boardParts(send) {
  const chip = (text, action, id) => button(text, () => send(action), { className: "chip", id });
  const lists = Object.entries(tabs).map(([name, text]) => chip(text, `board ${name}`, `board-${name}`));
  return [
    make("div", { className: "row", role: "group", ariaLabel: "Lists" }, ...lists),
    make("div", { id: "board-choices", className: "row", role: "group", ariaLabel: "Which games" }, chip("180 seconds", "clock", "board-clock"), chip("Best words", "measure", "board-measure"), chip("", "span", "board-span")),
    make(
      "div",
      { id: "board", className: "scroll" },
      make("table", {}, make("caption", { id: "board-head" }), make("thead", {}, make("tr", { id: "board-columns" })), make("tbody", { id: "board-rows" })),
    ),
    row(button("", () => send("begin"), { id: "begin", className: "main" })),
  ];
}

function drawBoards({ tab, hasClock, clock, isOfGames, span, measure, content, failure, head, columns, rows, today, isStarting, asks, notice, trouble }, send) {
  for (const name of Object.keys(tabs)) element(`board-${name}`).ariaPressed = String(name === tab);
  element("board-choices").hidden = !hasClock;
  element("board-clock").ariaPressed = String(clock === "timed");
  element("board-measure").ariaPressed = String(measure === "words");
  element("board-measure").hidden = element("board-span").hidden = !isOfGames;
  put(element("board-span"), spans[span]);
  const isShown = content === "shown";
  element("board").hidden = !isShown;
  if (isShown) drawTable(head, columns, rows, send);
  const begins = { open: clock === "timed" ? "Begin: 180 seconds" : "Begin", begun: "Go to your game" };
  element("begin").hidden = !(today in begins);
  put(element("begin"), begins[today] ?? "");
  element("begin").ariaDisabled = String(isStarting);
  const question = asks ? timedQuestion : "";
  drawQuestion(element("boards-doubt"), question, () => send("yes"), () => send("no"));
  let told = notice || trouble;
  if (isStarting) told = "Beginning the challenge.";
  if (content === "loading") told ||= "Loading.";
  if (content === "failed") told ||= failure;
  if (today === "missing") told ||= "Today’s challenge is not dealt yet.";
  return { told, asks: question, content: join(`${tabs[tab]}.`, isShown && head) };
}

function drawTable(head, columns, rows, send) {
  // The same rows stay, and the focus with them.
  const shown = JSON.stringify([head, columns, rows]);
  if (element("board").dataset.shown === shown) return;
  element("board").dataset.shown = shown;
  put(element("board-head"), head);
  // Numbers end at the right.
  const areNumbers = columns.map((_, column) => rows.length > 0 && rows.every(({ cells }) => /^[\d.]*\??$/.test(cells[column] ?? "")));
  const cell = (name, column, text) => make(name, { className: areNumbers[column] ? "number" : "", dir: "auto", textContent: safe(text ?? "") });
  element("board-columns").hidden = rows.length === 0;
  element("board-columns").replaceChildren(...columns.map((text, column) => Object.assign(cell("th", column, text), { scope: "col" })));
  element("board-rows").replaceChildren(
    ...rows.map(({ cells, isOwn, isPlayer }, index) => {
      const line = make("tr", { className: isOwn ? "own" : "" }, ...columns.map((_, column) => cell("td", column, cells[column])));
      const name = line.children[columns.findIndex((text) => text.toLowerCase() === "player")];
      if (isPlayer && name) name.replaceChildren(button(safe(name.textContent), () => send(`player ${index}`), { className: "plain" }));
      if (isOwn) line.lastChild?.append(make("span", { className: "unseen", textContent: " (you)" }));
      return line;
    }),
  );
}

// MARK: Notifications

function inboxParts(send) {
  return [
    make("ul", { id: "inbox" }),
    row(button("Take all away", () => send("allseen"), { id: "inbox-all" }), button("Try again", () => send("reload"), { id: "inbox-again", className: "main" })),
  ];
}

function drawInbox({ content, failure, rows = [], isLeaving, notice }, send) {
  element("inbox-again").hidden = content !== "failed";
  element("inbox-all").hidden = rows.length < 2;
  element("inbox-all").ariaDisabled = String(isLeaving);
  sync(element("inbox"), rows, {
    key: ({ title, time }, index) => `${index} ${title} ${time}`,
    make: () =>
      make("li", { className: "entry" }, make("p", { className: "told-of" }, make("b", { dir: "auto" }), make("span", { className: "time" }), make("span", { className: "text", dir: "auto" })), row(button("Open", null, { className: "main" }), button("Take away"), button("About the player", null, { className: "plain" }))),
    draw: (entry, { title, text, time, hasMatch, player, isOfKeys }, index) => {
      const [name, when, sentence] = entry.querySelector(".told-of").children;
      put(name, safe(title));
      put(when, time);
      put(sentence, safe(text));
      const [open, seen, about] = entry.querySelectorAll("button");
      open.hidden = !hasMatch && !isOfKeys;
      open.onclick = () => send(isOfKeys ? "keys" : `notice ${index}`);
      seen.onclick = () => send(`seen ${index}`);
      about.hidden = !player;
      about.onclick = () => send(`player ${index}`);
      about.ariaLabel = `About ${named(player)}`;
      for (const [part, word] of [[open, "Open"], [seen, "Take away"]]) part.ariaLabel = `${word}: ${safe(title)}`;
    },
    instead: "menu-title",
  });
  if (content !== "shown") return { told: content === "failed" ? failure : "Loading." };
  const told = isLeaving ? "Taking it away." : notice;
  return { told: told || (rows.length === 0 ? "Nothing that you have not seen." : ""), content: rows.length === 1 ? "1 notification." : `${rows.length} notifications.` };
}

// MARK: Another player

const reasons = { name: "the name", words: "words played or reactions", cheating: "cheating", conduct: "conduct, such as letting time run out", other: "something else" };

function playerParts(send) {
  const written = () => send("written");
  const chip = (name) => button(reasons[name], () => send(`reason ${name}`), { className: "chip", id: `reason-${name}` });
  const form = group(
    "Report to the operators, because of",
    row(...Object.keys(reasons).map(chip)),
    field("report-text", "More about it", (text) => send(`fill reportText ${text}`), written, { maxLength: 200 }),
    row(button("Send the report", written, { className: "main" }), button("Cancel", () => send("no"))),
  );
  form.id = "report-form";
  return [
    make("p", { id: "player-name", className: "name", dir: "auto" }),
    make("ul", { id: "player-lines" }),
    row(
      button("Invite", () => send("invite"), { id: "player-invite", className: "main" }),
      button("Past games", () => send("games"), { id: "player-games" }),
      button("Block", () => send("block"), { id: "player-block" }),
      button("Report", () => send("report"), { id: "player-report" }),
      button("Try again", () => send("reload"), { id: "player-again", className: "main" }),
    ),
    form,
  ];
}

const playerStages = { block: "Blocking the player.", unblock: "Ending the block.", report: "Sending the report." };

function drawPlayer({ player, content, failure, lines, isBlocked, canReport, stage, reason, text, notice, trouble }, send) {
  const isShown = content === "shown";
  const texts = [...(lines ?? []), ...(isBlocked ? ["You have blocked this player: you two do not meet."] : [])];
  put(element("player-name"), player);
  sync(element("player-lines"), texts, { key: (line) => line, make: () => make("li"), draw: put, instead: "player-invite" });
  element("player-again").hidden = content !== "failed";
  for (const id of ["player-invite", "player-games", "player-block"]) element(id).hidden = !isShown;
  put(element("player-block"), isBlocked ? "Unblock" : "Block");
  element("player-report").hidden = !isShown || !canReport;
  for (const id of ["player-invite", "player-games", "player-block", "player-report"]) element(id).ariaDisabled = String(stage !== "looking");
  element("report-form").hidden = stage !== "reporting";
  for (const name of Object.keys(reasons)) element(`reason-${name}`).ariaPressed = String(name === reason);
  drawField("report-text", text);
  const questions = { blockDoubted: `Block ${named(player)}? You two do not meet any more.`, reportDoubted: `Send this report about ${named(player)} to the operators?` };
  const asks = questions[stage] ?? "";
  drawQuestion(element("player-doubt"), asks, () => send("yes"), () => send("no"));
  const told = playerStages[stage] ?? (notice || trouble || (content === "loading" ? "Loading." : (failure ?? "")));
  return { told: asks ? "" : told, asks, content: join(`${named(player)}.`, ...texts) };
}

// MARK: Devices

function drawKeyMenu(menu, send) {
  const drawn = drawKeys(menu, send);
  drawQuestion(element("keys-doubt"), drawn.asks, () => send("yes"), () => send("no"));
  return drawn;
}

// MARK: Settings

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const choices = {
  late: ["What cannot wait until they end", { silent: "comes without a sound", dropped: "does not come" }],
  review: ["How your week went, on", { none: "no day", ...Object.fromEntries(days.map((day) => [day, `${day[0].toUpperCase()}${day.slice(1)}s`])) }],
  language: ["Language of notifications", { en: "English", de: "Deutsch" }],
};
const wishes = { bundle: "News of matches that come within some minutes come as one notification", nudges: "Opponents may remind me of a turn" };

/** The time zone and the language of this browser, as far as the service can know them. */
function own() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const [language] = navigator.language.split("-");
  return {
    timeZone: /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(timeZone ?? "") ? timeZone : "",
    language: language in choices.language[1] ? language : "",
  };
}

const permissions = { notDetermined: ", not asked yet", provisional: ", without a sound", authorized: "", denied: "" };

function settingsParts(send) {
  const fill = (name, label, enter, attributes) => field(`set-${name}`, label, (text) => send(`fill ${name} ${text}`), enter, attributes);
  const adding = (name, label, entry) => {
    const add = () => send(`add ${entry}`);
    return make("div", { className: "filled" }, fill(name, label, add, { autocapitalize: "off" }), button("Add", add, { ariaLabel: `Add this ${entry === "device" ? "device" : "player"}` }));
  };
  const select = (name) => choice(`set-${name}`, ...choices[name], (option) => send(`choose ${name} ${option}`));
  const save = () => {
    send("save");
    element("menu").querySelector("[aria-invalid]")?.focus();
  };
  return [
    make(
      "div",
      { id: "settings", className: "form" },
      group(
        "Notifications", fill("displayName", "They call you; empty: your name", save), make("p", { textContent: "They tell you that" }), make("ul", { id: "set-kinds" }),
        make("div", { id: "set-here" }, toggle("Tell me of my turns in this browser, too", null), make("p", { id: "notices" })),
      ),
      group(
        "When and how they come", fill("quietFrom", "Quiet hours from, such as 22:00; empty: none", save), fill("quietUntil", "until, such as 07:30", save), select("late"),
        fill("digest", "Once a day all that waits for you, at a time such as 08:00; empty: never", save), select("review"),
        toggle(wishes.bundle, null, { id: "set-bundle" }), toggle(wishes.nudges, null, { id: "set-nudges" }),
        fill("timeZone", "Time zone, such as Europe/Berlin; empty: UTC", save, { autocapitalize: "off" }), select("language"),
        row(button("", null, { id: "set-own" })),
      ),
      group(
        "Devices that they go to", make("ul", { id: "set-devices" }),
        row(button("Send a test", () => send("testpush"), { id: "test-push" })), make("p", { id: "test-told", role: "status" }),
        adding("newDevice", "Another device", "device"),
      ),
      group("Players that you do not meet", make("ul", { id: "set-blocked" }), adding("newBlocked", "Another player", "blocked")),
      group("Devices that play as you", row(button("Your devices", () => send("keys"), { id: "keys-button" }))),
      accountParts(send),
      row(button("Save", save, { id: "save", className: "main" }), make("span", { id: "changed" })),
    ),
    row(button("Try again", () => send("reload"), { id: "settings-again", className: "main" })),
  ];
}

function drawSettings({ content, failure, form }, send, record, { push, departure } = {}) {
  element("settings").hidden = !form;
  element("settings-again").hidden = content !== "failed";
  if (!form) return { told: failure ?? "Loading." };
  const { displayName, notifications, devices, newDevice, blocked, newBlocked, isChanged, stage, notice, trouble } = form;
  drawField("set-displayName", displayName);
  drawField("set-newDevice", newDevice);
  drawWishes(form, send);
  drawField("set-newBlocked", newBlocked);
  sync(element("set-kinds"), notifications, {
    key: (_, index) => index,
    make: () => make("li", {}, toggle("", null)),
    draw: ({ firstChild }, { text, isOn }, index) => drawToggle(firstChild, text, isOn, () => send(`toggle notification ${index}`)),
    instead: "save",
  });
  sync(element("set-devices"), devices, {
    key: ({ name }) => name,
    make: () => make("li", { className: "row" }, toggle("", null), make("small"), button("Remove")),
    draw: ({ children: [first, news, second] }, { name, permission }, index) => {
      put(news, push?.news?.[push.devices.indexOf(name)] ?? "");
      const isOn = permission === "authorized" || permission === "provisional";
      drawToggle(first, `${name}${permissions[permission]}`, isOn, () => send(`toggle device ${index}`));
      drawRemoval(second, name, () => send(`remove device ${index}`));
    },
    instead: "set-newDevice",
  });
  sync(element("set-blocked"), blocked, {
    key: (name) => name,
    make: () => make("li", { className: "row" }, make("b", { className: "name", dir: "auto" }), button("Remove")),
    draw: ({ children: [first, second] }, name, index) => {
      put(first, name);
      drawRemoval(second, name, () => send(`remove blocked ${index}`));
    },
    instead: "set-newBlocked",
  });
  drawNotices();
  drawTest(devices, push?.test, send);
  const ends = drawDeparture(departure, send);
  element("save").ariaDisabled = String(stage !== "editing");
  put(element("changed"), isChanged ? "There are unsaved changes." : "");
  const asks = stage === "doubted" ? "There are unsaved changes. Save them?" : "";
  drawQuestion(element("settings-doubt"), asks, () => send("doubt save"), () => send("doubt throwAway"), () => send("doubt stay"));
  return { told: asks ? "" : stage === "saving" ? "Saving." : notice || trouble, asks: asks || ends };
}

/** The player's account. Its actions are `exportaccount`, `endaccount`, `endaccount yes`, `endaccount no` and `keepaccount`. */
function accountParts(send) {
  return group(
    "Your account",
    row(button("Save your data", () => send("exportaccount"), { id: "export-account" })),
    make("p", { id: "export-told", role: "status" }),
    make("p", { id: "account-ends", role: "status" }),
    row(button("Keep the account", () => send("keepaccount"), { id: "keep-account", className: "main" }), button("End the account…", () => send("endaccount"), { id: "end-account" })),
    make("ul", { id: "end-consequences" }),
    question("end-doubt", "End it", "No"),
  );
}

const exports = { gathered: "Gathering it. Stay in Cubist until then.", saved: "It is in the file cubist-account.json." };
const departures = { asked: "Telling the service.", delayed: "This waits for the network." };

/** Gives the question whether the account is to end. */
function drawDeparture({ leavesAt, stage, consequences = [], text, export: file, exportText } = {}, send) {
  element("export-account").ariaDisabled = String(file === "gathered");
  put(element("export-told"), exportText ?? exports[file] ?? "");
  const time = leavesAt && new Date(Number(leavesAt)).toLocaleString("en-GB", { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
  const ends = time ? `Your account ends on ${time}. Until then you can keep it, on any of your devices.` : "";
  put(element("account-ends"), join(ends, text ?? departures[stage]));
  const isBusy = stage === "asked" || stage === "delayed";
  const [keep, end] = [element("keep-account"), element("end-account")];
  const { activeElement } = document;
  [keep.hidden, end.hidden] = [!time, Boolean(time)];
  // The focus stays on the one button that is there.
  if ([keep, end].includes(activeElement) && activeElement.hidden) (time ? keep : end).focus();
  keep.ariaDisabled = end.ariaDisabled = String(isBusy);
  sync(element("end-consequences"), consequences, { key: (_, index) => index, make: () => make("li"), draw: put });
  const asks = stage === "doubted" ? "End your account?" : "";
  drawQuestion(element("end-doubt"), asks, () => send("endaccount yes"), () => send("endaccount no"));
  return join(...consequences, asks);
}

/** Draws when and how notifications come. The actions are `fill` and `choose`. */
function drawWishes(form, send) {
  for (const name of ["quietFrom", "quietUntil", "digest", "timeZone"]) drawField(`set-${name}`, form[name]);
  for (const name of Object.keys(choices)) element(`set-${name}`).value = form[name];
  element("set-late").parentElement.hidden = !form.quietFrom.text && !form.quietUntil.text;
  for (const [name, text] of Object.entries(wishes)) {
    const isOn = form[name] === "on";
    drawToggle(element(`set-${name}`), text, isOn, () => send(`choose ${name} ${isOn ? "off" : "on"}`));
  }
  const { timeZone, language } = own();
  const takesZone = timeZone && timeZone !== (form.timeZone.text || "UTC");
  const takesLanguage = language && language !== form.language;
  const part = element("set-own");
  if (!takesZone && !takesLanguage && document.activeElement === part) element("set-timeZone").focus();
  part.hidden = !takesZone && !takesLanguage;
  put(part, `Take those of this browser: ${[takesZone && timeZone, takesLanguage && choices.language[1][language]].filter(Boolean).join(", ")}`);
  part.onclick = () => {
    if (takesZone) send(`fill timeZone ${timeZone}`);
    if (takesLanguage) send(`choose language ${language}`);
  };
}

const tests = {
  asked: () => "Asking for a test.",
  delayed: () => "The test waits for the network.",
  done: () => "A test is on its way to all of these. It should be there within a minute. Where it is not, look at what stands beside the device.",
  refused: ({ text }) => safe(text),
};

/** What the list tells of a device is asked for once more, when a test should have arrived. */
const testPatience = 8000;
let testStage;

function drawTest(devices, test, send) {
  // Nothing can be sent to a device without an address.
  element("test-push").hidden = !devices.some(({ hasToken }) => hasToken);
  element("test-push").ariaDisabled = String(test?.stage === "asked" || test?.stage === "delayed");
  put(element("test-told"), test ? tests[test.stage](test) : "");
  if (test?.stage === "done" && testStage && testStage !== "done") setTimeout(() => element("test-push") && send("reload"), testPatience);
  testStage = test?.stage;
}

notices.onChange(drawNotices);

/** It is about this browser alone, so nobody has to save it. */
function drawNotices() {
  // The player may have left the settings before the browser's question was answered.
  if (!element("set-here")) return;
  const isOn = notices.isWanted();
  drawToggle(element("set-here").firstChild, "Tell me of my turns in this browser, too", isOn, () => notices.turn(!isOn, drawNotices));
  put(element("notices"), notices.says());
}

function drawToggle(part, text, isOn, act) {
  put(part, text);
  part.ariaChecked = String(isOn);
  part.onclick = act;
}

function drawRemoval(part, name, act) {
  part.ariaLabel = `Remove ${named(name)}`;
  part.onclick = act;
}

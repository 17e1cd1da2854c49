// Draws the devices of a player, each with a key of its own: their list, the code that lets one more in, and the forms of a device that shows such a code, or has
// recovery words.

import { randomWords } from "./keys.js";
import { make } from "./panel.js";
import { button, drawField, drawLink, drawQuestion, element, field, letIn, put, sync, toggle } from "./parts.js";
import { named } from "./words.js";

const row = (...parts) => make("p", { className: "row" }, ...parts);

// MARK: The list

export function keyParts(send) {
  // Nobody may guess a code, so it is made of the browser's own random numbers.
  const ask = () => send(`letin ${crypto.getRandomValues(new BigUint64Array(1))[0]}`);
  return [
    make("p", { textContent: "Each device plays as you, with a key of its own. Any of them can remove any other. What it has played stays." }),
    make("ul", { id: "keys" }),
    make(
      "div",
      { id: "let-in-code", className: "form", hidden: true },
      make("p", {}, "On the new device open this page and type the code ", make("b", { id: "let-in-text" }), ", or open the link there. Anyone with it can play as you."),
      make("p", { id: "let-in-link", className: "row question" }, make("label", { htmlFor: "let-in-address" }), make("input", { id: "let-in-address", type: "text", readOnly: true }), button("Copy"), button("Send")),
      make("div", { id: "let-in-picture" }),
      make("p", { id: "let-in-left" }),
    ),
    row(button("", ask, { id: "let-in", className: "main" }), button("Try again", () => send("reload"), { id: "keys-again", className: "main" })),
    wordParts(send),
  ];
}

/** The recovery words. Their actions are `words BYTES`, `wordswritten`, `wordstyped TEXT`, `wordsaway` and `object`. */
function wordParts(send) {
  const type = () => send(`wordstyped ${element("words-typed").value}`);
  const put = (id, ...parts) => make("div", { id, hidden: true }, ...parts);
  const away = () => button("No words", () => send("wordsaway"));
  return put(
    "words",
    make("p", { id: "words-are" }),
    put(
      "words-none",
      make("p", { textContent: "Twelve words bring your name back when all your devices are lost. They are shown once and kept nowhere." }),
      make("p", { id: "words-from" }),
    ),
    put(
      "words-shown",
      make("p", { id: "words-say", tabIndex: -1, textContent: "Write these words down, in this order. They are not shown again. Anyone with them can become you, 72 hours after asking for it. Keep them away from your devices." }),
      make("ol", { id: "words-list" }),
      row(button("I have written them down", () => send("wordswritten"), { id: "words-written", className: "main" }), away()),
    ),
    put(
      "words-asked",
      field("words-typed", "", () => {}, type, { maxLength: 200, autocapitalize: "off" }),
      row(button("Name the words", type, { id: "words-name", className: "main" }), away()),
    ),
    row(button("Make recovery words", () => send(`words ${randomWords()}`), { id: "words-make" }), button("Object", () => send("object"), { id: "words-object" })),
  );
}

const wordStages = { making: "Making words.", naming: "Telling the service of the words.", objecting: "Objecting." };

/** Gives the question before an objection, and a sentence on what is being done. */
function drawWords(isShown, { sentences, countsAtOnce, canObject, stage, words = [], asked = [], fault = "" }) {
  const isIdle = stage === "idle";
  element("words").hidden = !isShown;
  put(element("words-are"), sentences.join(" "));
  element("words-none").hidden = !isIdle;
  put(element("words-from"), countsAtOnce ? "They count at once if you make them within an hour after you took your name." : "They count 72 hours after this.");
  element("words-make").hidden = words.length > 0 || asked.length > 0;
  element("words-make").ariaDisabled = String(!isIdle);
  element("words-object").hidden = !canObject;
  element("words-object").ariaDisabled = String(!isIdle);
  const [list, typed] = [element("words-shown"), element("words-asked")];
  const isNew = list.hidden && words.length > 0;
  const isAsked = typed.hidden && asked.length > 0;
  list.hidden = words.length === 0;
  typed.hidden = asked.length === 0;
  const places = element("words-list");
  if (places.textContent !== words.join("")) places.replaceChildren(...words.map((word) => make("li", { textContent: word })));
  if (isNew) element("words-say").focus();
  put(typed.querySelector("label"), asked.length > 0 ? `Type the words ${asked.slice(0, -1).join(", ")} and ${asked.at(-1)}, with spaces between them` : "");
  if (typed.hidden) element("words-typed").value = "";
  drawField("words-typed", { text: element("words-typed").value, fault });
  if (isAsked) element("words-typed").focus();
  return { doing: wordStages[stage] ?? "", doubt: stage === "doubted" ? "Delay this recovery, once, by 72 hours? Nothing but the words stops it." : "" };
}

const title = ({ isOwn, digits, device }) => (isOwn ? "This device" : device ? `${device} (${digits})` : `Device ${digits}`);

export function drawKeys({ content, failure, rows = [], invitation, code, seconds, removal, removed, notice, recovery }, send) {
  // A browser may take the focus from a part as soon as it is hidden.
  const last = document.activeElement;
  element("keys-again").hidden = content !== "failed";
  sync(element("keys"), rows, {
    key: ({ digits }) => digits,
    make: () => make("li", { className: "row" }, make("span", {}, make("b"), make("small", { className: "kind" })), button("Remove")),
    draw: ({ children: [text, remove] }, key, index) => {
      put(text.children[0], title(key));
      put(text.children[1], ` added ${key.added}, ${key.inviter ? `let in by ${key.inviter}` : "the first one"}`);
      remove.hidden = rows.length < 2;
      remove.ariaDisabled = String(removal !== "none");
      remove.ariaLabel = `Remove: ${title(key)}`;
      remove.onclick = () => send(`removekey ${index}`);
    },
    instead: "menu-title",
  });
  element("let-in").hidden = content !== "shown";
  element("let-in").ariaDisabled = String(invitation === "asked");
  put(element("let-in"), invitation === "open" ? "Another code" : "Add a device");
  drawCode(invitation === "open" ? code : "", seconds);
  const { doing, doubt } = drawWords(content === "shown", recovery);
  const isLost = [last, document.body].includes(document.activeElement);
  if (isLost && element("menu").contains(last) && !last.checkVisibility()) element("menu-title").focus();
  const asks = removal === "doubted" ? `Remove ${removed.isOwn ? "this device" : `the device ${removed.device ? `${removed.device} (${removed.digits})` : removed.digits}`}? It plays as you no more.` : doubt;
  let told = doing || notice;
  if (invitation === "asked") told = "Asking for a code.";
  if (removal === "asked") told = "Removing the device.";
  if (content !== "shown") told ||= failure ?? "Loading.";
  const count = content === "shown" && (rows.length === 1 ? "1 device." : `${rows.length} devices.`);
  const pending = content === "shown" && recovery.sentences.slice(1).join(" ");
  return { told: asks ? "" : told, asks, content: [count, pending, code && `The code is ${code}.`].filter(Boolean).join(" ") };
}

function drawCode(code, seconds) {
  element("let-in-code").hidden = !code;
  if (!code) return;
  const link = letIn(code);
  put(element("let-in-text"), code);
  drawLink(element("let-in-link"), "Link for the new device:", link);
  put(element("let-in-left"), `It is good once, for ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}.`);
  const picture = element("let-in-picture");
  if (picture.dataset.link === link) return;
  picture.dataset.link = link;
  picture.replaceChildren();
  import("./qrcode.js").then(({ draw }) => {
    // Another code may have taken its place meanwhile.
    if (picture.dataset.link === link) drawPicture(picture, draw(link));
  }, () => delete picture.dataset.link);
}

/** Draws a QR code, dark on light in all colours of the page; or nothing, since the link is there. */
export function drawPicture(place, drawing) {
  if (!drawing) return;
  const part = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const attributes = { class: "qr", viewBox: `0 0 ${drawing.size} ${drawing.size}`, role: "img", "aria-label": "QR code of the link" };
  place.replaceChildren(part("svg", attributes, part("path", { d: drawing.path })));
}

// MARK: A device that is added, or was removed

/** The form for the code that another device shows. The actions are `devicecode TEXT`, `adddevice` and `anew`. */
export function additionParts(send) {
  const add = () => {
    send("adddevice");
    element("add-form").querySelector("[aria-invalid]")?.focus();
  };
  const form = make(
    "form",
    { id: "add-form", noValidate: true },
    make("p", { textContent: "Do you have a name already? Settings, Your devices, on a device that has it, shows a code for this one." }),
    field("add-code", "The code of your other device", (text) => send(`devicecode ${text}`), add, { autocapitalize: "characters" }),
    row(make("button", { id: "add-take", textContent: "Add this device" })),
    make("p", { id: "add-told", className: "told", role: "status" }),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    add();
  };
  return [form, make("p", { id: "account-removed", className: "row" }, make("span", { role: "status" }), button("Begin anew", () => beginAnew(send), { className: "main" }))];
}

async function beginAnew(send) {
  await send("anew");
  element("account-name").focus();
}

const stages = {
  typing: () => "",
  asked: () => "Adding this device.",
  delayed: () => "The code waits for the network. It is shown once.",
};

/** `isNew` says whether somebody without a name can take one here. */
export function drawAddition({ addition = { code: "", stage: "typing" }, removed }, isNew) {
  element("account-removed").hidden = !removed;
  put(
    element("account-removed").firstChild,
    removed ? `This device was removed: it plays as ${removed} no more. Begin anew to add it again, to bring the name back by recovery words, or to take another name.` : "",
  );
  element("add-form").hidden = !isNew;
  if (!isNew) return;
  drawField("add-code", { text: addition.code, fault: addition.fault ?? "" });
  element("add-take").ariaDisabled = String(addition.stage !== "typing");
  put(element("add-told"), stages[addition.stage]());
}

// MARK: A name that comes back by recovery words

/** Whether somebody wants to type words. */
let isWanted = false;

/**
 * What is said of a lost key, and the form for recovery words. The actions are `recovername TEXT`, `recover WORDS`, `stoprecovery WORDS`,
 * `otherrecovery stop`, `otherrecovery leave` and `anew`.
 */
export function recoveryParts(send) {
  const ask = () => {
    send(`${element("recover-form").dataset.action} ${element("recover-words").value}`);
    element("recover-form").querySelector("[aria-invalid]")?.focus();
  };
  const want = () => {
    isWanted = true;
    element("recover-open").hidden = true;
    element("recover-form").hidden = false;
    element("recover-name").focus();
  };
  const form = make(
    "form",
    { id: "recover-form", noValidate: true, hidden: true },
    make("p", { id: "recover-is", role: "status" }),
    make("p", { id: "recover-how" }),
    field("recover-name", "The name that you had", (text) => send(`recovername ${text}`), ask, { autocapitalize: "off" }),
    field("recover-words", "Your twelve recovery words", () => {}, ask, { type: "password", maxLength: 400, autocapitalize: "off", onpaste: pasteInLine }),
    row(toggle("Show the words", () => showWords(element("recover-words").type === "password"), { id: "recover-show" })),
    row(make("button", { id: "recover-take" })),
    make("p", { id: "recover-told", className: "told", role: "status" }),
    make("p", { id: "recover-doubt", className: "row question asks", hidden: true }, make("span"), button("Stop it", null, { className: "main" }), button("Leave it")),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    ask();
  };
  return [
    make("p", { id: "account-lost", className: "row", hidden: true }, make("span", { role: "status" }), button("Begin anew", () => beginAnew(send))),
    make("p", { id: "recover-open", className: "row" }, make("span", { textContent: "Have you lost all your devices? Twelve recovery words bring your name back." }), button("I have recovery words", want, { id: "recover-want" })),
    form,
  ];
}

/** A field has one line, and would join words that stand in several. */
function pasteInLine(event) {
  event.preventDefault();
  const { target } = event;
  target.setRangeText(event.clipboardData.getData("text").replace(/\s+/g, " "), target.selectionStart, target.selectionEnd, "end");
}

function showWords(areShown) {
  element("recover-words").type = areShown ? "text" : "password";
  element("recover-show").ariaChecked = String(areShown);
}

const recoveryHow =
  "The words bring your name to this browser, 72 hours after you ask. No other device plays as you then. All your devices are told at once. " +
  "Any of them can delay it, once, by 72 hours. Only the words stop it, or the operator.";

const waitingHow =
  "This page may be closed meanwhile. Do not delete the data of this browser: the new key is in it. To stop the recovery, type the words here, or in any other browser.";

/** `isNobody` says whether this browser can sign, and plays as nobody. */
export function drawRecovery({ recovery = { name: "", stage: "typing" }, recovering, lost }, isNobody, send) {
  element("account-lost").hidden = !isNobody || !lost;
  put(element("account-lost").firstChild, lost ? lostText(lost) : "");
  isWanted &&= isNobody;
  const isOpen = isNobody && Boolean(isWanted || recovering || lost || recovery.name || recovery.notice || recovery.stage !== "typing");
  const form = element("recover-form");
  element("recover-open").hidden = !isNobody || isOpen;
  form.hidden = !isOpen;
  // The words go from the page as soon as they have done their work.
  const outcome = [recovering, recovery.notice, isNobody].join();
  if (form.dataset.outcome !== outcome) {
    form.dataset.outcome = outcome;
    element("recover-words").value = "";
    showWords(false);
  }
  form.dataset.action = recovering ? "stoprecovery" : "recover";
  put(element("recover-is"), recovering ? waitingText(recovering, recovery) : "");
  put(element("recover-how"), recovering ? waitingHow : recoveryHow);
  element("recover-name").parentElement.hidden = Boolean(recovering);
  drawField("recover-name", { text: recovery.name, fault: recovery.nameFault ?? "" });
  drawField("recover-words", { text: element("recover-words").value, fault: recovery.fault ?? "" });
  element("recover-take").classList.toggle("main", !recovering);
  put(element("recover-take"), recovering ? "Stop the recovery" : "Recover this name");
  element("recover-take").ariaDisabled = String(recovery.stage !== "typing");
  put(element("recover-told"), recoveryStages[recovery.stage] ?? recovery.notice ?? "");
  const { stage, other, otherEffect } = recovery;
  const doubt = stage === "doubted" ? `Another device is to play as ${named(other)} ${otherEffect}. If that recovery is not yours, stop it. A new one can be asked for an hour after it was begun.` : "";
  drawQuestion(element("recover-doubt"), doubt, () => send("otherrecovery stop"), () => send("otherrecovery leave"));
}

const recoveryStages = { asked: "Asking the service.", delayed: "The service is not heard. It is asked again, and does it once." };

function waitingText(name, { effect, isObjected }) {
  if (!effect) return `This browser is to play as ${named(name)}, by a recovery. Asking when.`;
  const delay = isObjected ? ` A device of ${named(name)} has objected. That delays it once, and no more.` : "";
  return `This browser plays as ${named(name)} ${effect}, and no other device does then.${delay}`;
}

/** Earlier builds remembered no name, but “yes”. */
const lostText = (name) =>
  `The key of ${name === "yes" ? "a player" : named(name)} was in this browser, and is gone: the browser’s data was deleted. Another device of yours shows a code for this one, for the field below. ` +
  "Recovery words bring the name back, further below. With the file of the key a terminal plays as you (cubist key import), and makes a code (cubist key invite). " +
  "Or begin anew: the name stays that of the lost key.";

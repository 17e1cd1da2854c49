// Draws the devices of a player, each with a key of its own: their list, the code that lets one more in, and the form of a device that shows such a code.

import { randomWords } from "./keys.js";
import { make } from "./panel.js";
import { button, drawField, drawLink, element, field, letIn, put, sync } from "./parts.js";

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

const title = ({ isOwn, digits }) => (isOwn ? "This device" : `Device ${digits}`);

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
  const asks = removal === "doubted" ? `Remove ${removed.isOwn ? "this device" : `the device ${removed.digits}`}? It plays as you no more.` : doubt;
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
    removed ? `This device was removed: it plays as ${removed} no more. Begin anew to add it again, or to take another name.` : "",
  );
  element("add-form").hidden = !isNew;
  if (!isNew) return;
  drawField("add-code", { text: addition.code, fault: addition.fault ?? "" });
  element("add-take").ariaDisabled = String(addition.stage !== "typing");
  put(element("add-told"), stages[addition.stage]());
}

// Draws the devices of a player, each with a key of its own: their list, the code that lets one more in, and the form of a device that shows such a code.

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
  ];
}

const title = ({ isOwn, digits }) => (isOwn ? "This device" : `Device ${digits}`);

export function drawKeys({ content, failure, rows = [], invitation, code, seconds, removal, removed, notice }, send) {
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
  const asks = removal === "doubted" ? `Remove ${removed.isOwn ? "this device" : `the device ${removed.digits}`}? It plays as you no more.` : "";
  let told = notice;
  if (invitation === "asked") told = "Asking for a code.";
  if (removal === "asked") told = "Removing the device.";
  if (content !== "shown") told ||= failure ?? "Loading.";
  const count = content === "shown" && (rows.length === 1 ? "1 device." : `${rows.length} devices.`);
  return { told: asks ? "" : told, asks, content: [count, code && `The code is ${code}.`].filter(Boolean).join(" ") };
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

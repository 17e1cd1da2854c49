// Parts that the pages of people share: fields, switches, lists, links.

import { make, write } from "./panel.js";
import { safe } from "./words.js";

export const element = (id) => document.getElementById(id);

/** Writes somebody's text where it is new. */
export function put(part, text) {
  const shown = safe(text);
  if (part.textContent !== shown) part.textContent = shown;
}

export const button = (text, act, attributes = {}) => make("button", { type: "button", textContent: text, onclick: act, ...attributes });

/** A field with a label. `put` takes each text of the player's, `enter` follows the Enter key. */
export function field(id, label, put, enter, attributes = {}) {
  const input = make("input", { type: "text", id, maxLength: 64, autocomplete: "off", spellcheck: false, oninput: () => put(input.value), ...attributes });
  input.onkeydown = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    enter();
  };
  return make("p", { className: "field" }, make("label", { htmlFor: id, textContent: label }), input, make("small", { id: `${id}-fault`, className: "fault" }));
}

/** A choice with a label. `options` has the words of each value; `put` takes the one that was chosen. */
export function choice(id, label, options, put) {
  const select = make("select", { id, onchange: () => put(select.value) }, ...Object.entries(options).map(([value, textContent]) => make("option", { value, textContent })));
  return make("p", { className: "field" }, make("label", { htmlFor: id, textContent: label }), select);
}

/** Draws a text and its fault. The focus goes there from the button that has found it. */
export function drawField(id, { text, fault }) {
  const input = element(id);
  if (input.value !== text) input.value = text;
  put(element(`${id}-fault`), fault ? `✗ ${fault}` : "");
  const isNew = fault && !input.ariaInvalid;
  if (fault) {
    input.ariaInvalid = "true";
    input.setAttribute("aria-describedby", `${id}-fault`);
  } else {
    input.ariaInvalid = null;
    input.removeAttribute("aria-describedby");
  }
  const { activeElement } = document;
  if (isNew && activeElement.matches("button") && input.closest("form, #menu")?.contains(activeElement)) input.focus();
}

/** A text that is on or off. */
export const toggle = (text, act, attributes = {}) => button(text, act, { className: "switch", role: "switch", ariaChecked: "false", ...attributes });

/**
 * Makes the children of a list those of some items, each by its key. A child that stays is the same element, so that
 * a finger on it and its focus stay. If the focus was on one that is gone, it goes to the next one, or to `instead`.
 */
export function sync(list, items, { key, make, draw, instead }) {
  const { activeElement } = document;
  const place = [...list.children].findIndex((child) => child.contains(activeElement));
  const known = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const names = items.map((item, index) => String(key(item, index)));
  for (const [name, child] of known) if (!names.includes(name)) child.remove();
  for (const [index, name] of names.entries()) {
    const child = known.get(name) ?? make(items[index]);
    child.dataset.key = name;
    if (list.children[index] !== child) list.insertBefore(child, list.children[index] ?? null);
    draw(child, items[index], index);
  }
  if (place < 0 || document.activeElement === activeElement) return;
  const next = list.children[Math.min(place, items.length - 1)]?.querySelector("button") ?? element(instead);
  (list.contains(activeElement) ? activeElement : next).focus();
}

/** Copies a text, and says so. */
export async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    write("say", "Copied.");
  } catch {
    // Pages of plain http addresses have no clipboard: the player copies by hand.
    field.select();
  }
}

/** Draws a text to pass on, in a row with a field and two buttons. */
export function drawLink(row, label, text) {
  const [title, input, copying, sending] = row.children;
  put(title, label);
  if (input.value !== text) input.value = text;
  input.onfocus = () => input.select();
  copying.onclick = () => copy(text, input);
  sending.hidden = !navigator.share;
  // A player who changes the mind is no fault.
  sending.onclick = () => navigator.share(text.startsWith("http") ? { title: "Cubist", url: text } : { title: "Cubist", text }).catch(() => {});
}

/** The address by which somebody joins a match. */
export const invitation = (code) => new URL(`/g/${encodeURIComponent(code)}`, location.origin).href;

/** The address of a game that somebody shared. */
export const shared = (code) => new URL(`/s/${encodeURIComponent(code)}`, location.origin).href;

/** The address by which a new device shows a code. */
export const letIn = (code) => new URL(`/#add=${encodeURIComponent(code)}`, location.origin).href;

/** The element with the focus before each question. */
const askers = new WeakMap();

/** Draws a question with its buttons; hidden where there is none. The focus goes there, and back after the answer. */
export function drawQuestion(row, text, ...acts) {
  const [question, ...buttons] = row.children;
  const { activeElement } = document;
  const [isNew, isAnswered] = [text && row.hidden, !text && row.contains(activeElement)];
  put(question, text);
  for (const [index, act] of acts.entries()) buttons[index].onclick = act;
  row.hidden = !text;
  if (isNew && activeElement !== document.body) {
    askers.set(row, activeElement);
    buttons[0].focus();
  }
  if (isAnswered) askers.get(row)?.focus();
}

/** A time in its two largest units. */
export function duration(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}

// Draws the list of past games, and the check of a record: that of a match, or a file that somebody has saved.

import { make } from "./panel.js";
import { button, choice, element, put, sync } from "./parts.js";
import { join, named } from "./words.js";

const row = (...parts) => make("p", { className: "row" }, ...parts);

// MARK: Past games

const kinds = { all: "All", random: "By chance", invitation: "By invitation", open: "By a code", rematch: "Rematches", solo: "Solo games", daily: "Daily challenges" };
const results = { all: "All", won: "Won", lost: "Lost", tied: "Tied", completed: "Played to the end", none: "Not counted" };

export function pastParts(send) {
  return [
    make(
      "div",
      { className: "pairs", role: "group", ariaLabel: "Which games" },
      choice("past-kind", "Kind", kinds, (kind) => send(`kind ${kind}`)),
      choice("past-result", "Result", results, (result) => send(`result ${result}`)),
    ),
    make("p", { id: "past-filtered", className: "row" }, make("span", { id: "past-filter" }), button("All games", () => send("allgames"), { id: "past-all" })),
    make("p", { id: "past-empty" }),
    make("ul", { id: "past" }),
    row(button("Older games", () => send("more"), { id: "past-more" }), button("Try again", () => send("reload"), { id: "past-again", className: "main" })),
    fileBox("file", send),
  ];
}

export function drawPast({ kind, result, filter, content, failure, rows = [], empty = "", hasMore, isLoadingMore, trouble }, record, send) {
  element("past-kind").value = kind || "all";
  element("past-result").value = result || "all";
  put(element("past-filter"), filter);
  // The focus stays beside the button, which goes with the filter.
  if (!filter && document.activeElement === element("past-all")) element("past-kind").focus();
  element("past-filtered").hidden = !filter;
  put(element("past-empty"), empty);
  sync(element("past"), rows, {
    key: ({ key }) => key,
    make: makeGame,
    draw: ({ firstChild, lastChild }, { name, points, result, ended, kind, isPlayer }, index) => {
      for (const [place, text] of [name, points.join(" : "), result, ended, kind].entries()) put(firstChild.children[place], text);
      firstChild.onclick = () => send(`past ${index}`);
      if (!isPlayer) return;
      const about = lastChild.firstChild;
      about.onclick = () => send(`player ${index}`);
      about.ariaLabel = `About ${named(name)}`;
    },
    instead: "check-file",
  });
  const more = element("past-more");
  more.ariaDisabled = String(Boolean(isLoadingMore));
  // The focus goes on to the last game where no older one is left.
  if (!hasMore && document.activeElement === more) element("past").lastChild?.firstChild.focus();
  more.hidden = !hasMore;
  element("past-again").hidden = content !== "failed";
  drawRecord("file", record);
  const told = { loading: "Loading.", failed: failure, shown: isLoadingMore ? "Loading older games." : trouble };
  const count = rows.length === 1 ? "1 game." : `${rows.length} games.`;
  return { told: told[content], content: empty || join(filter, content === "shown" && count) };
}

function makeGame({ isPlayer }) {
  const texts = [make("b", { className: "name", dir: "auto" }), make("span", { className: "points" }), make("span", { className: "kind" }), make("span", { className: "time" }), make("span", { className: "kind" })];
  const entry = make("li", { className: "entry" }, make("button", { type: "button", className: "head" }, ...texts));
  if (isPlayer) entry.append(row(button("About the player", null, { className: "plain" })));
  return entry;
}

// MARK: The check of a record

const stages = { empty: "", asked: "Getting the record.", checking: "Checking the signatures." };

/** A box with buttons about a record, and the place for its verdict. */
export const recordBox = (name, ...buttons) =>
  make("div", { id: `${name}-record`, className: "record" }, row(...buttons), make("p", { className: "told", role: "status" }), make("ul", { hidden: true }));

/** Draws the verdict on a record; nothing where none is checked. */
export function drawRecord(name, record) {
  const [, told, facts] = element(`${name}-record`).children;
  const { stage = "empty", file, text, fault, isVerified, facts: lines = [] } = record ?? {};
  told.className = `told ${stage === "told" ? (isVerified ? "good" : fault ? "bad" : "") : ""}`;
  const verdict = { told: join(isVerified ? "✓" : fault ? "✗" : "?", file && `${file}:`, text, fault), refused: `✗ ${text}` };
  put(told, verdict[stage] ?? stages[stage]);
  facts.hidden = lines.length === 0;
  sync(facts, lines, { key: (_, index) => index, make: () => make("li", {}), draw: put });
}

/** The check of a file that the player chooses. */
export function fileBox(name, send) {
  const input = make("input", { type: "file", id: `record-${name}`, accept: ".json,application/json", hidden: true });
  input.onchange = () => {
    const [file] = input.files;
    if (file) send("file", file);
    // The same file can be chosen again.
    input.value = "";
  };
  return recordBox(name, button("Check a file…", () => input.click(), { id: `check-${name}` }), input);
}

/** The buttons beside a match that is over. */
export const matchRecord = (send) =>
  recordBox("match", button("Check this game", () => send("check"), { id: "check" }), button("Save the record", () => send("record"), { id: "save-record" }));

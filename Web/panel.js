// Draws everything beside the cube.

import { announcement, ending, notice, safe, status, task, verdicts } from "./words.js";

const element = (id) => document.getElementById(id);

export function make(name, attributes, ...children) {
  const made = document.createElement(name);
  Object.assign(made, attributes);
  made.append(...children);
  return made;
}

/** Writes a text only where it is new, so that nothing is read aloud twice. */
export function write(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

/** Draws a state. `send` takes actions of the buttons that come and go. */
export function draw(state, send) {
  const place = placeOf(state);
  document.body.dataset.place = place;
  element("game").hidden = place === "list" || place === "menu";
  element("list").hidden = place !== "list";
  element("menu").hidden = place !== "menu";
  element("extra").hidden = element("clock").hidden = !state.extra;
  element("welcome").hidden = state.kept !== "unseen" || Boolean(state.extra) || !state.match || !isUntouched(state.match);
  if (state.home) drawList(state.home, send);
  if (state.match) drawMatch({ ...state.match, extra: state.extra }, state.steps, send);
  drawSteps(state.steps);
  drawHelp(state);
}

/** The place that a state is about: `match`, `steps`, `list` or `menu`. */
export function placeOf({ home, steps, menu, absent }) {
  if (menu || absent) return "menu";
  return steps ? "steps" : home ? "list" : "match";
}

const isUntouched = ({ lines, word, missed, taken, notice }) => !lines.length && !word && !missed && !taken.length && !notice;

const rematches = { possible: "Ask for a rematch", offered: "Agree to a rematch", began: "Go to the rematch" };

function drawMatch(match, steps, send) {
  element("stage").ariaBusy = String(match.isShowing);
  drawScores(match);
  drawWord(match);
  drawChoices(match, send);
  drawTurns(match, send);
  const isOver = match.stage === "over";
  element("end").hidden = !isOver || match.at > 0 || match.isShowing;
  element("word").hidden = element("actions").hidden = element("choices").hidden = isOver;
  if (isOver) {
    write("end-title", ending(match));
    write("end-text", `${match.points.join(" : ")} points.${match.extra ? "" : " No cube is left."}`);
  }
  element("end").classList.toggle("sentence", Boolean(match.extra));
  element("rematch").hidden = !match.canRematch;
  write("rematch", rematches[match.extra?.rematch] ?? "Rematch");
  write("other", match.extra || !match.opponent ? "Games" : "Another robot");
  const isWelcome = !element("welcome").hidden;
  write("status", isWelcome ? "" : isOver && match.at === 0 ? notice(match) : status(match));
  const { text, advice } = steps ? task(steps) : {};
  write("say", steps ? [advice, announcement(match), text].filter(Boolean).join(" ") : announcement(match));
}

const mine = ({ extra }) => (extra?.watched ? safe(extra.watched) : "You");

function drawScores(match) {
  for (const [index, id] of ["mine", "theirs"].entries()) {
    const isOnTurn = match.stage === "theirs" ? index === 1 : match.stage !== "over" && index === 0;
    element(id).classList.toggle("on-turn", isOnTurn);
    const [name, points] = element(id).children;
    const text = index === 0 ? mine(match) : safe(match.opponent) || "nobody yet";
    element(id).hidden = index >= match.points.length;
    if (name.textContent !== text) name.textContent = text;
    points.textContent = match.points[index] ?? "";
  }
}

function drawWord({ word, missed, canPlay, taken, at, stage }) {
  const field = element("type");
  const text = (word?.text ?? "") + missed;
  if (field.value !== text) field.value = text;
  element("word").classList.toggle("missed", missed !== "");
  element("word").classList.toggle("good", Boolean(word?.isGood) && missed === "");
  element("word").classList.toggle("bad", missed !== "" || (Boolean(word) && !word.isGood && word.verdict !== "tooShort"));
  let verdict = "";
  if (missed) verdict = "✗ no path";
  else if (word?.verdict === "tooShort") verdict = "…";
  else if (word) verdict = word.isGood ? `✓ ${word.score}` : `✗ ${verdicts[word.verdict]}`;
  write("verdict", verdict);
  element("play").ariaDisabled = String(!canPlay);
  const isEmpty = text === "" && taken.length === 0;
  element("back").ariaDisabled = element("clear").ariaDisabled = String(isEmpty);
  write("play", canPlay && word && stage === "mine" ? `Play ${word.score}` : "Play");
  element("panel").classList.toggle("looking", at > 0);
}

function drawChoices({ word, taken }, send) {
  const ways = [];
  if (word && word.ways > 1) {
    for (let way = 1; way <= Math.min(word.ways, 9); way++) {
      const isShown = way === word.way;
      ways.push(
        make("button", { type: "button", className: "chip", textContent: way, ariaPressed: String(isShown), ariaLabel: `Way ${way}`, onclick: () => send(`way ${way}`) }),
      );
    }
    if (word.ways > 9) {
      const next = (word.way % word.ways) + 1;
      ways.push(make("button", { type: "button", className: "chip", textContent: `${word.way}/${word.ways}`, ariaLabel: "Next way", onclick: () => send(`way ${next}`) }));
    }
    ways.unshift(make("span", { textContent: "Ways" }));
  }
  replace("ways", ways);
  const cubes = taken.map((cube, index) =>
    make("button", { type: "button", className: "chip", textContent: `cube ${index + 1} ✕`, ariaLabel: `Put cube ${index + 1} back`, onclick: () => send(`mark ${cube}`) }),
  );
  replace("taken", cubes.length > 0 ? [make("span", { textContent: "Away" }), ...cubes] : []);
}

/** Replaces the content of a part, and keeps the focus at its place there. */
function replace(id, children) {
  const part = element(id);
  const place = [...part.children].indexOf(document.activeElement);
  part.hidden = children.length === 0;
  part.replaceChildren(...children);
  if (place >= 0) part.children[Math.min(place, part.children.length - 1)]?.focus();
}

function drawTurns(match, send) {
  const { lines, at, isReplaying } = match;
  element("turns").hidden = lines.length === 0;
  if (lines.length === 0) return;
  const scrubber = element("scrubber");
  scrubber.max = lines.length + 1;
  scrubber.value = at > 0 ? at : lines.length + 1;
  const end = match.stage === "over" ? "End" : "Now";
  scrubber.ariaValueText = at > 0 ? `turn ${at} of ${lines.length}: ${lines[at - 1].word || "cubes taken away"}` : end.toLowerCase();
  write("now", end);
  element("earlier").ariaDisabled = String(at === 1);
  element("later").ariaDisabled = element("now").ariaDisabled = String(at === 0);
  write("replay", isReplaying ? "■" : "▶");
  element("replay").ariaLabel = isReplaying ? "Stop the replay" : "Replay the turns";
  const list = element("lines");
  // Best words and reactions come later.
  const key = [match.key, mine(match), match.opponent, lines.some((line) => line.best), lines.filter((line) => line.reaction).length].join(" ");
  if (list.childElementCount !== lines.length || list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...lines.map((line, index) => drawLine(line, index + 1, match, send)).reverse());
  }
  for (const [index, item] of [...list.children].entries()) {
    item.firstChild.ariaCurrent = lines.length - index === at ? "true" : null;
  }
}

function drawLine(line, number, match, send) {
  const removed = line.removed > 0 ? `−${line.removed} ` : "";
  const row = make(
    "button",
    { type: "button", className: line.isTheirs ? "line theirs" : "line", onclick: () => send(`turn ${number}`) },
    make("span", { className: "name", dir: "auto", textContent: line.isTheirs ? safe(match.opponent) : mine(match) }),
    make("b", { textContent: `${removed}${line.word}` }),
    make("span", { className: "score", textContent: line.score }),
  );
  if (line.reaction) row.append(make("small", { dir: "auto", textContent: `${line.isTheirs ? mine(match) : safe(match.opponent)}: ${safe(line.reaction)}` }));
  if (line.best) row.append(make("small", { textContent: `best: ${line.best} ${line.bestScore}` }));
  return make("li", { value: number }, row);
}

function drawSteps(steps) {
  element("step").hidden = !steps;
  if (!steps) return;
  const { text, advice } = task(steps);
  write("step-title", `First steps ${steps.number} of ${steps.count}`);
  write("step-text", text);
  write("step-advice", advice);
  element("step-next").hidden = !steps.isRead;
  write("step-next", steps.number === steps.count ? "Done" : "Go on");
}

function drawList(home, send) {
  const rows = home.rows.map((row, index) => {
    const note = row.isNew ? "new match" : row.points.join(" : ");
    return make("li", {}, make("button", { type: "button", onclick: () => send(`row ${index}`) }, make("b", { textContent: row.name }), make("span", { textContent: note })));
  });
  element("rows").replaceChildren(...rows);
  write("list-notice", home.notice);
  element("doubt").hidden = !home.asks;
  if (element("home").hidden) write("say", "Games. Choose a robot, play alone, or go on with a match.");
}

function drawHelp({ help, match }) {
  const dialog = element("help");
  if (help && !dialog.open) dialog.showModal();
  if (!help && dialog.open) dialog.close();
  element("values").ariaPressed = String(match?.values.length > 0);
}

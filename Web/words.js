// The words about a state, for eyes and for a screen reader.

const cubes = (count) => (count === 1 ? "1 cube" : `${count} cubes`);
export const join = (...texts) => texts.filter((text) => text).join(" ");

/** A text of somebody else's, without characters that nobody sees or that turn the others around. */
export const safe = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");

/** A safe name within a sentence, whose direction it leaves alone. */
export const named = (name) => (/^[ -~]*$/.test(name) ? safe(name) : `\u2068${safe(name)}\u2069`);

/** Asked before the timed challenge: its clock runs at once. */
export const timedQuestion = "Begin the timed daily now? You get 180 seconds, once a day.";

export const verdicts = {
  valid: "a word",
  unknown: "may be a word",
  tooShort: "too short",
  notAWord: "not a word",
  playedBefore: "already played",
};

const shapes = "A turn is a word, a cube and a word, or two cubes.";

const isAlone = ({ points }) => points.length === 1;

const notices = {
  noPath: (letter) => `No path goes on with ${letter}. Take it back to go on.`,
  noCube: (letter) => `No cube in sight shows ${letter}.`,
  needed: () => "That cube has to stay as it is for your choice.",
  full: (_, match) => (isAlone(match) ? "There is no room for more. Play what you have chosen." : `${shapes} There is no room for more.`),
  notYourTurn: (_, match) => `It is the turn of ${other(match)}.`,
  waiting: () => "Your turn is on its way. Wait for its answer.",
  outdated: () => "The match had gone on. Your turn was not played.",
  said: (text) => text,
  // The rules' reasons.
  emptyWord: () => "Choose a word first, or cubes to take away.",
  faceRepeated: () => "A word uses a face once.",
  tooShort: () => "A word has three letters or more.",
  faceHidden: () => "That face cannot be used yet: another cube covers it.",
  notTouching: () => "Those faces do not touch.",
  notAWord: (word) => `${word} is not a word here.`,
  wordAlreadyPlayed: (word) => `${word} is already played.`,
  cubeGone: () => "That cube is gone.",
  cubeHidden: () => "That cube is hidden.",
  turnShape: (shape) => {
    if (shape === "empty") return notices.emptyWord();
    return shape === "singleRemoval" ? "One cube alone is no turn. Add a word or a second cube." : shapes;
  },
  gameOver: () => "The match is over.",
};

/** The reason for which the last action failed, or the turn was not played. */
export const notice = (match) => (match.notice ? notices[match.notice](match.noticeValue, match) : "");

const other = ({ opponent }) => (opponent ? named(opponent) : "the other player");

const me = ({ extra }) => (extra?.watched ? named(extra.watched) : "You");

const who = (isTheirs, match) => (isTheirs ? other(match) : me(match));

function played(turn, match) {
  const name = who(turn.isTheirs, match);
  return turn.word ? `${name} played ${turn.word} for ${turn.score}.` : `${name} took cubes away.`;
}

function last(match) {
  if (!match.last) return "";
  const { vanished } = match.last;
  return join(played(match.last, match), vanished > 0 && `${cubes(vanished)} vanished.`);
}

const results = { won: () => "You won!", lost: ({ opponent }) => `${opponent} won.`, tied: () => "It is a tie.", played: () => "The game is over." };

/** How the match ended, for its player. */
export const ending = (match) => (match.extra ? safe(match.extra.ending ?? "The match is over.") : results[match.result](match));

/** Whose turn it is, where it is another player's. */
function theirs(match) {
  const { extra } = match;
  if (!extra) return `${match.opponent} is thinking. You may try words.`;
  if (extra.watched) return `It is the turn of ${other(match)}.`;
  return `${extra.isWaiting ? "The match waits for an opponent." : `It is the turn of ${other(match)}.`} You may try words.`;
}

function lookedAt(match) {
  return `Turn ${match.at} of ${match.lines.length}: ${played(match.lines[match.at - 1], match)}`;
}

/** A sentence or two about the match. */
export function status(match) {
  if (match.at > 0) return lookedAt(match);
  if (match.stage === "over") return join(notice(match), match.extra ? ending(match) : `No cube is left. ${ending(match)}`);
  if (match.notice) return notice(match);
  if (match.stage === "sent") return match.extra?.sentWaits ? "Your turn waits for the network. It is sent once." : "Your turn is on its way.";
  if (match.stage === "theirs") return join(last(match), theirs(match));
  if (match.word) return "";
  if (match.taken.length === 0) return join(last(match), "Your turn.");
  if (isAlone(match)) return match.taken.length === 1 ? "One cube is a turn. You may add a word or a cube." : "Two cubes: a turn.";
  if (!match.canPlay) return "Now a word, or a second cube.";
  return match.taken.length === 1 ? "The last cube: a whole turn." : "Two cubes: a whole turn.";
}

/** The choice so far; empty: nothing is chosen. */
function choice(match) {
  const { word, taken } = match;
  const parts = [];
  if (taken.length > 0) parts.push(`${cubes(taken.length)} taken away.`);
  if (word) {
    let text = `${word.text}: ${word.isGood ? `${word.score} points` : verdicts[word.verdict]}`;
    if (word.vanishing > 0) text += `, ${cubes(word.vanishing)} will vanish`;
    if (word.ways > 1) text += `, way ${word.way} of ${word.ways}`;
    parts.push(`${text}.`);
  }
  return parts.join(" ");
}

/** The same for a screen reader: the choice as it grows; else the turn and the points. */
export function announcement(match) {
  if (match.at > 0) return lookedAt(match);
  const chosen = choice(match);
  if (match.notice && match.stage !== "over") return join(chosen, notice(match));
  if (chosen) return join(chosen, match.stage === "mine" ? "" : status(match));
  const [mine, others] = match.points;
  return join(status(match), others === undefined ? `${me(match)} ${mine}.` : `${me(match)} ${mine}, ${other(match)} ${others}.`);
}

/** Sentences beside the game. Some have a button. */
export const notes = {
  invited: { text: "You are invited to a match. Take a name in the list of games, and you come to it." },
  broken: { text: "The game could not be loaded. Reload the page to try again." },
  noModules: { text: "This browser has no WebAssembly, or it is switched off: some do so in their strictest mode. Allow it for this page, or open the page in another browser." },
  lacks: { text: "The page could not load all that it needs. Load it again.", label: "Load again" },
  unread: { text: "Your match could not be read again." },
  lost: { text: "The game was updated. Your match could not go on." },
  watched: { text: "That was a whole match. Now it is your turn.", label: "Play" },
  update: { text: "A new version of the game waits until no match is under way.", label: "Update now" },
  otherTabs: { text: "Close the other tabs of the game first.", label: "Update now" },
  unsaved: { text: "You have not said that you have the file of your key, and no later version can save it.", label: "Update all the same" },
  ends: { text: "Your matches under way will end.", label: "Update all the same" },
};

// MARK: The first steps

const tasks = [
  "This is a cube of 27 small cubes with letters on their faces. You spell words on it. To turn it, drag beside it or press the arrow keys.",
  "The first word is GAME. Tap its G, or type it.",
  "The next letter has to touch the one before. Now the A.",
  "Finish GAME. Typed letters find their path by themselves.",
  "It is a word. Beside it you see its points: long words get many more. Play it.",
  "Then the other one plays. Robot played WORD: its faces have a dashed frame.",
  "What was that? Choose a turn below to see the cube as it was.",
  "There you can go through all turns. Press Now.",
  "Corners count as touching, too. Spell CUBES and play it.",
  "Not everything is a word. Spell BAC.",
  "That cannot be played. Take the last letter back.",
  "Now clear the word.",
  "No word is played twice in a match. Try it: spell GAME again.",
  "Already played. Clear it.",
  "Some words can be spelled in several ways. Spell TIN.",
  "There are two ways: which T shall it be? Choose the second one below the word.",
  "It can matter which faces you use, as you will see. Play it.",
  "A dot is one use, two dots are two. The third use of a face takes its cube away. Spell GAMES, and look for the striped cube.",
  "The striped cube will vanish. What lies behind it comes to light. Play it.",
  "You may also take cubes away, for no points. Hold a cube, or tap it twice. With keys: Tab to the cube, arrows, Delete.",
  "You may also take cubes away, for no points. Hold a cube, or tap it twice. With keys: Tab to the cube, arrows, Delete.",
  "You see the cubes behind it. Nothing counts yet. A turn is a word, a cube and a word, or two cubes. Take another one away.",
  "Two cubes are a whole turn. Play it.",
  "When no cube is left, most points win. Have fun!",
];

const advice = {
  otherLetter: (letter) => `Here the next letter is ${letter}.`,
  wordIsWhole: (word) => `${word} is whole.`,
  noLetters: () => "No letters yet.",
  notYet: () => "Nothing is played yet.",
  unfinished: (word) => `Spell all of ${word} first, then play it.`,
  removalIsLater: () => "Cubes are taken away in a later step.",
  wantsRemoval: () => "This step is about taking cubes away. Letters come again afterwards.",
  needsTwo: () => "Take two cubes away first.",
  otherCube: () => "That one cannot be taken away now. Take another one.",
  typeInstead: () => "",
};

/** The task of a step, and the reply to an action that does not belong to it. */
export function task(steps) {
  return {
    text: tasks[steps.number - 1],
    advice: steps.advice ? advice[steps.advice](steps.adviceValue) : "",
  };
}

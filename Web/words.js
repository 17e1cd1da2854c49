// The words about a state, for eyes and for a screen reader.

const cubes = (count) => (count === 1 ? "1 cube" : `${count} cubes`);
const join = (...texts) => texts.filter((text) => text).join(" ");

export const verdicts = {
  valid: "a word",
  unknown: "may be a word",
  tooShort: "too short",
  notAWord: "not a word",
  playedBefore: "already played",
};

/** Whether the letters of a word would be accepted. */
export const isGood = (word) => word.verdict === "valid" || word.verdict === "unknown";

const shapes = "A turn is a word, a cube and a word, or two cubes.";

const notices = {
  noPath: (letter) => `No path goes on with ${letter}. Take it back to go on.`,
  noCube: (letter) => `No cube in sight shows ${letter}.`,
  needed: () => "That cube has to stay as it is for your choice.",
  full: () => `${shapes} There is no room for more.`,
  notYourTurn: (_, match) => `It is the turn of ${match.opponent}.`,
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

const notice = (match) => (match.notice ? notices[match.notice](match.noticeValue, match) : "");

const who = (isTheirs, match) => (isTheirs ? match.opponent : "You");

function played(turn, match) {
  const name = who(turn.isTheirs, match);
  return turn.word ? `${name} played ${turn.word} for ${turn.score}.` : `${name} took cubes away.`;
}

function last(match) {
  if (!match.last) return "";
  const { vanished } = match.last;
  return join(played(match.last, match), vanished > 0 && `${cubes(vanished)} vanished.`);
}

/** How the match ended, for its player. */
export function ending(match) {
  const [mine, theirs] = match.points;
  if (mine === theirs) return "It is a tie.";
  return mine > theirs ? "You won!" : `${match.opponent} won.`;
}

function lookedAt(match) {
  return `Turn ${match.at} of ${match.lines.length}: ${played(match.lines[match.at - 1], match)}`;
}

/** A sentence or two about the match. */
export function status(match) {
  if (match.at > 0) return lookedAt(match);
  if (match.notice) return notice(match);
  if (match.stage === "over") return `No cube is left. ${ending(match)}`;
  if (match.stage === "sent") return "Your turn is on its way.";
  if (match.stage === "theirs") return join(last(match), `${match.opponent} is thinking. You may try words.`);
  if (match.word) return "";
  if (match.taken.length === 0) return join(last(match), "Your turn.");
  if (!match.canPlay) return "Now a word, or a second cube.";
  return match.taken.length === 1 ? "The last cube: a whole turn." : "Two cubes: a whole turn.";
}

/** The choice so far; empty: nothing is chosen. */
function choice(match) {
  const { word, taken } = match;
  const parts = [];
  if (taken.length > 0) parts.push(`${cubes(taken.length)} taken away.`);
  if (word) {
    let text = `${word.text}: ${isGood(word) ? `${word.score} points` : verdicts[word.verdict]}`;
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
  if (match.notice) return join(chosen, notice(match));
  if (chosen) return join(chosen, match.stage === "mine" ? "" : status(match));
  return join(status(match), `You ${match.points[0]}, ${match.opponent} ${match.points[1]}.`);
}

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
    isRead: [1, 6, 24].includes(steps.number),
  };
}

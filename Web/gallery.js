// States of the page, each by the actions that lead to it, for pictures and tests: index.html?state=NAME.

const spell = (word) => [...word].map((letter) => `letter ${letter}`);
/** A turn, and the robot's answer; nothing moves any more. */
const turn = (actions) => [...actions, "submit", "clear", "robot 1", "clear"];
const words = ["HOUSEPLANT", "RAPTLY", "CLOTHS", "DAMSON", "YEOMEN", "DIPLEX", "STANZA", "PLIANT", "GLINTS"];
const removals = [[2, 4], [1, 0], [3, 5], [6, 8], [9, 11]];
const opening = (count) => words.slice(0, count).flatMap((word) => turn(spell(word)));
const whole = [...opening(words.length), ...removals.flatMap((pair) => turn(pair.map((cube) => `mark ${cube}`)))];

const lesson = [
  ["submit"], spell("G"), spell("A"), spell("ME"), ["submit"], ["submit"], ["look 1"], ["clear"],
  [...spell("CUBES"), "submit"], spell("BAC"), ["back"], ["clear"], spell("GAME"), ["clear"], spell("TIN"), ["way 2"], ["submit"],
  spell("GAMES"), ["submit"], ["mark 26"], ["mark 17"], ["submit"],
];
const steps = (count) => ["steps", ...lesson.slice(0, count).flat()];

/** Each state with its title. Without `kept` the first steps are done. */
export const states = {
  welcome: { title: "First visit", kept: "unseen", actions: [] },
  first: { title: "Before the first turn", actions: [] },
  short: { title: "Too short so far", actions: spell("PL") },
  word: { title: "A word", actions: spell("PLANET") },
  nonsense: { title: "Not a word", actions: spell("NAL") },
  missed: { title: "Letters without a path", actions: spell("PLANEX") },
  ways: { title: "Several ways", actions: [...opening(3), ...spell("DAMSON")] },
  thinking: { title: "The robot thinks", actions: [...spell("PLANET"), "submit"] },
  answered: { title: "The robot has played", actions: opening(1) },
  spelling: { title: "The robot's word is shown", actions: [...opening(1).slice(0, -1), "tick 1"] },
  leaving: { title: "A cube will vanish", actions: [...opening(1), ...spell("RAPTLY")] },
  middle: { title: "In the middle of a match", actions: opening(8) },
  marked: { title: "A cube taken away, and a word", actions: [...opening(8), "mark 8", ...spell("GLINT")] },
  two: { title: "Two cubes taken away", actions: [...opening(4), "mark 8", "mark 5"] },
  full: { title: "No room for more", actions: [...opening(4), "mark 8", "mark 5", "letter A"] },
  back: { title: "Looking back", actions: [...opening(8), "turn 9"] },
  values: { title: "Letter values", actions: [...opening(2), "values"] },
  turned: { title: "The cube turned", actions: opening(8), turn: [24, -12] },
  over: { title: "The end", actions: whole },
  list: { title: "Games", actions: [...opening(2), "leave"] },
  help: { title: "Rules and keys", actions: ["help"] },
  step1: { title: "First steps: welcome", actions: steps(0) },
  step4: { title: "First steps: a word", actions: steps(3) },
  step6: { title: "First steps: the other one", actions: steps(5) },
  step16: { title: "First steps: two ways", actions: steps(15) },
  step19: { title: "First steps: a cube will vanish", actions: steps(18) },
  step22: { title: "First steps: a cube is away", actions: steps(20) },
  step24: { title: "First steps: farewell", actions: steps(22) },
  advice: { title: "First steps: another letter", actions: [...steps(1), "letter C"] },
};

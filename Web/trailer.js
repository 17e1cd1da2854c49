// The trailer: a recorded match that plays itself, on the real game with the numbers of a fixed seed.

export const words = ["HOUSEPLANT", "RAPTLY", "CLOTHS", "DAMSON", "YEOMEN", "DIPLEX", "STANZA", "PLIANT", "GLINTS"];
/** The cubes of each turn after the words. */
export const removals = [[2, 4], [1, 0], [3, 5], [6, 8], [9, 11]];

/** What is told, before the turn with that number. */
export const captions = {
  0: "Spell a word over faces that touch.",
  1: "The robot answers. The longer a word, the more it counts.",
  3: "A face that was used three times takes its cube away.",
  5: "Behind it wait other letters.",
  9: "No words left? Take two cubes away.",
};
const pace = { letter: 260, look: 1100, turn: 650 };

/** Plays it. `send` takes actions, `read` gives the state. Ends early at a signal. */
export async function play({ send, read, turn, tell, signal }) {
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const isWaiting = () => read().match.isShowing || !["mine", "over"].includes(read().match.stage);
  const scenes = [
    ...words.map((word) => [...word].map((letter) => `letter ${letter}`)),
    ...removals.map((cubes) => cubes.map((cube) => `mark ${cube}`)),
  ];
  for (const [number, actions] of scenes.entries()) {
    while (isWaiting() && !signal.aborted) await pause(50);
    if (captions[number]) tell(captions[number]);
    await pause(pace.turn);
    if (number % 3 === 2) turn(number % 2 ? 18 : -18, number % 2 ? -8 : 8);
    for (const action of [...actions, "submit"]) {
      if (signal.aborted) return;
      send(action);
      await pause(action === "submit" ? pace.look : pace.letter);
    }
  }
  while (isWaiting() && !signal.aborted) await pause(50);
}

// The cube that is drawn before the game has arrived: the first one that the game deals. It is JSON after the
// equals sign, so that a test can compare it with the game.
export const first = {
  "kept": "unseen",
  "help": false,
  "timers": [],
  "match": {
    "key": "1",
    "opponent": "Robot, easy",
    "letters": "BXSNJNAOCOEECONTHVDTTAAISCZLOSGLOXUULXTHGERSADTSTAIMTOGYNTYTOYPNLIHTALELVPRNECSON",
    "cubes": 134217727,
    "open": "000000010000000010100100110000000010000000010100100110001001011001001011101101111",
    "playable": "000000010000000010100100110000000010000000010100100110001001011001001011101101111",
    "uses": "000000000000000000000000000000000000000000000000000000000000000000000000000000000",
    "path": [],
    "isTheirs": false,
    "leaving": 0,
    "marked": 0,
    "isVanishing": false,
    "points": [0, 0],
    "stage": "mine",
    "taken": [],
    "missed": "",
    "canPlay": false,
    "lines": [],
    "at": 0,
    "isShowing": false,
    "isReplaying": false,
    "values": [],
    "canRematch": false
  }
};

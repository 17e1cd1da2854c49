import CubePlay
import MatchCore

// deploy/wasm compiles this file too: random plays are the same in a browser's engine.

/// Random plays, each as one number. `goldens` has the numbers that every build has to reach.
enum Plays {
  /// The number of a play: two turns that the judge answers, then anything that may happen. It
  /// counts every state and effect, each offer, and the verdicts of the rules and of the judge.
  static func number(seed: Int) -> UInt64 {
    var (play, hash) = (RandomPlay(seed: UInt64(seed)), PlayHash())
    for _ in 0..<2 where play.judged.match.outcome == nil { judge(&play, &hash) }
    for _ in 0..<20 {
      let action = play.action()
      hash.add(play.reducer.reduce(&play.match, action))
      hash.add(play.match)
    }
    return hash.value
  }

  /// The first seed with another number; nil: there is none.
  static func firstWrong() -> String? {
    for (seed, golden) in goldens.enumerated() {
      let number = number(seed: seed)
      if number != golden { return "seed \(seed) comes to \(number)" }
    }
    return nil
  }

  private static func judge(_ play: inout RandomPlay, _ hash: inout PlayHash) {
    for _ in 0..<play.number(3...7) {
      let action = play.draftAction()
      hash.add(play.reducer.reduce(&play.match, .draft(action)))
      hash.add(play.match)
      hash.add(
        play.match.draft?.moves ?? [], on: play.match.game, seatCount: play.seatCount,
        words: play.lexicon)
    }
    let offer = play.match.offer
    hash.add(play.reducer.reduce(&play.match, .submit))
    guard let offer else { return }
    hash.add(play.judged.play(offer.moves)) { $0.add($1) }
    hash.add(play.reducer.reduce(&play.match, .answered(.accepted(secondsLeft: nil))))
    hash.add(play.match)
    guard play.seatCount == 2, play.judged.match.outcome == nil else { return }
    // The opponent leaves the cube as it is.
    play.match = PlayTurn(
      Standing(
        game: play.match.game, players: two, turnNumber: play.match.turnNumber,
        stage: .yours(secondsLeft: nil)))
  }
}

import CubeLexicon
import CubeRules
import CubistBasics
import Testing

@testable import MatchCore

/// Plays matches of every kind by chance: turns, wrong turns, late turns, joins, declines,
/// withdrawals, forfeits, outages and rematches. The lab compares record and state after every
/// step.
struct RandomMatches {
  let lab: MatchLab
  var generator: SplitMix64
  private(set) var turnCount = 0

  init(seed: UInt64) {
    lab = MatchLab(seed.isMultiple(of: 5) ? .english : .everyWord)
    generator = SplitMix64(state: seed &* SplitMix64.increment)
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  /// Begins a match of some kind and plays until it is over or the steps are used up; then perhaps
  /// a rematch.
  mutating func run(steps: Int) {
    var id = begin()
    for _ in 0..<steps {
      guard let match = lab.matches[id] else { return }
      switch match.stage {
      case .waiting: wait(id, match)
      case .playing: play(id, match)
      case .ended:
        guard match.seats.count == 2, match.outcome?.wasPlayed == true else { return }
        askForRematch(id)
        if let successor = lab.matches[id]?.rematch.successor { id = successor }
      }
      if chance(20) { lab.pass(seconds: .random(in: 1...100_000, using: &generator)) }
      if chance(4) {
        lab.passWithoutTicks(seconds: .random(in: 1...200_000, using: &generator))
        lab.tick()
      }
    }
  }

  private mutating func begin() -> MatchID {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: return lab.request(chance(50) ? .solo : MatchRequest(alone: .timed), by: .ann)
    case 1:
      let mode: SoloMode = chance(50) ? .unlimited : .timed
      let key = DailyKey(day: Day(containing: lab.now), mode: mode)
      lab.dailies[key] = Dealer.daily(key, lexicon: .everyWord, secret: .test)
      if let current = lab.lexicons.current(for: .english) {
        lab.dailies[key]?.lexicon = current.version.rawValue
      }
      lab.act(.dailyStarted(key), by: .ann)
      return MatchID(daily: key, player: TestPlayer.ann.id)
    case 2: return lab.request(.invite(.bob), by: .ann)
    case 3: return lab.request(.open, by: .ann)
    default: return lab.request(.random, by: .ann)
    }
  }

  private mutating func wait(_ id: MatchID, _ match: Match) {
    if match.turnNumber == 1, chance(40) { return takeTurn(id, match) }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: lab.act(.requestWithdrawn(id), by: .ann)
    case 1: lab.act(.invitationDeclined(id), by: .bob)
    case 2: lab.act(.matchForfeited(id), by: .ann)
    case 3: lab.act(.matchRequested(.invite(.ann)), by: .bob)
    case 4: lab.pass(seconds: 5 * day)
    case 5...7: lab.act(.matchRequested(.random), by: .bob)
    default:
      let code = ShareCode(invitationTo: id, secret: .test)
      lab.act(.invitationAccepted(id, code: code), by: .bob)
    }
  }

  private mutating func play(_ id: MatchID, _ match: Match) {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0: lab.act(.matchForfeited(id), by: .ann)
    case 1: lab.act(.matchForfeited(id), by: .bob)
    // Most solo games would end by their time.
    case 13...15 where match.seats.count == 1: lab.act(.matchForfeited(id), by: .ann)
    case 13...17:
      let verdict: Ruling.Verdict = chance(60) ? .ended : .annulled
      lab.act(.ruled(id, Ruling(verdict, for: .fault)), by: .service)
    case 2...4:
      let deadline = match.deadline?.at ?? lab.now
      lab.act(
        .deadlinePassed(id, turn: match.turnNumber, deadline: deadline), by: .service)
    case 5...9: lab.act(lab.turn(id, moves("000T 111T 222T")), by: .ann)
    case 18...19: lab.act(lab.reaction(id), by: chance(50) ? .ann : .bob)
    case 10...12: lab.act(lab.turn(id, twoRemovals, number: match.turnNumber - 1), by: .bob)
    default: takeTurn(id, match)
    }
  }

  private mutating func askForRematch(_ id: MatchID) {
    let player: TestPlayer = chance(50) ? .ann : .bob
    if chance(5) { lab.act(.ruled(id, Ruling(.annulled, for: .agreement)), by: .service) }
    if chance(15) {
      lab.act(.rematchDeclined(id), by: player)
    } else {
      lab.act(.rematchRequested(id), by: player)
    }
  }

  /// The player to move plays a word, a removal and a word, or removals.
  private mutating func takeTurn(_ id: MatchID, _ match: Match) {
    var game = match.game
    var turn: [Move] = []
    if chance(30) { remove(&turn, &game) }
    if chance(80), let word = word(on: game, lab.lexicon(of: id)) {
      turn.append(word)
    } else {
      remove(&turn, &game)
      if turn.count < 2 { remove(&turn, &game) }
    }
    let isAnn = match.seats[match.seatToPlay].player == TestPlayer.ann.id
    if case .accepted(.turnAccepted) = lab.act(lab.turn(id, turn), by: isAnn ? .ann : .bob) {
      turnCount += 1
    }
  }

  private mutating func remove(_ turn: inout [Move], _ game: inout CubeGame) {
    guard let cube = Array(game.playable).randomElement(using: &generator)?.cube else { return }
    turn.append(.removal(cube))
    _ = try? game.apply(.removal(cube), words: AnyWord())
  }

  private mutating func word(on game: CubeGame, _ lexicon: Lexicon) -> Move? {
    if lexicon.wordCount != nil {
      return lexicon.words(on: game).randomElement(using: &generator).map { .word($0.faces) }
    }
    guard var face = Array(game.playable).randomElement(using: &generator) else { return nil }
    var path = [face]
    for _ in 0..<Int.random(in: 2...6, using: &generator) {
      let next = face.neighbors.intersection(game.playable).subtracting(FaceSet(path))
      guard let chosen = Array(next).randomElement(using: &generator) else { break }
      path.append(chosen)
      face = chosen
    }
    return .word(path)
  }
}

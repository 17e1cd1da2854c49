import CubeLexicon
import CubeRules
import MatchCore
import Testing

@testable import CubePlay

/// The judge accepts every offered turn, and every turn that it accepts can be reached. A failing
/// test names the seed of its game.
@Suite("Random games")
struct PropertyTests {
  static let gameCount = 10_000
  static let shares = 8

  /// Every eighth game.
  static func seeds(_ share: Int) -> StrideTo<Int> {
    stride(from: share, to: gameCount, by: shares)
  }

  @Test(
    "The judge accepts every offer, with the score and the cubes that were previewed",
    arguments: 0..<shares)
  func offers(share: Int) throws {
    var (offers, played): ([LegalTurn], Int) = ([], 0)
    for seed in Self.seeds(share) {
      var play = RandomPlay(seed: UInt64(seed))
      for _ in 0..<play.number(1...2) where play.judged.match.outcome == nil {
        for _ in 0..<play.number(3...7) {
          let action = play.draftAction()
          _ = play.reducer.reduce(&play.match, .draft(action))
          try Self.check(play, "seed \(seed), \(action)")
        }
        if let offer = play.match.offer { offers.append(offer) }
        played += try Self.submit(&play, "seed \(seed)") ? 1 : 0
      }
    }
    // Most random choices make no turn, but enough do.
    #expect(offers.count > Self.gameCount / Self.shares / 10)
    #expect(played == offers.count)
    // Words, words after a removal, removals by themselves; a single one where one plays alone.
    let shapes = Set(offers.map { "\($0.moves.count) \($0.faces.isEmpty ? "-" : "word")" })
    #expect(shapes == ["1 word", "2 word", "1 -", "2 -"])
  }

  /// Whether the offer agrees with the rules' verdict on the draft.
  private static func check(_ play: RandomPlay, _ place: String) throws {
    let draft = try #require(play.match.draft, "\(place)")
    var after = play.match.game
    let scores = try? after.applyTurn(
      draft.moves, seatCount: play.seatCount, words: play.lexicon)
    guard let offer = play.match.offer else {
      // More was typed than the draft holds.
      if case .noPath = play.match.notice { return }
      #expect(scores == nil, "\(place): \(draft.moves) is not offered")
      return
    }
    let vanished = play.match.game.inPlay.subtracting(after.inPlay)
    #expect(offer.moves == draft.moves, "\(place)")
    #expect(offer.score == scores?.reduce(0, +), "\(place)")
    #expect(offer.vanishing == vanished.subtracting(CubeSet(draft.marks)), "\(place)")
    #expect(draft.word.map { $0.word } ?? "" == offer.word, "\(place)")
  }

  /// Submits the offer, and plays it with the judge; gives whether there was an offer.
  private static func submit(_ play: inout RandomPlay, _ place: String) throws -> Bool {
    let (offer, number) = (play.match.offer, play.match.turnNumber)
    let effects = play.reducer.reduce(&play.match, .submit)
    guard let offer else {
      #expect(effects == [], "\(place)")
      #expect(play.match.notice != nil, "\(place)")
      return false
    }
    #expect(effects == [.send(offer.moves, number: number)], "\(place)")
    let scores = play.judged.play(offer.moves)
    #expect(scores?.reduce(0, +) == offer.score, "\(place): \(offer.moves)")
    _ = play.reducer.reduce(&play.match, .answered(.accepted(secondsLeft: nil)))
    #expect(play.match.game == play.judged.match.game, "\(place)")
    if case .over = play.match.stage {
      #expect(play.judged.match.outcome?.reason == .cleared, "\(place)")
    } else if play.seatCount == 2 {
      // Only in this test does the opponent leave the cube unchanged: the match is shown anew.
      let (game, turn) = (play.match.game, play.match.turnNumber)
      play.match = PlayTurn(
        Standing(
          game: game, players: two, turnNumber: turn, stage: .yours(secondsLeft: nil)))
    }
    return true
  }

  @Test(
    "Letters and ways reach every turn that the judge accepts, and so do faces",
    arguments: 0..<shares)
  func reach(share: Int) throws {
    var reached = 0
    for seed in Self.seeds(share) {
      var play = RandomPlay(seed: UInt64(seed))
      var game = play.match.game
      for _ in 0..<play.number(0...8) {
        guard let turn = play.turn(on: game, seatCount: 2) else { continue }
        game = game.after(turn)
      }
      guard !game.isOver, let turn = play.turn(on: game, seatCount: play.seatCount) else {
        continue
      }
      play.match = PlayTurn(
        Standing(
          game: game, players: play.match.players, turnNumber: 1,
          stage: .yours(secondsLeft: nil)))
      guard (try? LegalTurn(turn, on: game, seatCount: play.seatCount, words: play.words)) != nil
      else { continue }
      try Reaching.check(turn, play, "seed \(seed)")
      reached += 1
    }
    #expect(reached > Self.gameCount / Self.shares / 4)
  }

  @Test(
    "The chosen path stands on the cube after any actions in any order",
    arguments: 0..<shares)
  func order(share: Int) {
    var sent = 0
    for seed in Self.seeds(share).prefix(250) {
      var play = RandomPlay(seed: UInt64(seed))
      for _ in 0..<20 {
        let action = play.action()
        let before = play.match
        let effects = play.reducer.reduce(&play.match, action)
        let place = "seed \(seed), \(action)"
        sent += effects.count { if case .send = $0 { true } else { false } }
        #expect(play.match.turnNumber >= before.turnNumber, "\(place)")
        guard let draft = play.match.draft else { continue }
        #expect(play.standsOnTheCube(draft), "\(place): \(draft.moves)")
      }
    }
    #expect(sent > 20)
  }

  @Test(
    "Every English word on a cube can be typed and played, in each of its ways",
    arguments: 1...8 as ClosedRange<UInt64>)
  func english(seed: UInt64) throws {
    var play = RandomPlay(seed: seed * 4)
    var game = play.match.game
    for _ in 0..<play.number(0...10) {
      guard let turn = play.turn(on: game, seatCount: 2) else { continue }
      game = game.after(turn)
    }
    play.match = PlayTurn(
      Standing(
        game: game, players: play.match.players, turnNumber: 1,
        stage: .yours(secondsLeft: nil)))
    for found in Lexicon.english.words(on: game) {
      let typed = play.match(after: keys(found.word).map { .letterTyped($0) })
      let offer = try #require(typed.offer, "\(found.word)")
      #expect(offer.score == found.score, "\(found.word)")
      #expect(offer.faces == found.faces, "\(found.word)")
      for path in game.paths(spelling: found.word, limit: 20) {
        try Reaching.check([.word(path)], play, found.word)
      }
    }
    for cube in game.inPlay where game.refusal(ofRemoving: cube) == nil {
      #expect(play.match(after: [.cubeMarked(cube)]).draft == .marked(cube, then: nil))
      let left = game.without([cube])
      for other in left.inPlay where left.refusal(ofRemoving: other) == nil {
        try Reaching.check([.removal(cube), .removal(other)], play, "removals")
      }
    }
  }
}

/// Reaches a legal turn by a player's actions.
enum Reaching {
  static func check(_ turn: [Move], _ play: RandomPlay, _ place: String) throws {
    let game = play.match.game
    var (marks, path): ([DraftAction], [Face]) = ([], [])
    for move in turn {
      switch move {
      case .removal(let cube): marks.append(.cubeMarked(cube))
      case .word(let faces): path = faces
      }
    }
    // By its faces exactly.
    let tapped = play.match(after: marks + path.map { .faceTapped($0) })
    #expect(tapped.offer?.moves == turn, "\(place): \(turn) tapped")
    let dragged = play.match(after: marks + path.map { .faceDragged($0) })
    #expect(dragged.offer == tapped.offer, "\(place): \(turn) dragged")
    guard !path.isEmpty else { return }
    // By its letters, each with a key, up to a way that is the same.
    let letters = keys(game.spelling(of: path).description)
    var typed = play.match(after: marks + letters.map { .letterTyped($0) })
    let wanted = Way(path, in: game.without(tapped.draft?.marks ?? [])).outcome
    let wayCount = try #require(typed.draft?.word, "\(place): \(turn) typed").ways.count
    for _ in 0..<wayCount where typed.draft?.word?.shown.outcome != wanted {
      _ = play.reducer.reduce(&typed, .draft(.nextWay))
    }
    #expect(typed.draft?.word?.shown.outcome == wanted, "\(place): \(turn) typed")
    #expect(typed.offer?.score == tapped.offer?.score, "\(place): \(turn)")
    #expect(typed.offer?.vanishing == tapped.offer?.vanishing, "\(place): \(turn)")
  }
}

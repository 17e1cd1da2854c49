import CubePlay
import CubeRules
import MatchCore
import MatchWire
import ServiceNews
import Testing

@Suite("Times and answers in words")
struct WordsTests {
  @Test(
    "A span of time is a number with a unit, or of seconds",
    arguments: [
      ("3d", 259_200), ("12h", 43_200), ("90m", 5_400), ("45s", 45), ("10", 10), ("0s", 0),
      ("106751991167300d", 9_223_372_036_854_720_000),
    ] as [(String, Int64)])
  func durations(text: String, seconds: Int64) {
    #expect(DurationText.seconds(text) == seconds)
  }

  @Test(
    "A text that is no span of time is refused",
    arguments: [
      "", "d", "3w", "-3d", "3 d", "3.5h", "+1s", "1d2h", "٣d", "106751991167301d",
      "99999999999999999999",
    ])
  func noDurations(text: String) {
    #expect(DurationText.seconds(text) == nil)
  }

  @Test(
    "A span of time is shown in the greatest unit that says it exactly",
    arguments: [(86_400, "1d"), (7_200, "2h"), (5_400, "90m"), (61, "61s"), (0, "0s")]
      as [(Int64, String)])
  func shown(seconds: Int64, text: String) {
    #expect(DurationText.text(seconds: seconds) == text)
  }

  @Test("Terms with a limit that no match can have are no request")
  func terms() {
    func request(_ limit: String) -> MatchRequest? {
      MatchRequest(.random, NewMatch.Terms(turnLimit: limit, isCasual: true))
    }
    #expect(
      request("3d") == MatchRequest(opponent: .random, turnLimitSeconds: 259_200, isCasual: true))
    #expect(request("10s") != nil && request("30d") != nil)
    for limit in ["", "9s", "31d", "soon", "99999999999999999999d"] {
      #expect(request(limit) == nil && MatchRequest.turnLimit(limit) == nil, "\(limit)")
    }
    #expect(SoloMode(.timed) == .timed && SoloMode(.unlimited) == .unlimited)
  }

  @Test("A match is called by its id, a shared game by its code")
  func keys() throws {
    let code = try #require(ShareCode("7K3QX2M9"))
    #expect(MatchKey(Made.match(1)).match == Made.match(1))
    #expect(MatchKey(Made.match(1)).code == nil)
    #expect(MatchKey(code).code == code && MatchKey(code).match == nil)
    #expect(MatchKey(Made.ticket(Made.match(1))) == MatchKey(Made.match(1)))
    #expect(MatchKey("daily 2026-05-01").code == nil && MatchKey("easy").match == nil)
  }

  @Test("An accepted start has begun, a refused one has a sentence")
  func starts() {
    let ticket = Made.ticket(Made.match(1))
    for acceptance in [
      Acceptance.matchStarted(ticket), .matchJoined(ticket), .dailyStarted(ticket),
    ] {
      #expect(StartAnswer(.accepted(acceptance)) == .began(MatchKey(Made.match(1))))
    }
    #expect(
      StartAnswer(.accepted(.done(.reacted, Made.match(1), version: 2)))
        == .refused("The answer to your start is of another kind."))
    #expect(
      StartAnswer(.refused(name: "codeInvalid", message: "No.", refusal: .codeInvalid))
        == .refused("No."))
  }

  @Test("A refusal has the typed name for a person, and no id")
  func refusals() throws {
    let (player, match) = (Made.grace, Made.match(1))
    for (refusal, id, text) in [
      (Refusal.playerUnavailable(player), "\(player)", "grace cannot be met now."),
      (.blockedByYou(player), "\(player)", "You have blocked grace."),
      (.invitationPending(match), "\(match)", "You have invited grace already."),
      (.alreadyJoined(match), "\(match)", "You play in that match already."),
      (.dailyAlreadyStarted(match), "\(match)", "You have begun that challenge already."),
    ] {
      #expect(refusal.message.contains(id))
      let shown = try #require(refusal.text(naming: "grace"))
      #expect(shown.hasPrefix(text) && !shown.contains(id))
      #expect(refusal.text(naming: nil)?.contains(id) == false)
    }
  }

  @Test("A refused turn is illegal, out of date or told in words")
  func turns() {
    #expect(Answer(.unknownTurn(current: 3), "No.") == .outdated)
    #expect(Answer(.codeInvalid, "No.") == .refused("No."))
    #expect(Answer(nil, "No.") == .refused("No."))
  }

  @Test("A turn that the match has already counts, another one in its place does not")
  func played() throws {
    var view = try Made.view(Made.match(1), seatToPlay: 1)
    let move = try Move(notation: view.turns[0].moves[0])
    func answer(_ number: Int, _ moves: [Move], _ player: PlayerID) -> Answer {
      Answer(toTurn: number, moves, of: player, in: view, now: Made.now)
    }
    #expect(answer(1, [move], Made.ada) == .accepted(secondsLeft: 3_600))
    #expect(answer(1, [move], Made.grace) == .outdated)
    #expect(answer(2, [move], Made.ada) == .outdated)
    #expect(answer(1, [], Made.ada) == .outdated)
    view.outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    #expect(answer(1, [move], Made.ada) == .accepted(secondsLeft: nil))
    view.turns[0].seat = 7
    #expect(answer(1, [move], Made.ada) == .outdated)
  }

  @Test("The next turn has its limit, and in a timed game what is left")
  func secondsAfterTurn() throws {
    var view = try Made.view(Made.match(1))
    #expect(view.secondsAfterTurn(Made.now) == 86_400)
    view.mode = .timed
    #expect(view.secondsAfterTurn(Made.now) == 3_600)
    (view.mode, view.turnLimit) = (nil, nil)
    #expect(view.secondsAfterTurn(Made.now) == nil)
  }
}

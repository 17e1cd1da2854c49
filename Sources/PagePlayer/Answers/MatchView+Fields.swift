import CubeRules
import MatchCore
import MatchWire

extension MatchView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      id: try object.id("id"), version: try object.integer("version"),
      kind: try object.matchKind(),
      language: try object.value("language", "a language") { Language(rawValue: $0) },
      lexicon: try object.string("lexicon"), rules: try object.string("rules"),
      letters: try object.string("letters", limit: Face.all.count),
      seats: try object.seats(),
      stage: try object.value("stage", "a stage") { MatchStage(rawValue: $0) },
      turn: try object.turnNumber("turn"), seatToPlay: try object.seat("seatToPlay"),
      previous: try object.hash("previous"), startedAt: try object.instant("startedAt"),
      uses: try object.string("uses", limit: Face.all.count),
      inPlay: try object.string("inPlay"),
      playable: try object.string("playable", limit: Face.all.count),
      turns: try object.list("turns", Turn.init))
    daily = try object.optionalObject("daily", DailyKey.init)
    mode = try object.optionalMode()
    turnLimit = try object.optionalInteger("turnLimit")
    outcome = try object.optionalObject("outcome", Outcome.init)
    deadline = try object.optionalInstant("deadline")
    endedAt = try object.optionalInstant("endedAt")
    predecessor = try object.optionalID("predecessor")
    successor = try object.optionalID("successor")
    rematchOfferBy = try object.optionalSeat("rematchOfferBy")
    code = try object.code()
    casual = try object.optionalBool("casual")
    ruledFor = try object.optionalValue("ruledFor", "a reason") { Ruling.Reason(rawValue: $0) }
    gaveUp = try object.optionalBool("gaveUp")
    why = try MeetingReason(in: object).map { MeetingView($0) }
    nudgeFrom = try object.optionalInstant("nudgeFrom")
  }
}

extension JSONObject {
  fileprivate func seats() throws(WireFault) -> [MatchView.Seat] {
    let seats = try list("seats", MatchView.Seat.init)
    guard seats.count <= WireLimits.seatCount else {
      throw .malformed("seats: at most \(WireLimits.seatCount) may be")
    }
    return seats
  }
}

extension MatchView.Seat {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      player: try object.optionalID("player"), name: try object.optionalPlayerName("name"),
      points: try object.smallInteger("points"), turns: try object.smallInteger("turns"),
      state: try object.value("state", "free, invited or taken") { State(rawValue: $0) },
      bot: try object.optionalBool("bot"))
  }
}

extension MatchView.Turn {
  init(_ object: JSONObject) throws(WireFault) {
    let moves = WireLimits.movesPerTurn
    self.init(
      number: try object.turnNumber("number"), seat: try object.seat("seat"),
      moves: try object.strings("moves", count: moves, limit: Move.notationLimit),
      words: try object.strings("words", count: moves, limit: Spelling.countLimit),
      scores: try object.integers("scores", count: moves),
      acceptedAt: try object.instant("acceptedAt"), hash: try object.hash("hash"),
      reaction: try object.optionalObject("reaction", MatchView.Reaction.init))
  }
}

extension MatchView.Reaction {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      seat: try object.seat("seat"),
      word: try object.string("word", limit: Spelling.countLimit))
  }
}

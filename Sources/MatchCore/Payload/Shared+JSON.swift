package import CubeRules

extension Outcome {
  package var json: JSON {
    .object([
      ("reason", .string(reason.rawValue)),
      ("seat", seat.map { .number($0) }),
      ("results", .array(results.map { .string($0.rawValue) })),
      ("mergedInto", mergedInto.map { .text($0) }),
    ])
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let reason = try object.value("reason", "a reason") { Reason(rawValue: $0) }
    let seat = try object.optionalInteger("seat", in: 0...WireLimits.lastSeat)
    var results: [Result] = []
    for text in try object.strings("results", count: WireLimits.seatCount) {
      guard let result = Result(rawValue: text) else { throw .malformed("results: unknown result") }
      results.append(result)
    }
    self.init(
      reason: reason, seat: seat.map { Int($0) }, results: results,
      mergedInto: try object.optionalID("mergedInto"))
  }
}

extension MeetingReason {
  package var json: JSON {
    .object([
      ("ratingDistance", .number(ratingDistance)), ("window", window.map { .number($0) }),
      ("waited", .number(waitedSeconds)), ("metLately", hadMetLately ? .bool(true) : nil),
      ("merged", merged.map { .text($0) }),
    ])
  }

  /// The reason that an object holds under `why`. Nil if it holds none.
  package init?(in object: JSONObject) throws(WireFault) {
    guard object.optional("why") != nil else { return nil }
    let why = try object.object("why")
    let window = why.optional("window") == nil ? nil : try why.smallInteger("window")
    self.init(
      ratingDistance: try why.smallInteger("ratingDistance"), window: window,
      waitedSeconds: try why.integer("waited"), hadMetLately: try why.flag("metLately"),
      merged: try why.optionalID("merged"))
  }
}

extension DailyKey {
  package var json: JSON {
    .object([
      ("day", .text(day)), ("mode", .string(mode.rawValue)),
      ("language", .string(language.rawValue)),
    ])
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      day: try object.value("day", "a day such as 2026-05-01") { Day($0) },
      mode: try object.value("mode", "a mode") { SoloMode(rawValue: $0) },
      language: try object.value("language", "a language") { Language(rawValue: $0) })
  }
}

extension Leaderboard {
  package var json: JSON {
    .object([
      ("kind", .string(games.kind.rawValue)), ("mode", .string(games.mode.rawValue)),
      ("language", .string(games.language.rawValue)), ("measure", .string(measure.rawValue)),
      ("window", .string(window.rawValue)),
    ])
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      games: SoloGames(
        kind: try object.value("kind", "solo or daily") { SoloGames.Kind(rawValue: $0) },
        mode: try object.value("mode", "a mode") { SoloMode(rawValue: $0) },
        language: try object.value("language", "a language") { Language(rawValue: $0) }),
      measure: try object.value("measure", "points or words") { Measure(rawValue: $0) },
      window: try object.value("window", "day, week or all") { Window(rawValue: $0) })
  }
}

extension Terms.Kind {
  /// The kind of match, as it travels.
  public var name: MatchKind {
    switch self {
    case .random: .random
    case .invitation: .invitation
    case .open: .open
    case .rematch: .rematch
    case .solo: .solo
    case .daily: .daily
    }
  }

  /// The daily challenge. Nil for any other kind.
  public var dailyKey: DailyKey? {
    if case .daily(let key) = self { key } else { nil }
  }
}

extension Terms {
  package var fields: [(String, JSON?)] {
    [
      ("kind", .string(kind.name.rawValue)), ("daily", kind.dailyKey?.json),
      ("mode", kind == .solo(.timed) ? .string(SoloMode.timed.rawValue) : nil),
      ("turnLimit", turnLimitSeconds.map { .number($0) }),
      ("language", .string(language.rawValue)), ("casual", isCasual ? .bool(true) : nil),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let kind: Kind
    switch try object.value("kind", "a kind of match", { MatchKind(rawValue: $0) }) {
    case .random: kind = .random
    case .invitation: kind = .invitation
    case .open: kind = .open
    case .rematch: kind = .rematch
    case .solo:
      // Deals from before there were timed games name no mode.
      let mode = try object.optionalValue("mode", "a mode") { SoloMode(rawValue: $0) }
      kind = .solo(mode ?? .unlimited)
    case .daily: kind = .daily(try DailyKey(object.object("daily")))
    }
    self.init(
      kind: kind, turnLimitSeconds: try object.optionalInteger("turnLimit"),
      language: try object.value("language", "a language") { Language(rawValue: $0) },
      isCasual: try object.flag("casual"))
  }
}

extension Move {
  package static func list(_ object: JSONObject) throws(WireFault) -> [Move] {
    let texts = try object.strings(
      "moves", count: WireLimits.movesPerTurn, limit: Move.notationLimit)
    var moves: [Move] = []
    moves.reserveCapacity(texts.count)
    for (index, text) in texts.enumerated() {
      do {
        moves.append(try Move(notation: text))
      } catch {
        throw .malformed("moves, number \(index + 1): \(error)")
      }
    }
    return moves
  }
}

public import MatchCore

/// Queries as the bytes that are signed: UTF-8 JSON, read as strictly as events.
public enum QueryCodec {
  /// The payload of a query.
  public static func encode(_ query: Query) -> [UInt8] {
    JSON.object(
      [
        ("v", .integer(1)), ("service", .text(query.service)), ("id", .text(query.id)),
        ("type", .string(query.kind.typeName)), ("player", .text(query.player)),
      ] + query.kind.fields
    ).serialized
  }

  /// The query that a payload holds.
  /// - Throws: `QueryRefusal.malformed` with what is wrong and where, or `unsupportedVersion`.
  public static func decode(_ payload: [UInt8]) throws(QueryRefusal) -> Query {
    do throws(WireFault) {
      guard payload.count <= WireLimits.payloadBytes else {
        throw .malformed(PayloadCodec.tooLong(payload.count, limit: WireLimits.payloadBytes))
      }
      let object = try JSONReader.object(of: payload)
      try object.checkVersion()
      return Query(
        service: try object.id("service"), id: try object.id("id"),
        player: try object.id("player"), kind: try Query.Kind(object))
    } catch {
      throw QueryRefusal(error)
    }
  }
}

extension Signer {
  /// A signed query, ready for its envelope.
  public func sign(_ query: Query) -> SignedPayload {
    signed(QueryCodec.encode(query), as: .query)
  }
}

extension Query.Kind {
  fileprivate var typeName: String {
    switch self {
    case .serviceInfo: "serviceInfo"
    case .whoAmI: "whoAmI"
    case .player: "player"
    case .matches: "matches"
    case .match: "match"
    case .matchByCode: "matchByCode"
    case .pastGames: "pastGames"
    case .record: "record"
    case .recordByCode: "recordByCode"
    case .standings: "standings"
    case .ladder: "ladder"
    case .dailyHistory: "dailyHistory"
    case .leaderboard: "leaderboard"
    case .review: "review"
    case .settings: "settings"
    case .inbox: "inbox"
    case .blocks: "blocks"
    }
  }

  fileprivate var fields: [(String, JSON?)] {
    switch self {
    case .serviceInfo, .whoAmI, .matches, .dailyHistory, .review, .settings, .inbox,
      .blocks:
      []
    case .player(let name): [("name", .text(name))]
    case .match(let match, let atLeast, let newerThan):
      [
        ("match", .text(match)), ("atLeast", atLeast.map { .number($0) }),
        ("newerThan", newerThan.map { .number($0) }),
      ]
    case .matchByCode(let code), .recordByCode(let code): [("code", .text(code))]
    case .pastGames(let with, let filter, let before, let limit):
      [
        ("with", with.map { .text($0) }), ("kind", filter.kind.map { .string($0.rawValue) }),
        ("result", filter.result.map { .string($0.rawValue) }),
        ("from", filter.from.map { .number($0.microseconds) }),
        ("until", filter.until.map { .number($0.microseconds) }),
        ("before", before.map { .text($0) }), ("limit", .number(limit)),
      ]
    case .record(let match): [("match", .text(match))]
    case .standings(let key): [("daily", key.json)]
    case .ladder(let limit): [("limit", .number(limit))]
    case .leaderboard(let board): [("board", board.json)]
    }
  }

  fileprivate init(_ object: JSONObject) throws(WireFault) {
    let type = try object.string("type")
    switch type {
    case "serviceInfo": self = .serviceInfo
    case "whoAmI": self = .whoAmI
    case "player": self = .player(try object.value("name", "a name") { PlayerName($0) })
    case "matches": self = .matches
    case "match":
      self = .match(
        try object.id("match"), atLeast: try object.optionalInteger("atLeast"),
        newerThan: try object.optionalInteger("newerThan"))
    case "matchByCode":
      self = .matchByCode(
        try object.value("code", "4 to 16 of A-Z and 0-9") { ShareCode($0) })
    case "recordByCode":
      self = .recordByCode(
        try object.value("code", "4 to 16 of A-Z and 0-9") { ShareCode($0) })
    case "pastGames":
      let limits = Query.pastGamesLimits
      self = .pastGames(
        with: try object.optionalID("with"),
        filter: PastGamesFilter(
          kind: try object.optionalValue("kind", "a kind of match") { MatchKind(rawValue: $0) },
          result: try object.optionalValue("result", "a result") { Outcome.Result(rawValue: $0) },
          from: try object.optionalInteger("from").map { Instant(microseconds: $0) },
          until: try object.optionalInteger("until").map { Instant(microseconds: $0) }),
        before: try object.optionalValue("before", "a cursor") { PastGamesCursor($0) },
        limit: try object.smallInteger(
          "limit", in: Int64(limits.lowerBound)...Int64(limits.upperBound)))
    case "record": self = .record(try object.id("match"))
    case "standings": self = .standings(try DailyKey(object.object("daily")))
    case "ladder":
      let limits = Query.ladderLimits
      self = .ladder(
        limit: try object.smallInteger(
          "limit", in: Int64(limits.lowerBound)...Int64(limits.upperBound)))
    case "dailyHistory": self = .dailyHistory
    case "leaderboard": self = .leaderboard(try Leaderboard(object.object("board")))
    case "review": self = .review
    case "settings": self = .settings
    case "inbox": self = .inbox
    case "blocks": self = .blocks
    default: throw .malformed("type \(excerpt(type)) is not known")
    }
  }
}

public import MatchCore

/// A question of a gateway's own to the readers. No player signs it: only a gateway's user of the
/// broker may publish to its exchange. The answer shows versions, or what anybody may see.
public struct GatewayQuery: Hashable, Sendable {
  /// The gateway's id of this question.
  public var id: EventID
  public var question: Question

  public enum Question: Hashable, Sendable {
    /// The overviews of players: `GatewayOverviews`.
    case overviews([PlayerID])
    /// Which of these keys speak for nobody: `GatewayKeys`.
    case keys([PublicKey])
    /// A query that anybody may ask (`QueryPayload.isPublic`), as nobody in particular.
    case asAnybody(Query.Kind)
  }

  public init(id: EventID, question: Question) {
    self.id = id
    self.question = question
  }

  /// The most players in a question. Their overviews may not fit into one answer.
  public static let playerLimit = 64
  /// The most keys in a question.
  public static let keyLimit = 256

  /// `{"v":1,"id":…,"type":"overviews","players":[…]}`, `{"v":1,"id":…,"type":"keys","keys":[…]}` or
  /// `{"v":1,"id":…,"type":"asAnybody","query":{"type":…,…}}`.
  public var encoded: [UInt8] {
    var members: [(String, JSON?)] = [("v", .integer(1)), ("id", .text(id))]
    switch question {
    case .overviews(let players):
      members += [("type", "overviews"), ("players", .array(players.map { .text($0) }))]
    case .keys(let keys):
      members += [("type", "keys"), ("keys", .array(keys.map { .text($0) }))]
    case .asAnybody(let kind):
      members += [
        ("type", "asAnybody"),
        ("query", .object([("type", .string(kind.name))] + kind.fields)),
      ]
    }
    return JSON.object(members).serialized
  }

  /// Reads a question.
  /// - Throws: `QueryRefusal.malformed` with the mistake, `unsupportedVersion`, or `notPermitted`
  ///   for a query that is not for anybody.
  public init(_ bytes: [UInt8]) throws(QueryRefusal) {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes)
      try object.checkVersion()
      id = try object.id("id")
      let type = try object.string("type")
      switch type {
      case "overviews":
        question = .overviews(
          try object.ids("players", count: GatewayQuery.playerLimit))
      case "keys":
        question = .keys(
          try object.strings("keys", count: GatewayQuery.keyLimit).map { text throws(WireFault) in
            guard let key = PublicKey(text), key.description == text else {
              throw .malformed("keys: \(excerpt(text)) is no key in lower case")
            }
            return key
          })
      case "asAnybody":
        question = .asAnybody(try Query.Kind(try object.object("query")))
      default: throw .malformed("type \(excerpt(type)) is not known")
      }
    } catch {
      throw QueryRefusal(error)
    }
    if case .asAnybody(let kind) = question, !type(of: kind.payload).isPublic {
      throw .notPermitted
    }
  }
}

/// The answer to `GatewayQuery.Question.overviews`. A player who is missing has to be asked for
/// again: the answer was full.
public struct GatewayOverviews: Hashable, Sendable, Codable {
  public var overviews: [Entry]

  public struct Entry: Hashable, Sendable, Codable {
    public var player: PlayerID
    public var overview: Overview

    public init(player: PlayerID, overview: Overview) {
      self.player = player
      self.overview = overview
    }
  }

  public init(_ overviews: [Entry]) { self.overviews = overviews }
}

/// The answer to `GatewayQuery.Question.keys`.
public struct GatewayKeys: Hashable, Sendable, Codable {
  /// Those of the keys that speak for nobody, any more or at all.
  public var silent: [PublicKey]

  public init(silent: [PublicKey]) { self.silent = silent }
}

public import MatchCore

extension Query {
  /// Asks for the asker's own account.
  public struct WhoAmI: PlainQueryPayload {
    public typealias Answer = MatchWire.PlayerView

    public static let name = "whoAmI"
    public static let cost = 2
    public var kind: Kind { .whoAmI }

    public init() {}
  }
}

extension Query {
  /// Asks for the player with a name.
  public struct Player: CodedQueryPayload {
    public typealias Answer = PlayerView

    public static let name = "player"
    public static let cost = 1
    public var kind: Kind { .player(self) }

    public var name: PlayerName

    public init(_ name: PlayerName) { self.name = name }

    var fields: [(String, JSON?)] { [("name", .text(name))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.value("name", "a name") { PlayerName($0) })
    }
  }
}

/// A player as anybody may see one.
public struct PlayerView: Hashable, Sendable, Codable {
  public var id: PlayerID
  public var name: PlayerName
  public var registeredAt: Instant
  /// The player's strength. Nil from a service that does not rate.
  public var rating: RatingView?
  /// True for an account that is declared a bot's. Otherwise left out.
  public var bot: Bool?

  public init(
    id: PlayerID, name: PlayerName, registeredAt: Instant, rating: RatingView? = nil,
    isBot: Bool = false
  ) {
    self.id = id
    self.name = name
    self.registeredAt = registeredAt
    self.rating = rating
    bot = isBot ? true : nil
  }
}

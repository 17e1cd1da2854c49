public import MatchCore
import MatchWire

/// A player's data that a program remembers between two runs, beside the key.
public struct Profile: Hashable, Sendable {
  /// The player; nil before the registration was answered.
  public var player: PlayerID?
  /// The player's name.
  public var name: PlayerName?
  /// The service that the player is registered with, pinned on first use.
  public var service: ServiceID?
  /// That service's root key, pinned on first use.
  public var rootKey: PublicKey?
  /// How far the service's clock is ahead of this machine's, in microseconds, as it was measured
  /// last; nil: not worth a correction.
  public var clockOffset: Int64?
  /// The recovery that this profile's key waits for.
  public var recovering: AwaitedRecovery?

  /// Puts a profile together; without arguments it is that of a player who has never connected.
  public init(
    player: PlayerID? = nil, name: PlayerName? = nil, service: ServiceID? = nil,
    rootKey: PublicKey? = nil, clockOffset: Int64? = nil, recovering: AwaitedRecovery? = nil
  ) {
    self.player = player
    self.name = name
    self.service = service
    self.rootKey = rootKey
    self.clockOffset = clockOffset
    self.recovering = recovering
  }
}

/// A recovery that was asked for and has not taken effect. If the key is registered meanwhile, it
/// comes to nothing.
public struct AwaitedRecovery: Hashable, Sendable, Codable {
  /// The player for whom the key is to speak.
  public var player: PlayerID
  /// That player's name.
  public var name: PlayerName
  /// When it takes effect, as far as this profile was told. An objection delays it.
  public var until: Instant

  public init(player: PlayerID, name: PlayerName, until: Instant) {
    self.player = player
    self.name = name
    self.until = until
  }
}

extension Profile: Codable {
  private enum CodingKeys: String, CodingKey {
    case version = "v"
    case player, name, service, rootKey, clockOffset, recovering
  }

  static let version = 1

  /// Reads the fields; one of a version that this build does not know is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Profile.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "version \(version) is not known")
    }
    self.init(
      player: try container.decodeIfPresent(PlayerID.self, forKey: .player),
      name: try container.decodeIfPresent(PlayerName.self, forKey: .name),
      service: try container.decodeIfPresent(ServiceID.self, forKey: .service),
      rootKey: try container.decodeIfPresent(PublicKey.self, forKey: .rootKey),
      clockOffset: try container.decodeIfPresent(Int64.self, forKey: .clockOffset),
      recovering: try container.decodeIfPresent(AwaitedRecovery.self, forKey: .recovering))
  }

  /// Writes the fields and the version.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Profile.version, forKey: .version)
    try container.encodeIfPresent(player, forKey: .player)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(service, forKey: .service)
    try container.encodeIfPresent(rootKey, forKey: .rootKey)
    try container.encodeIfPresent(clockOffset, forKey: .clockOffset)
    try container.encodeIfPresent(recovering, forKey: .recovering)
  }
}

/// The name of a profile: 1 to 32 of A–Z a–z 0–9 _ -, so that it is a folder's name everywhere.
public struct ProfileName: Hashable, Sendable, CustomStringConvertible {
  /// The profile for commands that name none.
  public static let standard = ProfileName(unchecked: "default")

  /// The name itself.
  public let text: String

  /// Takes a valid name; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let isName = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    guard (1...32).contains(text.utf8.count), isName else { return nil }
    self.text = String(text)
  }

  private init(unchecked text: String) { self.text = text }

  /// The name itself.
  public var description: String { text }

  /// The folder of the profile: `$XDG_STATE_HOME/cubist/NAME`, else
  /// `$HOME/.local/state/cubist/NAME`; nil where neither is an absolute path. Source: XDG Base
  /// Directory Specification 0.8.
  public func folder(environment: [String: String]) -> String? {
    let state: String
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
      state = home
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      state = home + "/.local/state"
    } else {
      return nil
    }
    return "\(state)/cubist/\(text)"
  }
}

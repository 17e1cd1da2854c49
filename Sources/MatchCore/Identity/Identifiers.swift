import CubistBasics

/// Sixteen bytes that identify something; printed as a lower-case UUID.
public protocol Identifier: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The sixteen bytes as one big-endian number.
  var rawValue: UInt128 { get }
  /// Makes an identifier of sixteen bytes given as one big-endian number.
  init(rawValue: UInt128)
}

extension Identifier {
  /// Makes an identifier of sixteen raw bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt128($1) })
  }

  /// Reads the form that `description` prints, in upper or lower case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let utf8 = Array(text.utf8)
    guard utf8.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    var index = 0
    while index < 36 {
      let byte = utf8[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Hex.value(of: byte) else { return nil }
        high = high &<< 4 | low &>> 60
        low = low &<< 4 | UInt64(digit)
      }
      index += 1
    }
    self.init(rawValue: UInt128(high) &<< 64 | UInt128(low))
  }

  /// The sixteen raw bytes, most significant first.
  public var bytes: [UInt8] {
    let (high, low) = words
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var shift: UInt64 = 128
    while shift > 0 {
      shift -= 8
      let word = shift >= 64 ? high &>> (shift - 64) : low &>> shift
      bytes.append(UInt8(truncatingIfNeeded: word))
    }
    return bytes
  }

  /// The lower-case UUID form, 36 characters.
  public var description: String {
    let (high, low) = words
    var text: [UInt8] = []
    text.reserveCapacity(36)
    var shift: UInt64 = 128
    while shift > 0 {
      shift -= 4
      let word = shift >= 64 ? high &>> (shift - 64) : low &>> shift
      text.append(Hex.digit(UInt8(truncatingIfNeeded: word & 15)))
      if shift == 96 || shift == 80 || shift == 64 || shift == 48 {
        text.append(UInt8(ascii: "-"))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The two halves: work digit by digit is far cheaper with words that fit a register.
  private var words: (high: UInt64, low: UInt64) {
    (UInt64(truncatingIfNeeded: rawValue &>> 64), UInt64(truncatingIfNeeded: rawValue))
  }

  /// Orders by the raw bytes, as PostgreSQL orders `uuid`.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Names one event: a UUIDv7 made by its sender.
public struct EventID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128

  /// Makes an identifier of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }

  /// Makes a UUIDv7 (RFC 9562) of a time and 74 random bits taken from `random`.
  public init(at time: Instant, random: UInt128) {
    let milliseconds = UInt128(UInt64(max(0, time.microseconds / 1_000)) & 0xffff_ffff_ffff)
    let randomA = (random >> 64) & 0xfff
    let randomB = random & 0x3fff_ffff_ffff_ffff
    rawValue = milliseconds << 80 | 0x7 << 76 | randomA << 64 | 0x2 << 62 | randomB
  }

  /// The sender's time of the event, to the millisecond.
  public var time: Instant { Instant(microseconds: Int64(rawValue >> 80) * 1_000) }

  /// Whether version and variant bits are those of a UUIDv7.
  public var isVersion7: Bool { (rawValue >> 76) & 0xf == 7 && (rawValue >> 62) & 3 == 2 }
}

/// Names one player for ever: derived from the first public key.
public struct PlayerID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128

  /// Makes an identifier of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }

  /// The first 16 bytes of SHA-256(`cubist/player/1\0` ‖ first public key).
  public init(firstKey: PublicKey) {
    var hash = TaggedHash("cubist/player/1")
    hash.update(firstKey)
    rawValue = hash.finalize().prefix128
  }
}

/// Names one deployment of the service. Every payload carries it, so that none can be replayed
/// elsewhere.
public struct ServiceID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128

  /// Makes an identifier of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names one match. Nobody can choose it, and a repeated request never makes a second one.
public struct MatchID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128

  /// Makes an identifier of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }

  /// The id of the match that an event asks for: the 48-bit time of the event id, then bits of
  /// SHA-256(`cubist/match/1\0` ‖ player ‖ event id).
  public init(askedBy player: PlayerID, event: EventID) {
    var hash = TaggedHash("cubist/match/1")
    hash.update(player)
    hash.update(event)
    rawValue = MatchID.combine(time: event.rawValue >> 80, hash.finalize())
  }

  /// The id of the rematch of a match: the time of the old id, then bits of
  /// SHA-256(`cubist/rematch/1\0` ‖ old match id).
  public init(successorOf match: MatchID) {
    var hash = TaggedHash("cubist/rematch/1")
    hash.update(match)
    rawValue = MatchID.combine(time: match.rawValue >> 80, hash.finalize())
  }

  /// The id of one player's game of a daily challenge: the time of the day's first instant, then
  /// bits of SHA-256(`cubist/daily/1\0` ‖ day ‖ mode ‖ language ‖ player), the texts ended by a
  /// zero byte.
  public init(daily: DailyKey, player: PlayerID) {
    var hash = TaggedHash("cubist/daily/1")
    hash.update(text: daily.description)
    hash.update(player)
    let time = UInt128(truncatingIfNeeded: daily.day.start.microseconds / 1_000) & 0xffff_ffff_ffff
    rawValue = MatchID.combine(time: time, hash.finalize())
  }

  /// The id of the game that replaces one player's game of a timed challenge that had more time
  /// than others. `again` and a zero byte follow in the hash.
  public init(dailyAgain daily: DailyKey, player: PlayerID) {
    var hash = TaggedHash("cubist/daily/1")
    hash.update(text: daily.description)
    hash.update(player)
    hash.update(text: "again")
    rawValue = MatchID.combine(
      time: MatchID(daily: daily, player: player).rawValue >> 80, hash.finalize())
  }

  /// The time that the id begins with, to the millisecond: that of the event that asked for the
  /// match or for the first of its rematches, or the beginning of the day of a daily challenge.
  public var time: Instant { Instant(microseconds: Int64(rawValue >> 80) * 1_000) }

  private static func combine(time: UInt128, _ hash: Hash) -> UInt128 {
    time << 80 | hash.prefix128 >> 48
  }
}

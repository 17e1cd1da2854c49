public import MatchCore

/// Finds the match that a person means by a part of its id.
///
/// A text means the one match whose id begins or ends with it; dashes, spaces around it and the
/// case of digits do not matter. Ids begin with a time, so that the beginnings of a day's matches
/// are alike. Their endings are random: a short id is therefore an ending.
public struct MatchIDResolver: Sendable {
  /// The matches to choose from.
  public let matches: [MatchID]
  private let digits: [[UInt8]]

  /// The shortest short id, in digits.
  public static let shortestLength = 4

  /// Chooses among some matches; a repeated one counts once.
  public init(_ matches: some Sequence<MatchID>) {
    var seen: Set<MatchID> = []
    self.matches = matches.filter { seen.insert($0).inserted }
    digits = self.matches.map { MatchIDResolver.digits($0.description) }
  }

  /// The match that a text means. A whole id means itself, whether or not it is among the matches.
  /// - Throws: `MatchIDError` with the reason.
  public func resolve(_ text: some StringProtocol) throws(MatchIDError) -> MatchID {
    let text = String(text)
    if let id = MatchID(text) { return id }
    let wanted = MatchIDResolver.digits(text)
    let isHexadecimal = wanted.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    guard !wanted.isEmpty, wanted.count <= 32, isHexadecimal else { throw .notAnID(text) }
    let found = indices(of: wanted)
    guard let first = found.first else { throw .unknown(text) }
    guard found.count == 1 else { throw .ambiguous(text, found.map { matches[$0] }) }
    return matches[first]
  }

  /// The one match there is.
  /// - Throws: `MatchIDError.none` or `.several` where it is not one.
  public func only() throws(MatchIDError) -> MatchID {
    guard let first = matches.first else { throw .none }
    guard matches.count == 1 else { throw .several(matches) }
    return first
  }

  /// The shortest ending of an id, of four digits or more, that `resolve` takes for this match and
  /// no other.
  public func shortID(of match: MatchID) -> String {
    let all = MatchIDResolver.digits(match.description)
    for length in MatchIDResolver.shortestLength..<all.count {
      let ending = Array(all.suffix(length))
      let found = indices(of: ending)
      // A foreign id must not be taken for one of the matches.
      if found.allSatisfy({ matches[$0] == match }) {
        return String(decoding: ending, as: UTF8.self)
      }
    }
    return match.description
  }

  private func indices(of wanted: [UInt8]) -> [Int] {
    digits.indices.filter {
      digits[$0].starts(with: wanted) || digits[$0].suffix(wanted.count).elementsEqual(wanted)
    }
  }

  private static func digits(_ text: String) -> [UInt8] {
    text.utf8.compactMap { byte in
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: " "): nil
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte | 0x20
      default: byte
      }
    }
  }
}

/// Why a text does not say which match is meant.
public enum MatchIDError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not hexadecimal digits and dashes.
  case notAnID(String)
  /// No match of the player begins or ends so.
  case unknown(String)
  /// Several do.
  case ambiguous(String, [MatchID])
  /// There is no match to choose.
  case none
  /// There are several, and the text that would tell them apart is missing.
  case several([MatchID])

  /// The fault, and its remedy.
  public var description: String {
    switch self {
    case .notAnID(let text):
      """
      "\(text)" names no match. Give the opponent's name, or the last digits of the id, as your \
      list of matches shows them.
      """
    case .unknown(let text):
      """
      No match of yours is against \(text), and no id begins or ends so. Look at your list of \
      matches.
      """
    case .ambiguous(let text, let matches):
      """
      \(text) may be any of \(matches.map(\.description).joined(separator: ", ")). Give more \
      digits.
      """
    case .none: "There is no match that this could be about. Start one first."
    case .several(let matches):
      "Say which match: \(matches.map(\.description).joined(separator: ", "))."
    }
  }
}

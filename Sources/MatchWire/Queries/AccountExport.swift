package import MatchCore

/// The file with everything that the service shows a player about itself: the answers to some
/// questions, one after another.
package struct AccountExport: Hashable, Sendable {
  /// An answer in the file. The raw values are names in the file.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    case player
    case settings
    case keys
    case blocks
    case inbox
    case matches
    case pastGames
    case dailies
  }

  private var answers: [JSON] = []
  private var games: [JSON] = []
  /// The place at which the list of past games goes on.
  package private(set) var place: PastGamesCursor?

  package init() {}

  /// The part that is due. Nil: all of them are here.
  package var part: Part? {
    let parts = Part.allCases
    return answers.count < parts.count ? parts[answers.count] : nil
  }

  /// The question after the part that is due. Past games come page by page.
  package var question: Query.Kind? {
    switch part {
    case .player?: .whoAmI
    case .settings?: .settings
    case .keys?: .keys
    case .blocks?: .blocks
    case .inbox?: .inbox
    case .matches?: .matches
    case .pastGames?:
      .pastGames(Query.PastGames(before: place, limit: Query.PastGames.limits.upperBound))
    case .dailies?: .dailyHistory
    case nil: nil
    }
  }

  /// Takes the answer to the question. Members that this build does not know are kept, too.
  package mutating func take(_ answer: JSONObject) throws(WireFault) {
    guard let part else { return }
    guard part == .pastGames else { return answers.append(.object(answer)) }
    guard case .array(let page)? = answer["games"] else {
      throw .malformed("games: a list is due")
    }
    let next = try answer.optionalValue("next", "a cursor") { PastGamesCursor($0) }
    games += page
    // An empty page that names another one would lead nowhere.
    place = page.isEmpty ? nil : next
    if place == nil { answers.append(.array(games)) }
  }

  /// The file's bytes: one JSON object, with a line for each value.
  package func document(at now: Instant) -> [UInt8] {
    var fields: [(String, JSON?)] = [
      ("schema", "cubist.account.1"), ("exportedAt", .number(now.microseconds)),
    ]
    for (part, answer) in zip(Part.allCases, answers) { fields.append((part.rawValue, answer)) }
    var bytes: [UInt8] = []
    JSON.object(fields).appendLines(to: &bytes, after: "\n")
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}

extension JSON {
  /// - Parameter start: The line break and the spaces before the value's last line.
  fileprivate func appendLines(to bytes: inout [UInt8], after start: String) {
    let inner = start + "  "
    switch self {
    case .array(let values) where !values.isEmpty:
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += inner.utf8
        value.appendLines(to: &bytes, after: inner)
      }
      bytes += start.utf8
      bytes.append(UInt8(ascii: "]"))
    case .object(let object) where !object.members.isEmpty:
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += inner.utf8
        bytes += JSON.string(member.key).serialized
        bytes += ": ".utf8
        member.value.appendLines(to: &bytes, after: inner)
      }
      bytes += start.utf8
      bytes.append(UInt8(ascii: "}"))
    default: bytes += serialized
    }
  }
}

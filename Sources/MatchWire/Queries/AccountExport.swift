package import MatchCore

/// The file with everything that is kept of a player: the answers to some questions, one after
/// another, then the rows of all sections.
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
    case kept
  }

  private var answers: [JSON] = []
  private var games: [JSON] = []
  /// The place at which the list of past games goes on.
  package private(set) var place: PastGamesCursor?
  /// The rows that have come of the section that is due.
  private var rows: [JSON] = []
  private var rowPlace = 0
  /// The sections before the one that is due, without those that the service does not give.
  private var sections: [Section] = []
  /// The sections that the service does not give: it is of an older build.
  package private(set) var lacking: [AccountSection] = []

  private struct Section: Hashable {
    var name: AccountSection
    var rows: [JSON]
  }

  package init() {}

  /// The part that is due. Nil: all of them are here.
  package var part: Part? {
    let parts = Part.allCases
    return answers.count < parts.count ? parts[answers.count] : nil
  }

  /// The section that is due. Nil: another part is due, or none.
  private var section: AccountSection? {
    guard part == .kept else { return nil }
    return AccountSection.allCases[sections.count + lacking.count]
  }

  /// The rows that are due. Nil: another part is due, or none.
  package var rowsDue: Query.Account? { section.map { Query.Account($0, after: rowPlace) } }

  /// The question after the part that is due. Past games and rows come page by page.
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
    case .kept?: rowsDue.map { .account($0) }
    case nil: nil
    }
  }

  /// Takes the answer to the question. Members that this build does not know are kept, too.
  package mutating func take(_ answer: JSONObject) throws(WireFault) {
    guard let part else { return }
    switch part {
    case .pastGames: try takeGames(answer)
    case .kept: try takeRows(answer)
    default: answers.append(.object(answer))
    }
  }

  /// Takes the refusal of the question.
  /// - Returns: Whether the file goes on without these rows. An older service cannot read the
  ///   question after them.
  package mutating func takeRefusal(_ refusal: QueryRefusal?) -> Bool {
    guard case .malformed? = refusal, let section else { return false }
    (rows, rowPlace) = ([], 0)
    lacking.append(section)
    endSections()
    return true
  }

  private mutating func takeGames(_ answer: JSONObject) throws(WireFault) {
    guard case .array(let page)? = answer["games"] else {
      throw .malformed("games: a list is due")
    }
    let next = try answer.optionalValue("next", "a cursor") { PastGamesCursor($0) }
    games += page
    // An empty page that names another one would lead nowhere.
    place = page.isEmpty ? nil : next
    if place == nil { answers.append(.array(games)) }
  }

  private mutating func takeRows(_ answer: JSONObject) throws(WireFault) {
    guard let section, case .array(let page)? = answer["rows"] else {
      throw .malformed("rows: a list is due")
    }
    let next = try answer.optionalInteger("next")
    var read: [JSON] = []
    for row in page {
      guard case .string(let text) = row else { throw .malformed("rows: texts are due") }
      read.append(.object(try JSONReader.object(of: Array(text.utf8), limits: .answer)))
    }
    rows += read
    // A place that is not further on would lead nowhere.
    if let next, next > Int64(rowPlace), let place = Int(exactly: next),
      Query.Account.places.contains(place)
    {
      rowPlace = place
      return
    }
    sections.append(Section(name: section, rows: rows))
    (rows, rowPlace) = ([], 0)
    endSections()
  }

  private mutating func endSections() {
    guard sections.count + lacking.count == AccountSection.allCases.count else { return }
    answers.append(.object(sections.map { ($0.name.rawValue, .array($0.rows)) }))
  }

  /// The file's bytes: one JSON object, with a line for each value.
  package func document(at now: Instant) -> [UInt8] {
    var fields: [(String, JSON?)] = [
      ("schema", "cubist.account.2"), ("exportedAt", .number(now.microseconds)),
    ]
    for (part, answer) in zip(Part.allCases, answers) { fields.append((part.rawValue, answer)) }
    fields.append(("lacking", .array(lacking.map { .string($0.rawValue) })))
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

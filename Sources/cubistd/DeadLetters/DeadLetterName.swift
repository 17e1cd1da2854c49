import MatchCore
import MatchInterfaces

/// The name of a dead letter in an argument: its id, or the first digits of it.
enum DeadLetterName: Hashable {
  case whole(DeadEventID)
  /// The first digits, in lower case.
  case beginning(String)

  init(argument text: String) throws(OperatorFailure) {
    if let id = DeadEventID(text) {
      self = .whole(id)
      return
    }
    let digits = text.lowercased()
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isHexDigit || $0 == "-") }) else {
      throw .unreadable(
        "\"\(PlainText.oneLine(text))\" is no id of a dead letter; `cubistd dead-letters list` shows "
          + "them")
    }
    self = .beginning(digits)
  }

  /// The id, if it is whole.
  var id: DeadEventID? { if case .whole(let id) = self { id } else { nil } }

  func fits(_ id: DeadEventID) -> Bool {
    switch self {
    case .whole(let whole): whole == id
    case .beginning(let digits): "\(id)".hasPrefix(digits)
    }
  }
}

extension DeadLetterOperations {
  /// The most candidates to name for first digits that several letters have.
  private static let candidateLimit = 10

  /// The letters that arguments name. Whole ids that no letter has are passed over.
  /// - Throws: `notFound` and `unreadable` for first digits that no letter has, or several.
  func letters(named names: [DeadLetterName]) throws(OperatorFailure) -> [Letter] {
    let whole = names.compactMap(\.id)
    if whole.count == names.count { return try letters(whole) }
    let letters = try letters { letter in names.contains { $0.fits(letter.id) } }
    var problems: [String] = []
    var isAmbiguous = false
    for case .beginning(let digits) in names {
      let ids = Set(letters.map(\.id)).filter(DeadLetterName.beginning(digits).fits).sorted()
      switch ids.count {
      case 0:
        problems.append(
          "there is no dead letter whose id begins with \(digits); `cubistd dead-letters list` shows "
            + "them")
      case 1: break
      default:
        isAmbiguous = true
        let more = ids.count - DeadLetterOperations.candidateLimit
        let named = ids.prefix(DeadLetterOperations.candidateLimit).map { "\($0)" }
        problems.append(
          "the ids of \(ids.count) dead letters begin with \(digits): "
            + named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""))
      }
    }
    guard !problems.isEmpty else { return letters }
    let text = problems.joined(separator: "\n")
    throw isAmbiguous ? .unreadable(text) : .notFound(text)
  }
}

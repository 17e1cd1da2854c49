import CubeLexicon
import MatchCore
import MatchRecord
import MatchWire
import ServiceNews

/// The check of a record. The browser checks the signatures, all the rest is checked here.
struct RecordReview {
  private let document: RecordDocument
  private let check: RecordCheck
  private let isKeyKnown: Bool

  /// The largest record that is read, in bytes. A whole match has fewer, and a browser does not take
  /// back the memory that a larger one needs.
  static let byteLimit = 1 << 23

  /// Reads a record, and checks all but its signatures.
  ///
  /// - Parameter known: A service and its root key, as they are known from elsewhere; nil: none is.
  init(_ record: [UInt8], words: Lexicon, known: Account.Pin?) throws(RecordFileError) {
    guard record.count <= Self.byteLimit else { throw Self.tooLarge(record.count) }
    document = try RecordDocument(record)
    let rootKey = known?.service == document.service ? known?.rootKey : nil
    isKeyKnown = rootKey == document.rootKey
    check = RecordVerifier(lexicons: MatchCore.Lexicons(words), rootKey: rootKey).check(document)
  }

  static func tooLarge(_ count: Int) -> RecordFileError {
    .tooLarge(byteCount: count, limit: byteLimit)
  }

  /// Whether a record holds in all but its signatures.
  static func holds(_ record: [UInt8], words: Lexicon, known: Account.Pin?) -> Bool {
    guard let review = try? RecordReview(record, words: words, known: known) else { return false }
    return review.check.report(firstInvalid: nil).game.fault == nil
  }

  /// The first difference from a match as the service shows it, in words; nil: there is none.
  func difference(from view: MatchView, at pin: Account.Pin?) -> String? {
    if document.service != pin?.service { return "a match of another service" }
    if document.match != view.id { return "another match" }
    let points = view.seats.map { $0.points }
    let isAsShown = document.points == points && document.outcome == view.outcome
    return isAsShown ? nil : "a match with another end than the one shown"
  }

  /// Whether no signature is left to be checked.
  var isComplete: Bool { check.signatures.isEmpty }

  /// The signatures that the record depends on, one after the other: a key of 32 bytes, a signature
  /// of 64, the length of the message in four bytes with the lowest one first, and the message.
  var signatures: [UInt8] {
    var bytes: [UInt8] = []
    for signature in check.signatures {
      let message = signature.message
      bytes += signature.signed.key.bytes + signature.signed.signature
      bytes += fourBytes(message.count) + message
    }
    return bytes
  }

  /// The verdict on the record.
  ///
  /// - Parameter valid: Whether each signature is valid; nil: the browser cannot say.
  func verdict(_ valid: [Bool]?) -> RecordVerdict {
    let invalid = valid.flatMap { valid in
      check.signatures.indices.first { !valid.indices.contains($0) || !valid[$0] }
    }
    let report = check.report(firstInvalid: invalid)
    var signatures: RecordText.Signatures = valid == nil && !isComplete ? .unchecked : .checked
    // Anybody can make a service of their own, with players of any names.
    if signatures == .checked, !isKeyKnown { signatures = .foreign }
    return RecordVerdict(
      facts: RecordText.facts(
        report.document, moveCount: report.game.moves.count, isKeyKnown: isKeyKnown, to: .browser),
      sentence: RecordText.verdict(report, signatures), fault: report.game.fault?.description,
      isVerified: report.isVerified && signatures == .checked)
  }
}

/// The result of a record's check, for the player to read.
struct RecordVerdict: Hashable {
  var facts: [String]
  var sentence: String
  /// The first mistake; nil: none was found.
  var fault: String?
  /// Whether everything holds, the signatures too.
  var isVerified: Bool
}

/// A number in four bytes, the lowest one first.
func fourBytes(_ number: Int) -> [UInt8] {
  [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
}

public import MatchCore

/// All checks of a record except for its signatures, and the signatures to check.
public struct RecordCheck: Sendable {
  /// The signatures that must also be valid, in order of precedence.
  public let signatures: [Signature]
  private let report: RecordReport

  /// A signature that a record depends on. Key and signature are in the form that ``Ed25519``
  /// demands.
  public struct Signature: Hashable, Sendable {
    /// Key, signature and payload.
    public let signed: SignedPayload
    public let tag: SignatureTag
    /// The bytes that it covers.
    public var message: [UInt8] { tag.message(signed.payload) }

    let fault: GameReport.Fault
    let moveCount: Int
    let standingCount: Int
  }

  init(signatures: [Signature], report: RecordReport) {
    self.signatures = signatures
    self.report = report
  }

  /// The report on the record, with a function that checks a signature.
  public func report(_ isValid: (Signature) -> Bool) -> RecordReport {
    report(firstInvalid: signatures.firstIndex { !isValid($0) })
  }

  /// The report on the record, with the index of the first invalid signature. Nil: all are valid.
  public func report(firstInvalid index: Int?) -> RecordReport {
    guard let index else { return report }
    let signature = signatures[index]
    var report = report
    report.standings.removeSubrange(signature.standingCount...)
    report.game.moves.removeSubrange(signature.moveCount...)
    report.game.total = report.game.moves.reduce(0) { $0 + ($1.score ?? 0) }
    report.game.fault = signature.fault
    return report
  }
}

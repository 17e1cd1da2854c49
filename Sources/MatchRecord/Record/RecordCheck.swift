public import MatchCore

/// All that a record shows but whether its signatures are their keys', and the signatures to check.
public struct RecordCheck: Sendable {
  /// What has to hold beside everything that was looked at, in the order in which it counts.
  public let signatures: [Signature]
  private let report: RecordReport

  /// A signature that a record stands on. Key and signature are in the form that ``Ed25519`` asks
  /// for.
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

  /// What the record shows, by what checks a signature.
  public func report(_ isValid: (Signature) -> Bool) -> RecordReport {
    report(firstInvalid: signatures.firstIndex { !isValid($0) })
  }

  /// What the record shows, where a signature in the list is the first that is not its key's; nil:
  /// all of them are.
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

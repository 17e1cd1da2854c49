public import MatchRecord

extension RecordVerifier {
  /// Reads and verifies a document.
  /// - Throws: `RecordFileError`, for any bytes that are not a document.
  public func report(on bytes: [UInt8]) throws(RecordFileError) -> RecordReport {
    report(on: try RecordDocument(bytes))
  }

  /// Verifies a document.
  public func report(on document: RecordDocument) -> RecordReport {
    check(document).report { Ed25519.verify($0.signed, $0.tag) }
  }
}

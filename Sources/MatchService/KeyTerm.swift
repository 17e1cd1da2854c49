package import MatchCore
package import MatchWire

/// The end of a working key's right to sign, and the warnings about it for an operator.
package struct KeyTerm: Hashable, Sendable {
  /// Operators are warned from this long before the end, in seconds: 60 days.
  package static let warningSeconds: Int64 = 60 * 86_400

  /// The working key.
  package let key: PublicKey
  /// When its certificate ends; nil: it has none.
  package let end: Instant?

  /// The term that the latest of a key's certificates gives.
  init(of certificates: [KeyCertificate], key: PublicKey) {
    self.key = key
    end = certificates.map(\.validUntil).max()
  }

  /// The term of the working key that is certified longest; nil if none is.
  package init?(latestOf certificates: [KeyCertificate]) {
    guard let latest = certificates.max(by: { $0.validUntil < $1.validUntil }) else { return nil }
    self.init(of: [latest], key: latest.workingKey)
  }

  /// The way to make a new one.
  package static let remedy =
    "`cubistd setup --renew ROOT-KEY-FILE` makes a new one, and running roles take it up"

  /// The warning for an operator, with the remedy, as a sentence; nil as long as there is time.
  package func warning(at now: Instant) -> String? {
    trouble(at: now).map { "\($0): \(KeyTerm.remedy)" }
  }

  /// The warning for an operator without the remedy; nil as long as there is time.
  package func trouble(at now: Instant) -> String? {
    guard let end else {
      return "working key \(key) has no certificate: nothing is signed"
    }
    guard now < end else {
      return
        "the certificate of working key \(key) ended at \(end): workers and schedulers with it "
        + "have stopped, and nothing is lost"
    }
    let left = end.microseconds(since: now) / 1_000_000
    guard left < KeyTerm.warningSeconds else { return nil }
    let days = left / 86_400
    let when = days > 1 ? "in \(days) days" : "in less than two days"
    return "the certificate of working key \(key) ends \(when), at \(end); then workers and "
      + "schedulers stop"
  }
}

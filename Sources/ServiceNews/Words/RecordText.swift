import MatchCore
package import MatchWire

/// The result of a record's verification, in words.
package enum RecordText {
  /// The knower of a service's root key.
  package enum Knower: String {
    case profile = "this profile"
    case browser = "this browser"
  }

  /// How far the signatures were checked.
  package enum Signatures: Sendable {
    case checked
    /// Nobody here can check them.
    case unchecked
    /// They hold, by a root key that nobody here knows.
    case foreign
  }

  /// The match of a record, its service and its rules, its players, its end and its root key.
  ///
  /// - Parameter isKeyKnown: Whether the record's root key is the one that `knower` knows.
  package static func facts(
    _ document: RecordDocument, moveCount: Int, isKeyKnown: Bool, to knower: Knower
  ) -> [String] {
    var lines = [
      "Match \(document.match) of service \(document.service)",
      "Rules \(document.rules), word list \(document.lexicon), "
        + "\(Wording.count(document.entries.count, "entry", "entries")), "
        + Wording.count(moveCount, "move"),
    ]
    for (index, seat) in document.seats.enumerated() {
      let player = seat.player?.description ?? "nobody"
      let points = document.points.indices.contains(index) ? document.points[index] : 0
      lines.append("Seat \(index): \(player), \(Wording.count(points, "point"))")
    }
    for seat in document.left {
      lines.append("\(seat.player?.description ?? "nobody") left before anybody had played")
    }
    lines.append("It ended: \(reason(document))")
    lines.append(
      isKeyKnown
        ? "The root key is the one that \(knower.rawValue) knows."
        : "The root key is \(document.rootKey); \(knower.rawValue) cannot say whose it is.")
    return lines
  }

  /// The verdict. The fault is told beside it.
  package static func verdict(_ report: RecordReport, _ signatures: Signatures = .checked) -> String
  {
    guard report.isVerified else { return "NOT VERIFIED." }
    return switch signatures {
    case .checked:
      "VERIFIED: rules, scores, turn order, deadlines, hash chain, signatures and outcome hold."
    case .unchecked:
      """
      Rules, scores, turn order, deadlines, hash chain and outcome hold. The signatures are not \
      checked: this browser cannot verify any of their kind (Ed25519). A newer one can.
      """
    case .foreign:
      """
      Everything in it holds. But it is not of the service that this browser knows, and anybody can \
      make such a record.
      """
    }
  }

  /// The sentence about a file that is no record that can be read.
  package static func refusal(_ error: RecordFileError, of name: String) -> String {
    switch error {
    case .malformed(let fault): "\(name) is not a Cubist record: \(self.fault(fault))."
    case .tooLarge, .unsupportedVersion: "\(name): \(error.description)"
    }
  }

  private static func reason(_ document: RecordDocument) -> String {
    let outcome = document.outcome
    let who = outcome.seat.map { "the player of seat \($0)" } ?? "a player"
    // The last entry says that the match has ended.
    if outcome.reason == .aborted, let cause = document.entries.dropLast().last,
      (try? PayloadCodec.forfeiter(by: cause.signed.payload)) != nil
    {
      return Wording.gaveUpAtOnce(who)
    }
    return Wording.reason(outcome.reason, who: who)
  }

  /// The fault of a file, in words; a mistake in JSON is told by its byte.
  private static func fault(_ fault: String) -> String {
    let head = Array("byte ".utf8)
    guard fault.utf8.starts(with: head) else { return fault }
    let digits = fault.utf8.dropFirst(head.count).prefix { (48...57).contains($0) }
    let byte = String(decoding: digits, as: UTF8.self)
    return byte == "0" ? "not JSON" : "not JSON from byte \(byte) on"
  }
}

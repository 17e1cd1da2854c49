package import MatchCore
package import MatchInterfaces
import MatchWire

/// Folds a record anew, compares its derived rows with the stored ones, and writes them again if
/// they differ. Records are never changed.
///
/// Workers may go on meanwhile: each match is written with the next version, under the same guard
/// as every batch. A worker that holds the former state in memory finds it stale and reads the new
/// one.
package struct MatchRebuilder {
  /// The result for one match.
  package struct Finding: Hashable, Sendable {
    package var match: MatchID
    /// The violations that were mended, or would have been; empty: there was none.
    package var mended: [Violation]
    /// The violations that no rebuild can mend.
    package var left: [Violation]
  }

  /// How often a match is folded again because it was written meanwhile.
  static let attemptLimit = 10

  private let check: StoreCheck
  private let store: RebuildStore
  private let secret: ServiceSecret
  private let verifier: SignatureVerifier

  /// A rebuilder that finds violations with the check, and writes into the store.
  package init(_ check: StoreCheck, _ store: RebuildStore) {
    self.check = check
    self.store = store
    secret = check.identity.secret
    verifier = check.verifier
  }

  /// Mends one match.
  /// - Parameters:
  ///   - isDryRun: Whether to write nothing.
  ///   - cut: An entry that the record lacks, as a check of the replies found. Nothing is mended
  ///     then.
  /// - Returns: the result; nil: there is nothing under this id.
  /// - Throws: `StoreError`; nothing is half done, and it can be tried again. A conflict in the
  ///   store is no error: then nothing is mended.
  package func rebuild(
    _ id: MatchID, isDryRun: Bool = false, cut: Violation? = nil
  ) throws(StoreError) -> Finding? {
    var attempt = 1
    while true {
      guard let (rebuild, finding) = try plan(id, cut: cut) else { return nil }
      guard let rebuild, !isDryRun else { return finding }
      do throws(StoreError) {
        try store.write(rebuild)
        return finding
      } catch {
        switch error {
        case _ where error.isConflict && attempt < MatchRebuilder.attemptLimit: attempt += 1
        // Another row holds a thing of this match, such as a code or the claim on a pair.
        case .conflict, .duplicate, .failed, .rejected, .damaged:
          return Finding(match: id, mended: [], left: finding.mended + finding.left)
        default: throw error
        }
      }
    }
  }

  private func plan(
    _ id: MatchID, cut: Violation?
  ) throws(StoreError) -> (MatchRebuild?, Finding)? {
    guard let look = try check.look(at: id) else { return nil }
    let match = look.check
    var found = look.violations
    if let cut, !found.contains(where: \.concernsRecord) { found.insert(cut, at: 0) }
    guard let folded = match.folded, !found.contains(where: \.concernsRecord) else {
      return (nil, Finding(match: id, mended: [], left: found))
    }
    let missing = match.missing.compactMap(\.job)
    let unexpected = match.unexpected.filter(\.isOwed).map(\.job.id)
    let left = found.filter { violation in
      switch violation.kind {
      case .stateDiffers, .rowsDiffer, .successorDiffers, .ratingQueueDiffers, .standingDiffers:
        false
      case .jobMissing: missing.count < match.missing.count
      case .jobUnexpected: unexpected.count < match.unexpected.count
      default: true
      }
    }
    let mended = found.filter { !left.contains($0) }
    guard !mended.isEmpty else { return (nil, Finding(match: id, mended: [], left: left)) }
    let detail = mended.map { "\($0.kind.rawValue): \($0.text)" }.joined(separator: "; ")
    var rebuild = self.rebuild(of: look, folded, detail: detail)
    (rebuild.missing, rebuild.unexpected) = (missing, unexpected)
    return (rebuild, Finding(match: id, mended: mended, left: left))
  }

  /// Everything that is derived from a record that holds, but for push jobs.
  func rebuild(of look: StoreCheck.Look, _ folded: Match, detail: String) -> MatchRebuild {
    let stored = look.stored
    var right = folded
    right.restore(
      version: stored.version,
      rematch: rematch(of: stored, folded, hasSuccessor: look.hasSuccessor),
      deadline: stored.state?.deadline)
    return MatchRebuild(
      match: right, codes: StoredMatch.Columns(of: right, secret: secret).codes,
      restoresStandings: look.violations.contains { $0.kind == .standingDiffers },
      staleBoards: stored.staleBoards, detail: detail)
  }

  /// The rematch, which is in no record. The state has it, and so do columns beside it, in case the
  /// state cannot be read. A state that is right in everything else is believed.
  private func rematch(
    of stored: StoredMatch, _ folded: Match, hasSuccessor: Bool
  ) -> Match.Rematch {
    let isStateRight = stored.state?.differences(from: folded).isEmpty ?? false
    let kept = isStateRight ? stored.state?.rematch : stored.columns?.rematch
    var rematch = kept ?? stored.state?.rematch ?? Match.Rematch()
    let successor = MatchID(successorOf: folded.id)
    rematch.successor = hasSuccessor ? successor : nil
    if let offer = rematch.offer, hasSuccessor || !isGenuine(offer, folded) {
      rematch.offer = nil
    }
    if let declined = rematch.declined, !folded.seats.indices.contains(declined.seat) {
      rematch.declined = nil
    }
    return rematch
  }

  /// Whether the player of the seat signed that offer.
  private func isGenuine(_ offer: Match.RematchOffer, _ match: Match) -> Bool {
    guard match.seats.indices.contains(offer.seat), match.outcome != nil,
      let event = try? PayloadCodec.decodeEvent(offer.signed.payload)
    else { return false }
    return event.action == .rematchRequested(match.id)
      && event.player == match.seats[offer.seat].player && verifier.isValid(offer.signed, .event)
  }
}

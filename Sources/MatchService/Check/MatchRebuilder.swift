public import MatchCore
public import MatchInterfaces
import MatchWire

/// Folds a record anew, compares what is derived from it with what is kept, and writes it again
/// where it differs. Records are never changed.
///
/// What a worker does meanwhile is no danger: each match is written under the guard that every
/// batch has, with the next version. A worker that holds the former state in memory finds it stale
/// and reads the new one.
public struct MatchRebuilder {
  /// What came of one match.
  public struct Finding: Hashable, Sendable {
    public var match: MatchID
    /// What was mended, or would have been; empty: nothing had to be.
    public var mended: [Violation]
    /// What no rebuild can mend.
    public var left: [Violation]
  }

  /// How often a match is folded again because it was written meanwhile.
  static let attemptLimit = 10

  private let check: StoreCheck
  private let store: RebuildStore
  private let secret: ServiceSecret
  private let verifier: SignatureVerifier

  /// A rebuilder that finds what is wrong with the check, and writes into the store.
  public init(_ check: StoreCheck, _ store: RebuildStore) {
    self.check = check
    self.store = store
    secret = check.identity.secret
    verifier = check.verifier
  }

  /// Mends one match.
  /// - Parameters:
  ///   - isDryRun: Whether to write nothing.
  ///   - cut: What a check of the replies found the record to lack: nothing is mended then.
  /// - Returns: what came of it; nil: there is nothing under this id.
  /// - Throws: `StoreError`; nothing is half done, and it can be tried again. What stands against
  ///   it in the store is no error: then nothing is mended.
  public func rebuild(
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
        // Something else has what is this match's, such as a code or the claim on a pair.
        case .conflict, .duplicate, .failed, .rejected:
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
    let (stored, match) = (look.stored, look.check)
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
    var right = folded
    right.restore(
      version: stored.version,
      rematch: rematch(of: stored, folded, hasSuccessor: look.hasSuccessor),
      deadline: stored.state?.deadline)
    let detail = mended.map { "\($0.kind.rawValue): \($0.text)" }.joined(separator: "; ")
    return (
      MatchRebuild(
        match: right, codes: StoredMatch.Columns(of: right, secret: secret).codes,
        missing: missing, unexpected: unexpected,
        restoresStandings: mended.contains { $0.kind == .standingDiffers },
        staleBoards: stored.staleBoards, detail: detail),
      Finding(match: id, mended: mended, left: left)
    )
  }

  /// What no record says: the state has it and, for the day that the state cannot be read, columns
  /// beside it. A state that is right in everything else is believed.
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

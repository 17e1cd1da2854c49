public import MatchCore
public import MatchInterfaces

/// Checks a store against its records, a page at a time, so that it can be shown, stopped and gone
/// on with.
///
/// What senders were told is not in a store; that is for tests to compare with the senders' own
/// log.
public struct StoreCheck {
  /// How far a check has come.
  public struct Progress: Hashable, Sendable {
    /// Matches checked.
    public var matches = 0
    /// Entries checked.
    public var entries = 0
    /// The last match checked: where to go on.
    public var last: MatchID?
  }

  /// How far it has come.
  public private(set) var progress = Progress()
  /// Jobs that the records seen so far owe.
  public private(set) var owed: [OwedJob] = []
  /// Whether every match has been checked.
  public private(set) var isDone = false
  private let store: CheckStore
  private let identity: ServiceIdentity
  private let lexicons: Lexicons
  private let verifier: SignatureVerifier
  private let jobsAreComplete: Bool
  private let keepsOwed: Bool

  /// Replies are kept for eight days after the day of their event's id; one less is asked for.
  static let repliesKeptSeconds: Int64 = 7 * 86_400
  /// What became of push jobs is kept for thirty days; one less is asked for, since days are
  /// dropped as a whole.
  static let jobsKeptSeconds: Int64 = 29 * 86_400

  /// A check of everything after a match, or of everything.
  /// - Parameters:
  /// - match: The last match that was checked before. - jobsAreComplete: Whether no push job is in
  /// a queue, so that one that the store does not have is missing. - keepsOwed: Whether to keep all
  /// jobs that are owed, for a comparison of one's own.
  public init(
    _ store: CheckStore, identity: ServiceIdentity, lexicons: Lexicons,
    verifier: SignatureVerifier = .live, after match: MatchID? = nil,
    jobsAreComplete: Bool = false, keepsOwed: Bool = false
  ) {
    self.store = store
    self.identity = identity
    self.lexicons = lexicons
    self.verifier = verifier
    self.jobsAreComplete = jobsAreComplete
    self.keepsOwed = keepsOwed
    progress.last = match
  }

  /// Checks the next page.
  /// - Returns: what is wrong on it.
  /// - Throws: `StoreError`; the same page can be tried again.
  public mutating func next(limit: Int = 500) throws(StoreError) -> [Violation] {
    let ids = try store.matches(progress.last, limit)
    guard let last = ids.last else {
      isDone = true
      return []
    }
    let page = try store.stored(ids)
    let context = try context(of: page)
    var violations = try successorViolations(page)
    for id in ids {
      // What is gone meanwhile was never there: matches are not deleted.
      guard let match = page[id] else { continue }
      var check = MatchCheck(id, match, context)
      check.run()
      violations += check.violations
      if keepsOwed { owed += check.owed.jobs }
      progress.entries += match.record.count
    }
    progress.matches += ids.count
    progress.last = last
    return violations
  }

  private func context(
    of page: [MatchID: StoredMatch]
  ) throws(StoreError) -> MatchCheck.Context {
    var events: [EventKey] = []
    var keys: Set<PublicKey> = []
    for match in page.values {
      let references = MatchCheck.references(of: match)
      events += references.events
      keys.formUnion(references.keys)
    }
    let now = try store.now()
    return MatchCheck.Context(
      identity: identity, lexicons: lexicons, verifier: verifier,
      owners: try store.owners(Array(keys)), replies: try store.replies(events),
      repliesSince: now.adding(seconds: -StoreCheck.repliesKeptSeconds),
      jobsSince: now.adding(seconds: -StoreCheck.jobsKeptSeconds),
      jobsAreComplete: jobsAreComplete)
  }

  /// Checks all that is left.
  public mutating func run() throws(StoreError) -> [Violation] {
    var violations: [Violation] = []
    while !isDone { violations += try next() }
    return violations
  }

  /// The id of a rematch follows from its match, so there is at most one: it has to be there
  /// exactly if the match names it.
  private func successorViolations(
    _ page: [MatchID: StoredMatch]
  ) throws(StoreError) -> [Violation] {
    let ended = page.filter { $0.value.state?.outcome != nil }.sorted { $0.key < $1.key }
    let existing = try store.existing(ended.map { MatchID(successorOf: $0.key) })
    return ended.compactMap { id, match in
      let expected = MatchID(successorOf: id)
      let named = match.state?.rematch.successor
      guard named != (existing.contains(expected) ? expected : nil) else { return nil }
      return Violation(
        .successorDiffers, in: id, since: match.state?.endedAt,
        named.map { "it names rematch \($0), which is not there" }
          ?? "its rematch \(expected) exists, and it does not name it")
    }
  }
}

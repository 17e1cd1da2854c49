package import CubeRules
package import MatchCore
package import MatchInterfaces
import MatchWire

/// Checks a store against its records, a page at a time. So the progress can be shown, and a check
/// can be stopped and resumed.
///
/// The replies that senders got are not in a store. Tests compare those with the senders' own log.
package struct StoreCheck {
  /// How far a check has come.
  package struct Progress: Hashable, Sendable {
    package var matches = 0
    package var entries = 0
    /// The last match checked; the check resumes after it.
    package var last: MatchID?
  }

  /// How far it has come.
  package private(set) var progress = Progress()
  /// Jobs that the records seen so far owe.
  package private(set) var owed: [OwedJob] = []
  /// Whether every match has been checked.
  package private(set) var isDone = false
  private let store: CheckStore
  let identity: ServiceIdentity
  private let rules: Rulebook
  private let lexicons: Lexicons
  let verifier: SignatureVerifier
  /// Whether a push job that the store does not have is missing.
  package let jobsAreComplete: Bool
  private let keepsOwed: Bool

  /// Replies are kept for eight days after the day of their event's id. One day less is checked.
  package static let repliesKeptSeconds: Int64 = 7 * 86_400
  /// Outcomes of push jobs are kept for thirty days. One day less is checked, since days are
  /// dropped as a whole.
  static let jobsKeptSeconds: Int64 = 29 * 86_400
  /// Offers of a rematch are kept for a day after they have run out.
  static let offersKeptSeconds = Match.invitationSeconds

  /// A check of everything after a match, or of everything.
  /// - Parameters:
  ///   - match: The last match that was checked before.
  ///   - jobsAreComplete: Whether no push job is in a queue, so that one that the store does not
  ///     have is missing.
  ///   - keepsOwed: Whether to keep all jobs that are owed, for a comparison of one's own.
  package init(
    _ store: CheckStore, identity: ServiceIdentity, rules: Rulebook = .standard,
    lexicons: Lexicons,
    verifier: SignatureVerifier = .live, after match: MatchID? = nil,
    jobsAreComplete: Bool = false, keepsOwed: Bool = false
  ) {
    self.store = store
    self.identity = identity
    self.rules = rules
    self.lexicons = lexicons
    self.verifier = verifier
    self.jobsAreComplete = jobsAreComplete
    self.keepsOwed = keepsOwed
    progress.last = match
  }

  /// The ids of a page of matches. Between them and the page before there may be ids of orphans:
  /// rows that are kept without a match.
  package struct Page: Hashable, Sendable {
    /// The ids, in order.
    package var ids: [MatchID]
    /// The last match, after which the next page begins; nil: this is the last page.
    package var last: MatchID?
  }

  /// The ids of the page after a match.
  /// - Throws: `StoreError`; the same page can be tried again.
  package func page(after match: MatchID?, limit: Int) throws(StoreError) -> Page {
    let ids = try store.matches(match, limit)
    let orphans = try store.orphans(match, ids.last)
    return Page(ids: orphans.isEmpty ? ids : (ids + orphans).sorted(), last: ids.last)
  }

  /// Checks the next page.
  /// - Returns: its violations.
  /// - Throws: `StoreError`; the same page can be tried again.
  package mutating func next(limit: Int = 500) throws(StoreError) -> [Violation] {
    let page = try page(after: progress.last, limit: limit)
    let violations = try check(page.ids)
    if let last = page.last { progress.last = last } else { isDone = true }
    return violations
  }

  /// Checks some matches, in the order given.
  /// - Returns: their violations.
  /// - Throws: `StoreError`; the same matches can be tried again.
  package mutating func check(_ ids: [MatchID]) throws(StoreError) -> [Violation] {
    guard !ids.isEmpty else { return [] }
    let page = try store.stored(ids)
    let contents = page.mapValues { match in
      match.record.map { StoreCheck.content(of: $0) }
    }
    let context = try context(of: page, contents)
    var violations = successorViolations(page, context.successors)
    for id in ids {
      // Nothing is said of a match that is dropped meanwhile.
      guard let match = page[id], let contents = contents[id] else { continue }
      var check = MatchCheck(id, match, context)
      check.run(contents)
      violations += check.violations
      if keepsOwed { owed += check.owed.jobs }
      progress.entries += match.record.count
    }
    progress.matches += ids.count
    return violations
  }

  /// One match as it is kept, with its finished check and its violations, those of its rematch
  /// included; nil: there is nothing under its id.
  func look(at id: MatchID) throws(StoreError) -> Look? {
    guard let stored = try store.stored([id])[id] else { return nil }
    let contents = stored.record.map { StoreCheck.content(of: $0) }
    let context = try context(of: [id: stored], [id: contents])
    var check = MatchCheck(id, stored, context)
    check.run(contents)
    return Look(
      stored: stored, check: check,
      violations: check.violations + successorViolations([id: stored], context.successors),
      hasSuccessor: context.successors.contains(MatchID(successorOf: id)))
  }

  /// The findings about one match.
  struct Look {
    var stored: StoredMatch
    var check: MatchCheck
    var violations: [Violation]
    var hasSuccessor: Bool
  }

  private static func content(of entry: Entry) -> MatchCheck.Content {
    Result { () throws(Refusal) in try PayloadCodec.decodeContent(entry.signed.payload) }
  }

  private func context(
    of page: [MatchID: StoredMatch], _ contents: [MatchID: [MatchCheck.Content]]
  ) throws(StoreError) -> MatchCheck.Context {
    var events: [EventKey] = []
    var keys: Set<PublicKey> = []
    for (id, match) in page {
      // An unreadable entry has no stored reply.
      for (entry, content) in zip(match.record, contents[id] ?? []) {
        guard case .success(.event(let event)) = content else { continue }
        events.append(EventKey(player: event.player, event: event.id))
        keys.insert(entry.signed.key)
      }
    }
    let now = try store.now()
    let owners = try store.owners(Array(keys))
    return MatchCheck.Context(
      identity: identity, rules: rules, lexicons: lexicons, verifier: verifier, owners: owners,
      origins: try OriginCheck(
        of: owners, in: store, identity: identity, verifier: verifier),
      replies: try store.replies(events),
      repliesSince: now.adding(seconds: -StoreCheck.repliesKeptSeconds),
      jobsSince: now.adding(seconds: -StoreCheck.jobsKeptSeconds),
      offersSince: now.adding(seconds: -StoreCheck.offersKeptSeconds),
      scoresSince: Standings.firstDay(now),
      jobsAreComplete: jobsAreComplete,
      successors: try store.existing(page.keys.map { MatchID(successorOf: $0) }))
  }

  /// Checks all that is left, and then the records against the replies.
  package mutating func run() throws(StoreError) -> [Violation] {
    var violations: [Violation] = []
    while !isDone { violations += try next() }
    var replies = ReplyCheck(store, besides: violations)
    while !replies.isDone { violations += try replies.next() }
    return violations
  }

  /// The id of a rematch follows from its match, so there is at most one. It has to be there
  /// exactly if the match names it.
  private func successorViolations(
    _ page: [MatchID: StoredMatch], _ existing: Set<MatchID>
  ) -> [Violation] {
    let ended = page.filter { $0.value.state?.outcome != nil }.sorted { $0.key < $1.key }
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

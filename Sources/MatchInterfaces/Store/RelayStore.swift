import IssueReporting
public import MatchCore

/// What the outbox relay needs of the store. Confined to its thread.
public struct RelayStore {
  /// Begins a transaction and locks outbox rows older than an age, passing over those that another
  /// relay has, at most so many. They stay locked until `finish`.
  public var claim: (_ olderThan: Duration, _ limit: Int) throws(StoreError) -> [PushJob]
  /// Deletes the rows whose jobs the broker has confirmed and commits; the others become free
  /// again.
  public var finish: (_ confirmed: [PushJobID]) throws(StoreError) -> Void

  /// Puts a store together.
  public init(
    claim: @escaping (_ olderThan: Duration, _ limit: Int) throws(StoreError) -> [PushJob],
    finish: @escaping (_ confirmed: [PushJobID]) throws(StoreError) -> Void
  ) {
    self.claim = claim
    self.finish = finish
  }
}

extension RelayStore {
  /// Has nothing to relay.
  public static var noop: RelayStore { RelayStore(claim: { _, _ in [] }, finish: { _ in }) }

  /// Reports an issue whenever it is used, and is unavailable.
  public static var failing: RelayStore {
    RelayStore(
      claim: { _, _ throws(StoreError) in throw failure("RelayStore.claim") },
      finish: { _ throws(StoreError) in throw failure("RelayStore.finish") })
  }
}

/// What the push worker needs of the store. Confined to its thread.
public struct PushStore {
  /// Those of the jobs that were delivered already.
  public var delivered: ([PushJobID]) throws(StoreError) -> Set<PushJobID>
  /// Whether a job still holds: a `yourTurn` only while that turn is due; the others always.
  public var isDue: (PushJob) throws(StoreError) -> Bool
  /// The display name of a player, for the text of a notification.
  public var name: (PlayerID) throws(StoreError) -> PlayerName?
  /// Who else plays in a match, for the text of a notification.
  public var opponent: (_ of: PlayerID, _ in: MatchID) throws(StoreError) -> PlayerID?
  /// Keeps what became of a job; the first word on a job stands.
  public var record: (PushJob, Fate) throws(StoreError) -> Void

  /// What became of a job.
  public enum Fate: String, Hashable, Sendable, CaseIterable {
    /// The provider took it.
    case delivered
    /// It no longer held.
    case dropped
    /// The provider refused it for good, or too often.
    case failed
  }

  /// Puts a store together.
  public init(
    delivered: @escaping ([PushJobID]) throws(StoreError) -> Set<PushJobID>,
    isDue: @escaping (PushJob) throws(StoreError) -> Bool,
    name: @escaping (PlayerID) throws(StoreError) -> PlayerName?,
    opponent: @escaping (_ of: PlayerID, _ in: MatchID) throws(StoreError) -> PlayerID?,
    record: @escaping (PushJob, Fate) throws(StoreError) -> Void
  ) {
    self.delivered = delivered
    self.isDue = isDue
    self.name = name
    self.opponent = opponent
    self.record = record
  }
}

extension PushStore {
  /// Nothing was delivered, everything is due, nobody has a name.
  public static var noop: PushStore {
    PushStore(
      delivered: { _ in [] }, isDue: { _ in true }, name: { _ in nil },
      opponent: { _, _ in nil }, record: { _, _ in })
  }

  /// Reports an issue whenever it is used, and is unavailable.
  public static var failing: PushStore {
    PushStore(
      delivered: { _ throws(StoreError) in throw failure("PushStore.delivered") },
      isDue: { _ throws(StoreError) in throw failure("PushStore.isDue") },
      name: { _ throws(StoreError) in throw failure("PushStore.name") },
      opponent: { _, _ throws(StoreError) in throw failure("PushStore.opponent") },
      record: { _, _ throws(StoreError) in throw failure("PushStore.record") })
  }
}

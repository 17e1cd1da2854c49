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

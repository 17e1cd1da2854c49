package import MatchCore

/// The store as the outbox relay needs it. Confined to its thread.
package struct RelayStore: Interface {
  /// Begins a transaction and locks outbox rows older than an age, and then held jobs whose hour has
  /// come, skipping rows that another relay has, at most so many. They stay locked until `finish`.
  package var claim: Ask<(Duration, Int), [PushJob], StoreError>
  /// Deletes the rows of the jobs that the broker has confirmed and commits. The other rows become
  /// free again; a row of a held job that waits once more stays.
  package var finish: Ask<[PushJobID], Void, StoreError>

  package init(_ how: Asking<StoreError>, around inner: RelayStore?) {
    claim = how("RelayStore.claim", inner?.claim) { _, _ in [] }
    finish = how("RelayStore.finish", inner?.finish) { _ in }
  }
}

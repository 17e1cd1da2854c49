import MatchCore
package import MatchInterfaces

/// The rules of when a notification is sent. The table in docs/architecture.md states them.
package enum PushPolicy {
  /// The verdict on a job that still holds, at the time of its facts.
  package static func plan(
    _ job: PushJob, _ details: PushStore.Details, zones: TimeZones
  ) -> PushPlan {
    .now(silently: false)
  }
}

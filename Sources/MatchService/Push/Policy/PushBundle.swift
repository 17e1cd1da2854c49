package import MatchCore
package import MatchInterfaces

/// One notification to be sent now, and the jobs that it does.
package struct PushBundle: Hashable, Sendable {
  /// A job that is to be sent now.
  package struct Part: Hashable, Sendable {
    package var job: PushJob
    package var details: PushStore.Details
    package var isSilent: Bool
    /// When the service published it. Nil: unknown.
    package var publishedAt: Instant?

    package init(
      _ job: PushJob, _ details: PushStore.Details, isSilent: Bool, publishedAt: Instant? = nil
    ) {
      self.job = job
      self.details = details
      self.isSilent = isSilent
      self.publishedAt = publishedAt
    }
  }

  /// The job whose match the notification opens: the one that runs out first.
  package private(set) var lead: Part
  /// All of them, the lead included, in their order.
  package private(set) var parts: [Part]

  /// The key that all notifications of several turns have, so that a later one takes the place of
  /// an earlier one.
  package static let collapseKey = "turns"

  private init(_ part: Part) {
    lead = part
    parts = [part]
  }

  /// Whether it tells of several jobs.
  package var isOfMany: Bool { parts.count > 1 }

  /// The replacing key of its notification.
  package var collapseKey: String {
    isOfMany ? PushBundle.collapseKey : lead.job.collapseKey(opponent: lead.details.opponent?.id)
  }

  /// The reason that is kept with each of its jobs once it is delivered.
  package var reason: PushReason? {
    if lead.isSilent { return .silent }
    return isOfMany ? .bundled : nil
  }

  /// The notifications of the jobs of one step, in the order of their first jobs. Turns of a player
  /// become one, unless the player wants each of them alone. A job is in one of them, once.
  package static func bundles(of parts: [Part]) -> [PushBundle] {
    struct Key: Hashable {
      var player: PlayerID
      var isSilent: Bool
    }
    var bundles: [PushBundle] = []
    var places: [Key: Int] = [:]
    var ids: Set<PushJobID> = []
    for part in parts where ids.insert(part.job.id).inserted {
      guard part.job.isBundled(by: part.details.preferences) else {
        bundles.append(PushBundle(part))
        continue
      }
      let key = Key(player: part.job.player, isSilent: part.isSilent)
      if let place = places[key] {
        bundles[place].add(part)
      } else {
        places[key] = bundles.count
        bundles.append(PushBundle(part))
      }
    }
    return bundles
  }

  private mutating func add(_ part: Part) {
    parts.append(part)
    let end = Instant(microseconds: .max)
    if (part.details.expiresAt ?? end) < (lead.details.expiresAt ?? end) { lead = part }
  }
}

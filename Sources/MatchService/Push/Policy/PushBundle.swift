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

    /// The subject of its news of a match. Nil: it comes alone.
    var topic: PushJob.Kind.Topic? {
      details.reason == .declined && job.kind == .matchEnded ? .refusal : job.kind.topic
    }

    /// Whether it is told of before another one: it has the higher topic, or runs out first.
    fileprivate func leads(_ other: Part) -> Bool {
      let (rank, otherRank) = (topic?.rawValue ?? 0, other.topic?.rawValue ?? 0)
      let never = Instant(microseconds: .max)
      return rank == otherRank
        ? (details.expiresAt ?? never) < (other.details.expiresAt ?? never) : rank < otherRank
    }
  }

  /// All jobs, in their order.
  package private(set) var parts: [Part]
  /// One job for each match that it tells of, in their order. A device would show the others for a
  /// moment only.
  package private(set) var shown: [Part]

  private init(_ part: Part) { (parts, shown) = ([part], [part]) }

  /// The job whose match the notification opens.
  package var lead: Part { shown.reduce(shown[0]) { $1.leads($0) ? $1 : $0 } }

  /// Whether it tells of several matches.
  package var isOfMany: Bool { shown.count > 1 }

  /// The replacing key of its notification. Notifications of several turns have one key, since the
  /// later one counts the turns of the earlier one; so do those of invitations and of offers. Other
  /// news of several matches stay.
  package var collapseKey: String {
    guard isOfMany else { return lead.job.collapseKey(opponent: lead.details.opponent?.id) }
    let topics = Set(shown.map(\.topic))
    let key = topics.count == 1 ? topics.first??.keyOfAll : nil
    return key ?? "\(PushBundle.newsKey)-\(lead.job.id)"
  }

  private static let newsKey = "news"

  /// Whether a replacing key is that of several matches.
  package static func isOfMany(_ key: String) -> Bool {
    key.hasPrefix("\(newsKey)-")
      || PushJob.Kind.Topic.allCases.contains { $0.keyOfAll == key }
  }

  /// The reason that is kept with each of its jobs once it is delivered.
  package var reason: PushReason? {
    if lead.isSilent { return .silent }
    return parts.count > 1 ? .bundled : nil
  }

  /// The notifications of the jobs of one step, in the order of their first jobs. The news of a
  /// player's matches become one, unless the player wants each of them alone. A job is in one of
  /// them, once.
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
    let place = part.job.match.flatMap { match in shown.firstIndex { $0.job.match == match } }
    guard let place else {
      shown.append(part)
      return
    }
    // The later of two equals tells of the present state.
    if !shown[place].leads(part) { shown[place] = part }
  }
}

extension PushJob.Kind.Topic {
  /// The replacing key of all that waits of this topic. Nil: it only happens, and nothing waits.
  fileprivate var keyOfAll: String? {
    switch self {
    case .turn: "turns"
    case .offer: "offers"
    case .invitation: "invitations"
    case .beginning, .refusal, .ending, .reaction: nil
    }
  }
}

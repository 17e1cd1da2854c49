package import MatchCore

/// One notification for one player, as providers bring it to devices.
package struct PushNotification: Hashable, Sendable {
  /// How soon a device is to be woken for it. The raw values are those of RFC 8030, section 5.3.
  package enum Urgency: String, Hashable, Sendable, CaseIterable {
    case low
    case normal
    case high
  }

  /// The job behind it. Of a bundle: the one whose match it opens.
  package var job: PushJob
  /// All jobs that it does, that one included.
  package var jobs: [PushJob]
  /// Whether it tells of several matches.
  package var isOfMany: Bool
  /// One line.
  package var title: String
  /// One sentence.
  package var body: String
  /// The language of title and body.
  package var language: PushLanguage
  /// A later notification with the same key takes this one's place.
  package var collapseKey: String
  package var urgency: Urgency
  /// It comes without a sound.
  package var isSilent: Bool
  /// From then on it is of no use. Nil: for the standard time of its kind.
  package var expiresAt: Instant?
  /// How many turns, invitations and offers of a rematch wait for the player. Nil: unknown.
  package var waiting: Int?
  /// The player's devices that may be told and were not told yet; none: the operator's receiver knows
  /// them.
  package var devices: [Device]

  package init(
    job: PushJob, isOfMany: Bool = false, title: String, body: String,
    language: PushLanguage = .english,
    collapseKey: String, urgency: Urgency = .normal, isSilent: Bool = false,
    expiresAt: Instant? = nil, waiting: Int? = nil, devices: [Device] = []
  ) {
    self.job = job
    jobs = [job]
    self.isOfMany = isOfMany
    self.title = title
    self.body = body
    self.language = language
    self.collapseKey = collapseKey
    self.urgency = urgency
    self.isSilent = isSilent
    self.expiresAt = expiresAt
    self.waiting = waiting
    self.devices = devices
  }
}

/// A player's change to when and how notifications come. A wish that it does not name stays.
public struct PushChange: Hashable, Sendable {
  public var timeZone: SettingsChange.Setting<TimeZoneName>?
  public var language: PushLanguage?
  public var quietHours: SettingsChange.Setting<QuietHours>?
  /// Whether news of matches that come within some minutes come as one notification from now on.
  public var isBundled: Bool?
  /// Whether opponents may remind the player of a turn from now on.
  public var takesNudges: Bool?
  public var digest: SettingsChange.Setting<MinuteOfDay>?
  public var review: SettingsChange.Setting<Weekday>?

  public init(
    timeZone: SettingsChange.Setting<TimeZoneName>? = nil, language: PushLanguage? = nil,
    quietHours: SettingsChange.Setting<QuietHours>? = nil, isBundled: Bool? = nil,
    takesNudges: Bool? = nil, digest: SettingsChange.Setting<MinuteOfDay>? = nil,
    review: SettingsChange.Setting<Weekday>? = nil
  ) {
    self.timeZone = timeZone
    self.language = language
    self.quietHours = quietHours
    self.isBundled = isBundled
    self.takesNudges = takesNudges
    self.digest = digest
    self.review = review
  }

  /// Whether nothing would change.
  public var isEmpty: Bool {
    timeZone == nil && language == nil && quietHours == nil && isBundled == nil
      && takesNudges == nil && digest == nil && review == nil
  }

  /// Whether the time of the next look by the player's own clock may be another one afterwards.
  public var movesDigest: Bool {
    timeZone != nil || quietHours != nil || digest != nil || review != nil
  }

  /// Adds a later change to this one.
  public mutating func merge(_ later: PushChange) {
    timeZone = later.timeZone ?? timeZone
    language = later.language ?? language
    quietHours = later.quietHours ?? quietHours
    isBundled = later.isBundled ?? isBundled
    takesNudges = later.takesNudges ?? takesNudges
    digest = later.digest ?? digest
    review = later.review ?? review
  }
}

extension PushPreferences {
  /// Applies the wishes that a change names.
  public mutating func apply(_ change: PushChange) {
    change.timeZone?.apply(to: &timeZone)
    change.quietHours?.apply(to: &quietHours)
    change.digest?.apply(to: &digest)
    change.review?.apply(to: &review)
    language = change.language ?? language
    isBundled = change.isBundled ?? isBundled
    takesNudges = change.takesNudges ?? takesNudges
  }

  /// Whether something is done at times of the player's own clock: a digest, a review, or the
  /// reminders before quiet hours.
  public var hasLocalTimes: Bool { digest != nil || review != nil || quietHours != nil }
}

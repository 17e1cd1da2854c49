extension Event {
  /// A player begins the daily challenge of a day.
  public struct DailyStarted: EventPayload {
    package static let name = "dailyStarted"
    package static let noun = "start of the daily"

    public var daily: DailyKey

    public init(_ daily: DailyKey) { self.daily = daily }
  }
}

extension Event.DailyStarted {
  package static func answer(_ acceptance: Acceptance) -> MatchTicket? {
    if case .dailyStarted(let ticket) = acceptance { ticket } else { nil }
  }

  package var action: Event.Action { .dailyStarted(self) }
  package var subject: Event.Subject? { .daily(daily) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.daily = daily
    needs.matches = [MatchID(daily: daily, player: event.player)]
    if daily.mode == .timed {
      needs.matches.append(MatchID(dailyAgain: daily, player: event.player))
    }
    return needs
  }

  package var fields: [(String, JSON?)] { [("daily", daily.json)] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try DailyKey(object.object("daily")))
  }
}

extension Event.Action {
  public static func dailyStarted(_ daily: DailyKey) -> Self {
    .dailyStarted(Event.DailyStarted(daily))
  }
}

/// Names one daily challenge.
public struct DailyKey: Hashable, Sendable, CustomStringConvertible {
  /// The UTC day.
  public var day: Day
  public var mode: SoloMode
  /// The language of its words.
  public var language: Language

  public init(day: Day, mode: SoloMode = .unlimited, language: Language = .english) {
    self.day = day
    self.mode = mode
    self.language = language
  }

  /// Whether players are notified when it is dealt. They are notified once a day, for both modes,
  /// by the unlimited one.
  public var isAnnounced: Bool { mode == .unlimited }

  /// From when on nobody is helped by another one's game: the day is over, and so is the time of a
  /// game that was begun in its last moment. Only a player whom the service has given back time, as
  /// after an outage, may play on.
  public var helpsUntil: Instant { day.end.adding(seconds: mode.seconds ?? 0) }

  /// `day/mode/language`, such as `2026-05-01/unlimited/en`.
  public var description: String { "\(day)/\(mode.rawValue)/\(language.rawValue)" }
}

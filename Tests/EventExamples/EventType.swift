// swift-format-ignore-file: NeverForceUnwrap

package import MatchCore

/// The types of events, by their names on the wire. The compiler asks here for a new one.
package enum EventType: String, CaseIterable, Sendable {
  case playerRegistered, matchRequested, dailyStarted, invitationAccepted, invitationDeclined
  case requestWithdrawn, turnPlayed, reacted, nudged, matchForfeited, rematchRequested
  case rematchDeclined, gameShared, settingsChanged, deviceRegistered, deviceRemoved
  case deviceInvited, keyAdded, keyRemoved, recoveryKeyNamed, playerRecovered, recoveryObjected
  case recoveryWithdrawn
  case inboxSeen, notificationTested, playerBlocked, playerUnblocked, reported, ticked
  case mergeProposed, deadlinePassed, recoveryDue, ruled

  package init(_ action: Event.Action) {
    self =
      switch action {
      case .playerRegistered: .playerRegistered
      case .matchRequested: .matchRequested
      case .dailyStarted: .dailyStarted
      case .invitationAccepted: .invitationAccepted
      case .invitationDeclined: .invitationDeclined
      case .requestWithdrawn: .requestWithdrawn
      case .turnPlayed: .turnPlayed
      case .reacted: .reacted
      case .nudged: .nudged
      case .matchForfeited: .matchForfeited
      case .rematchRequested: .rematchRequested
      case .rematchDeclined: .rematchDeclined
      case .gameShared: .gameShared
      case .settingsChanged: .settingsChanged
      case .deviceRegistered: .deviceRegistered
      case .deviceRemoved: .deviceRemoved
      case .deviceInvited: .deviceInvited
      case .keyAdded: .keyAdded
      case .keyRemoved: .keyRemoved
      case .recoveryKeyNamed: .recoveryKeyNamed
      case .playerRecovered: .playerRecovered
      case .recoveryObjected: .recoveryObjected
      case .recoveryWithdrawn: .recoveryWithdrawn
      case .inboxSeen: .inboxSeen
      case .notificationTested: .notificationTested
      case .playerBlocked: .playerBlocked
      case .playerUnblocked: .playerUnblocked
      case .reported: .reported
      case .ticked: .ticked
      case .mergeProposed: .mergeProposed
      case .deadlinePassed: .deadlinePassed
      case .recoveryDue: .recoveryDue
      case .ruled: .ruled
      }
  }

  /// An event of this type, about a match if the type is. A reaction answers the turn before.
  package func example(
    about match: MatchID, turn: Turn = Turn(number: 1, previous: .zero, moves: [])
  ) -> Event.Action {
    switch self {
    case .playerRegistered: .playerRegistered(name: PlayerName("Eva")!, code: nil)
    case .matchRequested: .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 86_400))
    case .dailyStarted: .dailyStarted(DailyKey(day: Day("2026-05-01")!))
    case .invitationAccepted: .invitationAccepted(match, code: nil)
    case .invitationDeclined: .invitationDeclined(match)
    case .requestWithdrawn: .requestWithdrawn(match)
    case .turnPlayed: .turnPlayed(match, turn)
    case .reacted: .reacted(match, turn: max(1, turn.number - 1), word: "CAT")
    case .nudged: .nudged(match, turn: max(1, turn.number))
    case .matchForfeited: .matchForfeited(match)
    case .rematchRequested: .rematchRequested(match)
    case .rematchDeclined: .rematchDeclined(match)
    case .gameShared: .gameShared(match)
    case .settingsChanged: .settingsChanged(SettingsChange())
    case .deviceRegistered:
      .deviceRegistered(
        Device(name: DeviceName("phone")!, token: nil, permission: .authorized))
    case .deviceRemoved: .deviceRemoved(DeviceName("phone")!)
    case .deviceInvited: .deviceInvited(.zero)
    case .keyAdded: .keyAdded(DeviceCode(random: 0))
    case .keyRemoved: .keyRemoved(PublicKey(bytes: Array(repeating: 9, count: 32))!)
    case .recoveryKeyNamed: .recoveryKeyNamed(PublicKey(bytes: Array(repeating: 9, count: 32))!)
    case .playerRecovered:
      .playerRecovered(
        PublicKey(bytes: Array(repeating: 9, count: 32))!, proof: Array(repeating: 9, count: 64))
    case .recoveryObjected: .recoveryObjected(EventID(rawValue: 9))
    case .recoveryWithdrawn: .recoveryWithdrawn(EventID(rawValue: 9))
    case .inboxSeen: .inboxSeen(.all)
    case .notificationTested: .notificationTested(Event.NotificationTested())
    case .playerBlocked: .playerBlocked(PlayerID(rawValue: 9))
    case .playerUnblocked: .playerUnblocked(PlayerID(rawValue: 9))
    case .reported: .reported(match, .conduct, text: Report.Text("lets time run out"))
    case .ticked: .ticked(queue: 0, time: Instant(microseconds: 0))
    case .mergeProposed:
      .mergeProposed(
        Merger(
          kept: match, merged: MatchID(rawValue: 9),
          reason: MeetingReason(ratingDistance: 0, window: nil, waitedSeconds: 0)))
    case .deadlinePassed: .deadlinePassed(match, turn: 1, deadline: Instant(microseconds: 0))
    case .recoveryDue:
      .recoveryDue(
        of: PlayerID(rawValue: 8), recovery: EventID(rawValue: 9),
        key: PublicKey(bytes: Array(repeating: 9, count: 32))!, due: Instant(microseconds: 0))
    case .ruled: .ruled(match, Ruling(.annulled, for: .fault))
    }
  }
}

extension EventType {
  /// The types that players send.
  package static var ofPlayers: [EventType] {
    allCases.filter { $0.example(about: MatchID(rawValue: 1)).sender == .player }
  }
}

extension Event.Action {
  /// An event of each type that players send about a match.
  package static func ofPlayers(
    about match: MatchID, turn: Turn = Turn(number: 1, previous: .zero, moves: [])
  ) -> [Event.Action] {
    EventType.ofPlayers.map { $0.example(about: match, turn: turn) }.filter { action in
      let event = Event(
        service: ServiceID(rawValue: 1), id: EventID(rawValue: 1), player: PlayerID(rawValue: 1),
        action: action)
      return event.match != nil
    }
  }
}

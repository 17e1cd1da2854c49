public import CubeRules
public import MatchCore

/// What a player wants, apart from the event that says so: the same wish said twice is one event.
///
/// While an event is pending, asking again for the same thing resumes that event instead of making
/// another; so repeating a command after a time-out or a crash never starts two matches or plays
/// two turns.
public enum Intent: Hashable, Sendable {
  /// To be a player of that name; whatever the registration code.
  case register(PlayerName)
  /// A match on those terms.
  case request(MatchRequest)
  /// That day's challenge.
  case daily(DailyKey)
  /// The seat that a code invites to.
  case join(ShareCode)
  /// The seat that was offered by name.
  case accept(MatchID)
  /// Not that invitation.
  case decline(MatchID)
  /// To take a request back.
  case withdraw(MatchID)
  /// Those moves; the rules let nobody make the same moves twice in a match.
  case play(MatchID, [Move])
  /// To give a match up.
  case forfeit(MatchID)
  /// Another match.
  case rematch(MatchID)
  /// Not another match.
  case declineRematch(MatchID)
  /// Those settings.
  case settings(SettingsChange)
  /// That device, with what is said of it.
  case device(Device)
  /// Not that device any more.
  case removeDevice(DeviceName)
  /// Those notifications seen.
  case seen(InboxSeen)

  /// That whoever has the code may see a match.
  case share(MatchID)
  /// Not to meet a player.
  case block(PlayerID)
  /// To meet a player again.
  case unblock(PlayerID)

  /// What a wish is about. Of two wishes about the same thing the later one has to hold in the end.
  ///
  /// An event that was sent once may arrive at any time within seven days. So no event is sent while
  /// an earlier one about the same thing has no answer.
  public enum Subject: Hashable, Sendable {
    case player
    /// A match that is yet to come. Requests on other terms have nothing to do with one another.
    case request(MatchRequest)
    /// That day's challenge.
    case daily(DailyKey)
    /// The seat that a code invites to.
    case code(ShareCode)
    /// What happens in a match, and whether there is another one.
    case match(MatchID)
    /// Whether others may see a match; it goes with everything that happens in it.
    case sharing(MatchID)
    /// All that is set: a change may name what another one names.
    case settings
    case device(DeviceName)
    /// Notifications that were seen.
    case inbox
    case meeting(PlayerID)
  }

  /// What it is about.
  public var subject: Subject {
    switch self {
    case .register: .player
    case .request(let request): .request(request)
    case .daily(let key): .daily(key)
    case .join(let code): .code(code)
    case .accept(let match), .decline(let match), .withdraw(let match), .play(let match, _),
      .forfeit(let match), .rematch(let match), .declineRematch(let match):
      .match(match)
    case .share(let match): .sharing(match)
    case .settings: .settings
    case .device(let device): .device(device.name)
    case .removeDevice(let name): .device(name)
    case .seen: .inbox
    case .block(let other), .unblock(let other): .meeting(other)
    }
  }

  /// What an event asks for; nil for what only the service says.
  public init?(_ action: Event.Action) {
    switch action {
    case .playerRegistered(let name, _): self = .register(name)
    case .matchRequested(let request): self = .request(request)
    case .dailyStarted(let key): self = .daily(key)
    case .invitationAccepted(_, let code?): self = .join(code)
    case .invitationAccepted(let match, nil): self = .accept(match)
    case .invitationDeclined(let match): self = .decline(match)
    case .requestWithdrawn(let match): self = .withdraw(match)
    case .turnPlayed(let match, let turn): self = .play(match, turn.moves)
    case .matchForfeited(let match): self = .forfeit(match)
    case .rematchRequested(let match): self = .rematch(match)
    case .rematchDeclined(let match): self = .declineRematch(match)
    case .gameShared(let match): self = .share(match)
    case .settingsChanged(let change): self = .settings(change)
    case .deviceRegistered(let device): self = .device(device)
    case .deviceRemoved(let name): self = .removeDevice(name)
    case .inboxSeen(let seen): self = .seen(seen)
    case .playerBlocked(let other): self = .block(other)
    case .playerUnblocked(let other): self = .unblock(other)
    case .ticked, .deadlinePassed, .ruled, .mergeProposed: return nil
    }
  }
}

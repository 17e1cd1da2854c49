/// An act, as it was sent. It is named for the player's act, never for a worker's task.
public struct Event: Hashable, Sendable {
  /// The deployment that the event is meant for.
  public var service: ServiceID
  /// The sender's id of this event. If it is sent again, it is the same event.
  public var id: EventID
  /// The player who acted. In a service event this is the service's own id.
  public var player: PlayerID
  public var action: Action

  public init(service: ServiceID, id: EventID, player: PlayerID, action: Action) {
    self.service = service
    self.id = id
    self.player = player
    self.action = action
  }

  /// The act: a case for each type of event, with its payload. Folder Payloads has one file for
  /// each.
  public enum Action: Hashable, Sendable {
    case playerRegistered(PlayerRegistered)
    case matchRequested(MatchRequest)
    case dailyStarted(DailyStarted)
    case invitationAccepted(InvitationAccepted)
    case invitationDeclined(InvitationDeclined)
    case requestWithdrawn(RequestWithdrawn)
    case turnPlayed(TurnPlayed)
    case reacted(Reacted)
    case nudged(Nudged)
    case matchForfeited(MatchForfeited)
    case rematchRequested(RematchRequested)
    case rematchDeclined(RematchDeclined)
    case gameShared(GameShared)
    case settingsChanged(SettingsChange)
    case deviceRegistered(Device)
    case deviceRemoved(DeviceRemoved)
    case deviceInvited(DeviceInvited)
    case keyAdded(KeyAdded)
    case keyRemoved(KeyRemoved)
    case recoveryKeyNamed(RecoveryKeyNamed)
    case playerRecovered(PlayerRecovered)
    case recoveryObjected(RecoveryObjected)
    case recoveryWithdrawn(RecoveryWithdrawn)
    case inboxSeen(InboxSeen)
    case notificationTested(NotificationTested)
    case playerBlocked(PlayerBlocked)
    case playerUnblocked(PlayerUnblocked)
    case reported(Reported)
    case ticked(Ticked)
    case mergeProposed(Merger)
    case deadlinePassed(DeadlinePassed)
    case recoveryDue(RecoveryDue)
    case ruled(Ruled)

    package func visit<Visitor: EventPayloadVisitor>(_ visitor: Visitor) -> Visitor.Answer {
      switch self {
      case .playerRegistered(let payload): visitor.visit(payload)
      case .matchRequested(let payload): visitor.visit(payload)
      case .dailyStarted(let payload): visitor.visit(payload)
      case .invitationAccepted(let payload): visitor.visit(payload)
      case .invitationDeclined(let payload): visitor.visit(payload)
      case .requestWithdrawn(let payload): visitor.visit(payload)
      case .turnPlayed(let payload): visitor.visit(payload)
      case .reacted(let payload): visitor.visit(payload)
      case .nudged(let payload): visitor.visit(payload)
      case .matchForfeited(let payload): visitor.visit(payload)
      case .rematchRequested(let payload): visitor.visit(payload)
      case .rematchDeclined(let payload): visitor.visit(payload)
      case .gameShared(let payload): visitor.visit(payload)
      case .settingsChanged(let payload): visitor.visit(payload)
      case .deviceRegistered(let payload): visitor.visit(payload)
      case .deviceRemoved(let payload): visitor.visit(payload)
      case .deviceInvited(let payload): visitor.visit(payload)
      case .keyAdded(let payload): visitor.visit(payload)
      case .keyRemoved(let payload): visitor.visit(payload)
      case .recoveryKeyNamed(let payload): visitor.visit(payload)
      case .playerRecovered(let payload): visitor.visit(payload)
      case .recoveryObjected(let payload): visitor.visit(payload)
      case .recoveryWithdrawn(let payload): visitor.visit(payload)
      case .inboxSeen(let payload): visitor.visit(payload)
      case .notificationTested(let payload): visitor.visit(payload)
      case .playerBlocked(let payload): visitor.visit(payload)
      case .playerUnblocked(let payload): visitor.visit(payload)
      case .reported(let payload): visitor.visit(payload)
      case .ticked(let payload): visitor.visit(payload)
      case .mergeProposed(let payload): visitor.visit(payload)
      case .deadlinePassed(let payload): visitor.visit(payload)
      case .recoveryDue(let payload): visitor.visit(payload)
      case .ruled(let payload): visitor.visit(payload)
      }
    }

    /// Reads the fields of an event of the type that an object names.
    init(_ object: JSONObject) throws(WireFault) {
      let type = try object.string("type")
      self =
        switch type {
        case PlayerRegistered.name: .playerRegistered(try PlayerRegistered(object))
        case MatchRequest.name: .matchRequested(try MatchRequest(object))
        case DailyStarted.name: .dailyStarted(try DailyStarted(object))
        case InvitationAccepted.name: .invitationAccepted(try InvitationAccepted(object))
        case InvitationDeclined.name: .invitationDeclined(try InvitationDeclined(object))
        case RequestWithdrawn.name: .requestWithdrawn(try RequestWithdrawn(object))
        case TurnPlayed.name: .turnPlayed(try TurnPlayed(object))
        case Reacted.name: .reacted(try Reacted(object))
        case Nudged.name: .nudged(try Nudged(object))
        case MatchForfeited.name: .matchForfeited(try MatchForfeited(object))
        case RematchRequested.name: .rematchRequested(try RematchRequested(object))
        case RematchDeclined.name: .rematchDeclined(try RematchDeclined(object))
        case GameShared.name: .gameShared(try GameShared(object))
        case SettingsChange.name: .settingsChanged(try SettingsChange(object))
        case Device.name: .deviceRegistered(try Device(object))
        case DeviceRemoved.name: .deviceRemoved(try DeviceRemoved(object))
        case DeviceInvited.name: .deviceInvited(try DeviceInvited(object))
        case KeyAdded.name: .keyAdded(try KeyAdded(object))
        case KeyRemoved.name: .keyRemoved(try KeyRemoved(object))
        case RecoveryKeyNamed.name: .recoveryKeyNamed(try RecoveryKeyNamed(object))
        case PlayerRecovered.name: .playerRecovered(try PlayerRecovered(object))
        case RecoveryObjected.name: .recoveryObjected(try RecoveryObjected(object))
        case RecoveryWithdrawn.name: .recoveryWithdrawn(try RecoveryWithdrawn(object))
        case InboxSeen.name: .inboxSeen(try InboxSeen(object))
        case NotificationTested.name: .notificationTested(try NotificationTested(object))
        case PlayerBlocked.name: .playerBlocked(try PlayerBlocked(object))
        case PlayerUnblocked.name: .playerUnblocked(try PlayerUnblocked(object))
        case Reported.name: .reported(try Reported(object))
        case Ticked.name: .ticked(try Ticked(object))
        case Merger.name: .mergeProposed(try Merger(object))
        case DeadlinePassed.name: .deadlinePassed(try DeadlinePassed(object))
        case RecoveryDue.name: .recoveryDue(try RecoveryDue(object))
        case Ruled.name: .ruled(try Ruled(object))
        default: throw .malformed("type \(excerpt(type)) is not known")
        }
    }
  }
}

extension Event {
  /// The match that an event is about. Nil if it names none.
  public var match: MatchID? { action.visit(AboutVisitor()) }

  /// The player that an event of the service is about. Nil if it names none.
  public var aboutPlayer: PlayerID? { action.visit(AboutPlayerVisitor()) }

  /// Whether only the service may send this event.
  public var isFromService: Bool { action.sender == .service }

  /// The oldest that an event may be. Stored replies are kept a day longer, so an old event that
  /// was handled can never be handled again.
  public static let maximumAgeSeconds: Int64 = 7 * 86_400
  /// The most that a sender's clock may be ahead of the service.
  public static let maximumAheadSeconds: Int64 = 5 * 60
  /// Up to this far ahead an event's refusal is kept.
  public static let rememberedAheadSeconds: Int64 = 86_400
}

extension Event.Action {
  /// The stable name under which the action travels: the name of its case.
  public var typeName: String { visit(NameVisitor()) }
  /// Its name in sentences for people.
  public var noun: String { visit(NounVisitor()) }
  public var sender: EventSender { visit(SenderVisitor()) }
  public var price: EventPrice { visit(PriceVisitor()) }
  /// The subject of a player's action. Nil for one of the service's.
  public var subject: Event.Subject? { visit(SubjectVisitor()) }
  /// The action without the parts that differ each time the same wish is sent.
  public var wish: Event.Action { visit(WishVisitor()) }
  var fields: [(String, JSON?)] { visit(FieldVisitor()) }
}

private struct AboutVisitor: EventPayloadVisitor {
  func visit(_ payload: some EventPayload) -> MatchID? { payload.about }
}

private struct AboutPlayerVisitor: EventPayloadVisitor {
  func visit(_ payload: some EventPayload) -> PlayerID? { payload.aboutPlayer }
}

private struct NameVisitor: EventPayloadVisitor {
  func visit<Payload: EventPayload>(_: Payload) -> String { Payload.name }
}

private struct NounVisitor: EventPayloadVisitor {
  func visit<Payload: EventPayload>(_: Payload) -> String { Payload.noun }
}

private struct SenderVisitor: EventPayloadVisitor {
  func visit<Payload: EventPayload>(_: Payload) -> EventSender { Payload.sender }
}

private struct PriceVisitor: EventPayloadVisitor {
  func visit<Payload: EventPayload>(_: Payload) -> EventPrice { Payload.price }
}

private struct SubjectVisitor: EventPayloadVisitor {
  func visit(_ payload: some EventPayload) -> Event.Subject? { payload.subject }
}

private struct WishVisitor: EventPayloadVisitor {
  func visit(_ payload: some EventPayload) -> Event.Action { payload.wish.action }
}

private struct FieldVisitor: EventPayloadVisitor {
  func visit(_ payload: some EventPayload) -> [(String, JSON?)] { payload.fields }
}

extension Event {
  /// The subject of a player's event. Of two events with the same subject the later one must win.
  public enum Subject: Hashable, Sendable {
    case player
    /// A match that does not exist yet. Requests on other terms are independent of one another.
    case request(MatchRequest)
    /// That day's challenge.
    case daily(DailyKey)
    /// The seat that a code invites to.
    case code(ShareCode)
    /// The course of a match, and its rematch.
    case match(MatchID)
    /// Whether others may see a match. It does not conflict with the course of the match.
    case sharing(MatchID)
    /// An answer to a turn. No turn waits for it.
    case reaction(MatchID)
    /// A reminder of a turn. No turn waits for it.
    case nudge(MatchID)
    /// All settings: one change may name the same setting as another.
    case settings
    case device(DeviceName)
    /// The keys that speak for the player.
    case keys
    /// Notifications that were seen.
    case inbox
    /// A notification to the sender.
    case notificationTest
    case meeting(PlayerID)
    /// The report about a match. It does not conflict with the course of the match.
    case report(MatchID)
  }
}

extension Event {
  package var json: JSON {
    .object(
      [
        ("v", .integer(1)), ("service", .text(service)), ("id", .text(id)),
        ("type", .string(action.typeName)), ("player", .text(player)),
      ] + action.fields)
  }

  package init(_ object: JSONObject) throws(WireFault) {
    try object.checkVersion()
    self.init(
      service: try object.id("service"), id: try object.id("id"), player: try object.id("player"),
      action: try Action(object))
  }
}

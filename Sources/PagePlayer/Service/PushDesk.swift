import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews

/// Notifications that find this browser without an open page, and the test of them.
///
/// The page itself asks for these, and no screen of the game.
struct PushDesk: Hashable {
  /// The settings as they came last. Nil: they have not come yet.
  var known: Known?
  /// How many of these answers have come.
  var heard = 0
  /// How far the registration of this browser has come.
  var browser = Telling.no
  /// How far a test has come.
  var test = Telling.no
  /// The reminder of the opponent that was sent last.
  var nudge: Nudge?

  struct Known: Hashable {
    /// The service's key for subscriptions, in base64url. Nil: it reaches no browsers.
    var key: String?
    /// The names of all devices.
    var devices: [String]
    /// What push services have said of each of them, in words.
    var news: [String]
    /// The names of the browsers among them.
    var browsers: [String]
  }

  struct Nudge: Hashable {
    var match: MatchID
    var turn: Int
    var stage: Telling
  }

  /// How far an event has come.
  enum Telling: Hashable {
    case no
    case asked(isDelayed: Bool)
    case done
    /// For a reason in words.
    case refused(String)
  }

  /// - Parameter now: The service's time.
  mutating func take(_ view: SettingsView, at now: Instant) {
    let browsers = view.devices.filter { $0.service == Device.Route.Service.webPush.rawValue }
    known = Known(
      key: view.pushKey, devices: view.devices.map { $0.device },
      news: view.devices.map { $0.news(at: now) },
      browsers: browsers.map { $0.device })
    heard &+= 1
  }

  /// An event has come so far.
  mutating func tell(_ action: Event.Action, _ stage: Telling) {
    switch action {
    case .notificationTested: test = stage
    case .nudged(let told): nudge = Nudge(match: told.match, turn: told.turn, stage: stage)
    case .deviceRegistered: browser = stage
    // Nobody waits for a removal.
    default: break
    }
  }
}

extension DeviceView {
  /// When something has last arrived there, and what its push service has said last.
  fileprivate func news(at now: Instant) -> String {
    guard hasToken else { return "" }
    let ago = { SpanText.ago(microseconds: now.microseconds(since: $0)) }
    let text = arrivedAt.map { "Something last arrived \(ago($0))." } ?? "Nothing has arrived yet."
    guard let answer, let answeredAt else { return text }
    return "\(text) Its push service said \(ago(answeredAt)): \(answer)"
  }
}

extension Wish {
  /// Whether it is one of these, where no screen has asked for it.
  var isOfPush: Bool {
    switch action {
    case .deviceRegistered, .deviceRemoved, .notificationTested, .nudged: true
    default: false
    }
  }
}

extension Step {
  /// Nil where a screen of the game has asked for it.
  var pushWish: Wish? {
    guard effect == nil, case .wish(let wish) = what, wish.isOfPush else { return nil }
    return wish
  }
}

// MARK: - Actions of the page

extension ServiceWorld {
  /// Tells the service of this browser's subscription: `NAME ENDPOINT KEY SECRET`.
  mutating func subscribe(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 4, let name = DeviceName(parts[0]),
      let key = Base64.decodeForURL(parts[2]), let secret = Base64.decodeForURL(parts[3]),
      let subscription = WebPushSubscription(endpoint: parts[1], key: key, secret: secret)
    else {
      push.browser = .refused("The browser's subscription is none that can be used.")
      return
    }
    tellOfPush(
      .deviceRegistered(
        Device(name: name, route: .webPush(subscription), permission: .authorized)))
  }

  mutating func tellOfPush(_ action: Event.Action) {
    push.tell(action, .asked(isDelayed: false))
    tell(action, for: nil)
  }

  /// Reminds the opponent in the match on the page.
  mutating func nudge() {
    guard let view, followed?.match == view.id, canNudge(view) else { return }
    tellOfPush(.nudged(Event.Nudged(match: view.id, turn: view.turn)))
  }

  /// Whether the opponent's turn can be told of at all; the time for that may not have come.
  private func canNudge(_ view: MatchView) -> Bool {
    guard view.nudgeFrom != nil else { return false }
    guard let nudge = push.nudge, nudge.match == view.id, nudge.turn == view.turn else {
      return true
    }
    if case .refused = nudge.stage { return true }
    return false
  }
}

// MARK: - Answers

extension ServiceWorld {
  /// An event of these is answered.
  mutating func pushHeard(_ wish: Wish, _ reply: ReceivedReply) -> [GameAction] {
    switch reply {
    case .accepted: push.tell(wish.action, .done)
    case .refused(_, let message, let refusal):
      if case .notRegistered? = refusal { account.name = nil }
      push.tell(wish.action, .refused(message))
      return []
    }
    switch wish.action {
    case .deviceRegistered(let device):
      push.known?.browsers.append(device.name.text)
    case .deviceRemoved(let removed):
      push.known?.browsers.removeAll { $0 == removed.device.text }
    case .nudged(let told):
      let id = told.match
      if followed?.match == id { ask(.match(id), for: .match(MatchKey(id), .follow)) }
      return []
    default: return []
    }
    // The list of devices is another one now, where it is shown.
    return [.menu(.settings(.appeared))]
  }
}

// MARK: - As the page reads it

extension PushDesk {
  func write(to json: inout JSONText) {
    if let known {
      json.field("heard", heard)
      json.optional("key", known.key)
      json.field("devices", known.devices)
      json.field("browsers", known.browsers)
      json.field("news", known.news)
    }
    json.field("browser", browser)
    json.field("test", test)
  }
}

extension ServiceWorld {
  /// The reminder of the opponent in the match on the page, where one is possible or was sent.
  func writeNudge(to json: inout JSONText) {
    guard let view, followed?.match == view.id, view.outcome == nil else { return }
    let sent = push.nudge.flatMap { $0.match == view.id && $0.turn == view.turn ? $0 : nil }
    guard sent != nil || view.nudgeFrom != nil else { return }
    json.name("nudge")
    json.object { json in
      if canNudge(view), let time = view.nudgeFrom {
        // As the page's own clock has it.
        json.field("from", "\(account.pageTime(of: time).microseconds / 1_000)")
      }
      if let sent { json.field("sent", sent.stage) }
    }
  }
}

extension JSONText {
  /// How far an event has come; left out where there is none.
  fileprivate mutating func field(_ name: StaticString, _ stage: PushDesk.Telling) {
    if stage == .no { return }
    self.name(name)
    object { json in
      switch stage {
      case .no: break
      case .asked(isDelayed: false): json.field("stage", "asked")
      case .asked(isDelayed: true): json.field("stage", "delayed")
      case .done: json.field("stage", "done")
      case .refused(let text):
        json.field("stage", "refused")
        json.field("text", text)
      }
    }
  }
}

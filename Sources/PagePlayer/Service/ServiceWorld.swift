package import CubeLexicon
package import CubePlay
internal import CubistPage
package import MatchCore
import MatchWire
import ServiceNews

/// A service as the world behind the page.
///
/// It carries out effects by questions and events. The page signs and sends them, and brings back
/// what it hears. Of the outside world it is told the time.
package struct ServiceWorld: PageWorld {
  package internal(set) var account: Account
  var form = RegistrationForm()
  var addition = AdditionForm()
  var recoveryForm = RecoveryForm()
  /// Random bits for the next code of a device.
  var deviceBits: UInt64?
  /// The code that was made last.
  var deviceCode: DeviceCode?
  var making = WordsMaking.none
  /// Words and recovery as they arrived last.
  var recovery: RecoveryNews?
  /// The fault of the service, or of its last words. A final one stays.
  package internal(set) var trouble: Trouble? {
    didSet { if let oldValue, oldValue.isFinal { trouble = oldValue } }
  }
  /// The last message that the service failed to answer; nil: it has answered something since.
  var lastFailure: EventID?
  let words: Lexicon
  /// The steps that wait to be sent, in order.
  var waiting: [Step] = []
  /// The steps on their way, by the ids of their messages.
  var asked: [EventID: Step] = [:]
  /// Seconds after which an event is to be sent again, since the service said so.
  var pauses: [EventID: Int64] = [:]
  /// Effects that were wanted once more while they were on their way.
  private var again: [GameEffect] = []
  /// Whether the service has said who it is, and its time, since the page was opened.
  var isMet = false
  var search = Search()
  var changes = ChangeReader()
  /// The match on the page.
  var followed: MatchKey?
  /// That match as it arrived last.
  var view: MatchView?
  /// The latest versions that were heard of.
  var known: [MatchID: Int64] = [:]
  /// The outcomes of events that took long, until the list tells them.
  var told: [String] = []
  /// The answer to a start that took long, until the list tells it.
  var started: StartAnswer?
  /// The settings that are being saved.
  var saving: Saving?
  var desk = RecordDesk()
  var push = PushDesk()
  var accountDesk = AccountDesk()
  /// The times after which the page sends an action.
  var timers: [PageTimer] = []

  package init(account: Account, words: Lexicon) {
    (self.account, self.words) = (account, words)
  }
}

// MARK: - Steps

extension ServiceWorld {
  /// Asks for something, unless the same is about to be asked.
  mutating func ask(_ question: Question, for effect: GameEffect?) {
    guard account.canSign || question.path != nil else { return }
    guard !waiting.contains(where: { $0.asks(question, effect) }) else { return }
    if let effect, asked.values.contains(where: { $0.asks(question, effect) }) {
      // That answer may be older than the reason to ask once more.
      if !again.contains(where: { $0.isSame(as: effect) }) { again.append(effect) }
    } else {
      waiting.append(Step(effect: effect, what: .question(question)))
    }
  }

  /// Tells an event, unless the same waits or is on its way. Then its answer is awaited anew.
  mutating func tell(_ action: Event.Action, for effect: GameEffect?) {
    guard account.canSign else { return }
    guard !waiting.contains(where: { $0.tells(action, effect) }) else { return }
    let wish = Step.What.wish(Wish(action: action))
    if let id = asked.first(where: { $0.value.tells(action, effect) })?.key {
      asked[id]?.what = wish
    } else {
      waiting.append(Step(effect: effect, what: wish))
    }
  }

  /// Whether an event or a question of an effect waits, or is on its way.
  func isUnderWay(_ effect: GameEffect) -> Bool {
    (waiting + asked.values).contains { effect.isSame(as: $0.effect) }
  }

  /// Asks once more for what was wanted meanwhile.
  mutating func askAgain(_ step: Step) {
    guard let effect = step.effect, forgetAgain(effect), case .question(let question) = step.what
    else { return }
    ask(question, for: effect)
  }

  /// Whether an effect was wanted once more. It is not any longer.
  @discardableResult
  private mutating func forgetAgain(_ effect: GameEffect) -> Bool {
    guard let place = again.firstIndex(where: { $0.isSame(as: effect) }) else { return false }
    again.remove(at: place)
    return true
  }
}

extension Step {
  fileprivate func asks(_ question: Question, _ effect: GameEffect?) -> Bool {
    guard case .question(question) = what else { return false }
    return isOf(effect)
  }

  fileprivate func tells(_ action: Event.Action, _ effect: GameEffect?) -> Bool {
    guard case .wish(let wish) = what, wish.action == action else { return false }
    return isOf(effect)
  }

  private func isOf(_ effect: GameEffect?) -> Bool {
    guard let effect else { return self.effect == nil }
    return effect.isSame(as: self.effect)
  }
}

extension GameEffect {
  /// One comparison for all: each copy of it has 15 KB in the module.
  @inline(never)
  fileprivate func isSame(as other: GameEffect?) -> Bool { self == other }
}

/// A message to be signed and sent.
package struct Outgoing {
  package enum Kind: UInt8 {
    case query = 1
    /// It is kept until it is answered, and sent again.
    case event = 2
    /// A query whose answer is a stream.
    case stream = 3
    /// The path of an answer that is public, as ASCII. Nothing is signed.
    case published = 4
    /// A query, signed by the key of recovery words.
    case wordsQuery = 5
    /// An event, signed by that key.
    case wordsEvent = 6
  }

  package var kind: Kind
  package var id: EventID
  /// A tag, a zero byte and the payload; or a path.
  package var message: [UInt8]
}

extension ServiceWorld {
  /// The next message, if any.
  ///
  /// - Parameter now: The time of the page's own clock.
  package mutating func next(at now: Instant) -> Outgoing? {
    guard trouble?.isFinal != true else { return nil }
    askOldAgain(at: now)
    guard isMet else { return meeting(at: now) }
    if changes.isDue, account.name != nil {
      changes.isDue = false
      return outgoing(Step(effect: nil, what: .question(.overview)), .stream, at: now)
    }
    // An earlier event could undo a later one.
    let tells = asked.values.contains { if case .wish = $0.what { true } else { false } }
    let place = waiting.firstIndex { step in
      if case .wish = step.what { !tells } else { true }
    }
    guard let place else { return nil }
    let step = waiting.remove(at: place)
    if case .wish = step.what { return outgoing(step, .event, at: now) }
    return outgoing(step, .query, at: now)
  }

  private mutating func meeting(at now: Instant) -> Outgoing? {
    let isAsked = asked.values.contains { step in
      if case .question(.service) = step.what { true } else { false }
    }
    guard !isAsked, !search.isTimed else { return nil }
    return outgoing(Step(effect: nil, what: .question(.service)), .query, at: now)
  }

  private mutating func outgoing(
    _ step: Step, _ kind: Outgoing.Kind, at now: Instant
  ) -> Outgoing? {
    let id = account.newID(at: now)
    var (step, kind) = (step, kind)
    let message: [UInt8]?
    switch step.what {
    case .question(let question) where isPublished(question):
      (kind, message) = (.published, question.path.map { Array($0.utf8) })
    case .question(let question):
      if case .match(let match) = question { step.version = known[match] }
      message = account.message(question.kind { known[$0] }, id: id)
    case .wish(let wish): message = account.message(wish.action, id: id)
    }
    guard let message else { return nil }
    if step.isByWords { kind = kind == .event ? .wordsEvent : .wordsQuery }
    asked[id] = step
    return Outgoing(kind: kind, id: id, message: message)
  }

  /// Whether the public answer will do. Only the signed one tells the time.
  private func isPublished(_ question: Question) -> Bool {
    question == .service ? !account.canSign : account.name == nil && question.path != nil
  }

  /// Asks the questions once more that nobody answers any more: their queries are too old, or were
  /// dated by a clock that was corrected since.
  private mutating func askOldAgain(at now: Instant) {
    let now = account.time(at: now)
    for (id, step) in asked {
      guard case .question(let question) = step.what,
        now.microseconds(since: id.time) >= 2 * Query.validSeconds * 1_000_000
      else { continue }
      asked[id] = nil
      // These are asked anew by themselves.
      guard question != .service, question != .overview else { continue }
      if let effect = step.effect { forgetAgain(effect) }
      ask(question, for: step.effect)
    }
  }

  /// Expects the reply to an event that was sent before the page was opened, or by another tab.
  ///
  /// - Returns: Its id; nil: it is not an event of this player.
  package mutating func resume(_ body: [UInt8]) -> EventID? {
    guard let event = account.event(body) else { return nil }
    guard asked[event.id] == nil else { return event.id }
    asked[event.id] = Step(effect: nil, what: .wish(Wish(action: event.action, isDelayed: true)))
    if case .playerRegistered(let wanted) = event.action, account.name == nil {
      form.name.fill(wanted.name.text, FieldChecks.live.playerName)
      (form.isSending, form.isDelayed) = (true, true)
    }
    if case .keyAdded(let added) = event.action { resumeAddition(added.code, to: event.player) }
    if Wish(action: event.action).isByWords { resumeRecovery(of: event.player) }
    return event.id
  }

  /// The seconds after which an event is to be sent again. Nil: it is answered.
  package func resendPause(_ id: EventID) -> Int64? {
    asked[id] == nil ? nil : pauses[id] ?? 0
  }
}

// MARK: - Away and back

/// How a silent service is tried again.
struct Search {
  /// Whether it was silent when it was asked last.
  var isOn = false
  /// Whether the page will send `search`.
  var isTimed = false
  /// The next pause, in milliseconds.
  private var pause = 1_000

  mutating func end() {
    guard isOn else { return }
    (isOn, pause) = (false, 1_000)
  }

  /// - Parameter seconds: The least pause, since the service said so.
  mutating func timer(atLeast seconds: Int64) -> PageTimer? {
    isOn = true
    guard !isTimed else { return nil }
    isTimed = true
    defer { pause = min(2 * pause, Search.longestPause) }
    return PageTimer(
      milliseconds: max(pause, 1_000 * Int(min(max(0, seconds), 60))), action: "search")
  }

  private static let longestPause = 5_000
}

extension ServiceWorld {
  /// The service is tried again after a pause.
  mutating func searchLater(atLeast seconds: Int64 = 0) {
    if let timer = search.timer(atLeast: seconds) { timers.append(timer) }
  }

  /// A query got no answer.
  ///
  /// - Parameter isFailure: Whether the service was reached, and failed.
  package mutating func lost(_ id: EventID, isFailure: Bool = false) -> [GameAction] {
    guard let step = asked.removeValue(forKey: id) else { return [] }
    if isFailure { lastFailure = id }
    searchLater()
    if let effect = step.effect { forgetAgain(effect) }
    if case .question(.service) = step.what {
      trouble = nil
      newcomerFailed(step, ScreenTrouble.away.text)
      return GameEffect.home(.load).failed(.away)
    }
    formFailed(step, ScreenTrouble.away.text)
    guard let effect = step.effect else { return [.connectionLost] }
    return failed(effect, .away)
  }

  /// An event has no answer yet. It is sent again.
  package mutating func delayed(_ id: EventID) -> [GameAction] {
    guard var step = asked[id], case .wish(var wish) = step.what else { return [] }
    searchLater()
    let others = delayWaiting()
    guard !wish.isDelayed else { return stillWaits(step) + others }
    wish.isDelayed = true
    step.what = .wish(wish)
    asked[id] = step
    if wish.isRegistration { form.isDelayed = true }
    if wish.isAddition { addition.stage = .sent(isDelayed: true) }
    if wish.isByWords { recoveryForm.stage = .sent(isDelayed: true) }
    if step.pushWish != nil { push.tell(wish.action, .asked(isDelayed: true)) }
    if wish.isOfAccount { accountDesk.stage = .asked(isDelayed: true) }
    guard let effect = step.effect else { return [.connectionLost] + others }
    return failed(effect, .pending) + others
  }

  /// The events behind one that takes long take long, too.
  private mutating func delayWaiting() -> [GameAction] {
    var actions: [GameAction] = []
    for index in waiting.indices {
      guard case .wish(var wish) = waiting[index].what, let effect = waiting[index].effect else {
        continue
      }
      guard !wish.isDelayed else {
        actions += stillWaits(waiting[index])
        continue
      }
      wish.isDelayed = true
      waiting[index].what = .wish(wish)
      actions += failed(effect, .pending)
    }
    return actions
  }

  /// A turn counts as sent again once the service is heard, though it may be on an old stream.
  private mutating func stillWaits(_ step: Step) -> [GameAction] {
    guard let effect = step.effect, case .match(_, .play(.send)) = effect else { return [] }
    return failed(effect, .pending)
  }

  /// Tries the service once more.
  mutating func searchAgain() {
    search.isTimed = false
    guard search.isOn, isMet else { return }
    if account.name != nil {
      ask(.home, for: .home(.load))
    } else if let followed {
      _ = look(at: followed, for: .match(followed, .follow))
    } else {
      // Nobody without a name may ask for anything else.
      isMet = false
    }
  }

  /// The service was heard.
  mutating func found() -> [GameAction] {
    guard search.isOn else { return [] }
    search.end()
    if let followed { _ = look(at: followed, for: .match(followed, .follow)) }
    return [.connectionFound]
  }
}

extension Wish {
  var isRegistration: Bool { if case .playerRegistered = action { true } else { false } }
}

package import CubeLexicon
import CubePlay
import CubistBasics
package import CubistPage
package import MatchCore
import ServiceNews

/// The page of a player at a service.
package typealias ServicePage = Page<ServiceWorld>

extension Page where World == ServiceWorld {
  /// The list is open, or a game that somebody shared, at its first turn.
  package convenience init(account: Account, words: Lexicon, sharedGame: ShareCode? = nil) {
    let key = sharedGame.map { MatchKey($0.description) }
    self.init(
      GameApp(at: key, isReplay: key != nil), in: ServiceWorld(account: account, words: words),
      reducer: GameApp.reducer(words: words, checks: .live))
    act(.opened)
  }

  /// Carries out an action of the page. False where the text is none.
  package func act(_ text: some Collection<UInt8>) -> Bool {
    let (word, value) = PageAction.parts(text)
    forgetTimers()
    guard actAtService(word, value) || actOnScreen(word, value) else { return false }
    clearDesk()
    takeTimers()
    return true
  }

  private func actOnScreen(_ word: String, _ value: String?) -> Bool {
    if let action = ScreenAction(word, value) {
      act(action)
    } else if let action = PageAction(word, value) {
      act(action)
    } else {
      return false
    }
    return true
  }

  /// Actions about the service itself.
  private func actAtService(_ word: String, _ value: String?) -> Bool {
    switch (word, value) {
    case ("register", nil): world.register()
    case ("search", nil): world.searchAgain()
    case ("lead", nil): world.lead()
    case ("reload", nil):
      world.askProgress()
      guard let key = app.match?.key else { return false }
      act(world.look(at: key, for: .match(key, .follow)))
    case ("check", nil): if let key = endedMatch { world.want(.check, of: key) }
    case ("record", nil): if let key = endedMatch { world.want(.saving, of: key) }
    case ("stream", nil): world.changes.isDue = world.changes.isLeading
    case ("name", let text?): world.form.name.fill(text, FieldChecks.live.playerName)
    case ("code", let text?): world.form.code.fill(text, FieldChecks.live.code)
    case ("devicecode", let text?): world.addition.code.fill(text, AdditionForm.check)
    case ("adddevice", nil): world.addDevice()
    case ("recovername", let text?):
      world.recoveryForm.name.fill(text, FieldChecks.live.playerName)
    case ("recover", let words): world.takeWords(Self.typed(words), isStop: false)
    case ("stoprecovery", let words): world.takeWords(Self.typed(words), isStop: true)
    case ("recoverykey", let key?): world.takeRecoveryKey(key)
    case ("recoveryproof", let proof?): world.takeProof(proof)
    case ("otherrecovery", "stop"): world.decideOnRecovery(true)
    case ("otherrecovery", "leave"): world.decideOnRecovery(false)
    case ("recovery", nil): world.askProgress()
    case ("letin", let bits?):
      guard let bits = UInt64(bits) else { return false }
      world.deviceBits = bits
      act(.menu(.keys(.inviteChosen)))
    case ("words", let entropy?):
      guard let entropy = Hex.decode(entropy), entropy.count == RecoveryWords.entropyCount else {
        return false
      }
      // The page looks for the key of these words, and does that once.
      if case .made = world.making { break }
      world.making = .begun(entropy)
      act(.menu(.keys(.recovery(.wordsChosen))))
      if case .begun = world.making { world.making = .none }
    case ("wordskey", let key?): act(world.takeWordsKey(key))
    case ("open", let id?):
      guard let id = MatchID(id) else { return false }
      open(MatchKey(id))
    case ("push", nil): world.ask(.pushDesk, for: nil)
    case ("subscribe", let text?): world.subscribe(text)
    case ("unsubscribe", let name?):
      guard let name = DeviceName(name) else { return false }
      world.tellOfPush(.deviceRemoved(name))
    case ("testpush", nil): world.tellOfPush(.notificationTested(Event.NotificationTested()))
    case ("nudge", nil): world.nudge()
    case ("endaccount", nil): world.doubtAccount()
    case ("endaccount", "yes"): world.decideOnAccount(true)
    case ("endaccount", "no"): world.decideOnAccount(false)
    case ("keepaccount", nil): world.keepAccount()
    case ("exportaccount", nil): world.exportAccount()
    case ("askwords", nil): world.ask(.keys, for: .menu(.keys(.load)))
    default: return false
    }
    return true
  }

  /// Typed recovery words. Nobody means to type more.
  private static func typed(_ words: String?) -> String {
    String(decoding: (words ?? "").utf8.prefix(400), as: UTF8.self)
  }

  /// Leads to a match, unless the player has to decide about changes first.
  private func open(_ key: MatchKey) {
    guard app.match?.key != key else { return }
    if let menu = app.menu {
      if case .settings(let screen) = menu, case .doubted? = screen.form?.stage { return }
      act(.left)
    }
    switch app.menu {
    case .settings, .keys: break
    default: act(.home(.granted(key)))
    }
  }

  /// Takes a reply or an answer. See `ServiceWorld.hear`.
  package func hear(_ bytes: [UInt8], at now: Instant, roundTrip: Int64) {
    follow { $0.hear(bytes, at: now, roundTrip: roundTrip) }
  }

  /// Takes a public answer. See `ServiceWorld.published`.
  package func published(
    _ content: [UInt8]?, to id: EventID, at now: Instant, roundTrip: Int64
  ) {
    follow { $0.published(content, to: id, at: now, roundTrip: roundTrip) }
  }

  /// A query got no answer. See `ServiceWorld.lost`.
  package func lost(_ id: EventID, isFailure: Bool = false) {
    follow { $0.lost(id, isFailure: isFailure) }
  }

  /// An event has no answer yet.
  package func delayed(_ id: EventID) { follow { $0.delayed(id) } }

  /// Takes bytes of the stream of changes. False: it is of no use any more.
  package func streamed(_ bytes: [UInt8]) -> Bool {
    var isReadable = true
    follow { world in
      guard let actions = world.streamed(bytes) else {
        isReadable = false
        return []
      }
      return actions
    }
    return isReadable
  }

  /// The stream of changes is over.
  package func streamEnded() {
    follow { world in
      world.streamEnded()
      return []
    }
  }

  private func follow(_ change: (inout World) -> [GameAction]) {
    forgetTimers()
    act(change(&world))
    clearDesk()
    takeTimers()
  }

  private func takeTimers() {
    for timer in world.timers { wait(timer) }
    world.timers = []
  }

  /// The state as the page draws it.
  package func serviceJSON() -> [UInt8] {
    json { json in
      json.name("account")
      json.object { world.writeAccount(to: &$0) }
      writeScreens(to: &json)
      world.desk.write(to: &json)
      world.writeNudge(to: &json)
    }
  }
}

extension ServiceWorld {
  fileprivate func writeAccount(to json: inout JSONText) {
    json.field("kept", account.kept)
    json.field("isMet", isMet)
    json.field("player", account.player.description)
    if let pin = account.pin { json.field("service", pin.service.description) }
    if let name = account.name { json.field("name", name.text) }
    if let unanswered { json.field("unanswered", unanswered) }
    if let help { json.field("help", help) }
    json.name("form")
    json.object { json in
      json.field("name", form.name.text)
      if let fault = form.name.fault { json.field("nameFault", fault) }
      json.field("code", form.code.text)
      if let fault = form.code.fault { json.field("codeFault", fault) }
      json.field("needsCode", account.needsCode)
      json.field("isSending", form.isSending)
      json.field("isDelayed", form.isDelayed)
      if account.name == nil, let trouble { json.field("trouble", trouble.message) }
    }
    if account.isLater { json.field("isLater", true) }
    if let seed = making.seed { json.field("wordsSeed", Hex.encode(seed)) }
    if case .finding(let words, _) = recoveryForm.stage {
      json.field("recoverySeed", Hex.encode(words.seed))
    }
    if account.recoveryKey != nil { json.field("hasRecoveryKey", true) }
    if let recoveryProof { json.field("recoveryProof", Hex.encode(recoveryProof)) }
    if let recovering = account.recovering { json.field("recovering", recovering.text) }
    if let recovery, recovery.lacksWords {
      json.field("lacksWords", true)
      json.field("countsAtOnce", recovery.countsAtOnce)
    }
    if let removed = account.removed { json.field("removed", removed.text) }
    if push != PushDesk() {
      json.name("push")
      json.object { push.write(to: &$0) }
    }
    writeAccountDesk(to: &json)
    if addition != AdditionForm() {
      json.name("addition")
      json.object { addition.write(to: &$0) }
    }
    if recoveryForm != RecoveryForm() {
      json.name("recovery")
      json.object { recoveryForm.write(to: &$0) }
    }
    guard let trouble else { return }
    json.name("trouble")
    json.object { json in
      json.field("name", trouble.name)
      json.field("message", trouble.message)
      json.field("isFinal", trouble.isFinal)
    }
  }
}

extension AdditionForm {
  fileprivate func write(to json: inout JSONText) {
    json.field("code", code.text)
    if let fault = code.fault { json.field("fault", fault) }
    switch stage {
    case .typing: json.field("stage", "typing")
    case .meeting, .asked, .sent(isDelayed: false): json.field("stage", "asked")
    case .sent(isDelayed: true): json.field("stage", "delayed")
    }
  }
}

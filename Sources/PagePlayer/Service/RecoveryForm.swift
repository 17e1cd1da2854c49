import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchRecord
import MatchWire
import ServiceNews

/// The form in which recovery words bring a player to a browser that has none, or stop that.
struct RecoveryForm: Hashable {
  /// The name that the player had.
  var name = RegistrationForm.Field()
  /// The fault of the words, or of what they asked for. The page's field keeps the words themselves.
  var fault: String?
  /// The outcome of the last recovery, as a sentence.
  var notice: String?
  var stage = Stage.typing
  /// How far the recovery is that this browser waits for; nil: nobody has said so yet.
  var progress: Progress?

  /// The purpose of the typed words.
  struct Wanted: Hashable {
    var name: PlayerName
    /// Whether the recovery that this browser waits for is to be stopped.
    var isStop: Bool
  }

  enum Stage: Hashable {
    case typing
    /// The page is to find the public half of the key of these words.
    case finding(RecoveryWords, Wanted)
    /// The service was not met yet. It is asked as soon as it is.
    case meeting(Wanted)
    /// The service is asked whose words they are.
    case asked(Wanted)
    /// The recovery is to bring in another key. The player is asked whether it is to be stopped.
    case doubted(Other)
    /// The page is to sign that it has the new key.
    case proving(PlayerID, PlayerName)
    /// The recovery, or its end, is asked for. The answer takes long, or not yet.
    case sent(isDelayed: Bool)
  }

  /// A recovery to another key.
  struct Other: Hashable {
    var player: PlayerID
    var name: PlayerName
    var recovery: EventID
    /// When it takes effect, in words.
    var effect: String
  }

  struct Progress: Hashable {
    /// When the recovery takes effect, in words.
    var effect: String
    /// Whether a device of the player has objected.
    var isObjected: Bool
  }
}

// MARK: - Typing

extension ServiceWorld {
  /// Whether somebody without a name can ask for one in one of the forms.
  var isFree: Bool {
    account.canSign && account.name == nil && account.removed == nil && !form.isSending
      && addition.stage == .typing && recoveryForm.stage == .typing && trouble?.isFinal != true
  }

  /// Takes the typed words, unless they are none.
  mutating func takeWords(_ typed: String, isStop: Bool) {
    guard isFree, isStop == (account.recovering != nil) else { return }
    guard let name = account.recovering ?? PlayerName(recoveryForm.name.text) else {
      recoveryForm.name.fault = recoveryForm.name.fault ?? "Type the name that you had."
      return
    }
    do throws(RecoveryWordsError) {
      let words = try RecoveryWords(typed: typed)
      (recoveryForm.name.fault, recoveryForm.fault, recoveryForm.notice) = (nil, nil, nil)
      trouble = nil
      recoveryForm.stage = .finding(words, RecoveryForm.Wanted(name: name, isStop: isStop))
    } catch {
      recoveryForm.fault = error.description
    }
  }

  /// Takes the public half of the key of the typed words, as text. The words are forgotten here.
  mutating func takeRecoveryKey(_ text: String) {
    guard case .finding(_, let wanted) = recoveryForm.stage else { return }
    guard let key = PublicKey(text) else {
      recoveryForm.stage = .typing
      recoveryForm.fault = """
        This browser makes no key of words. Use a terminal: cubist key recover \(wanted.name).
        """
      return
    }
    account.recoveryKey = key
    recoveryForm.stage = .meeting(wanted)
    askRecovery()
  }

  /// Asks with words that wait, where the service is known by now.
  mutating func askRecovery() {
    guard case .meeting(let wanted) = recoveryForm.stage, account.pin != nil else { return }
    recoveryForm.stage = .asked(wanted)
    ask(.recoveryOf(wanted.name, isByWords: true), for: nil)
  }

  /// The form is open again.
  private mutating func reopen(fault: String? = nil, notice: String? = nil) {
    account.recoveryKey = nil
    (recoveryForm.stage, recoveryForm.fault, recoveryForm.notice) = (.typing, fault, notice)
  }
}

// MARK: - Asking

extension ServiceWorld {
  /// The service says how a recovery stands.
  mutating func take(
    _ view: RecoveryView, isByWords: Bool, at now: Instant
  ) -> [GameAction] {
    guard isByWords else { return takeProgress(view, at: now) }
    guard case .asked(let wanted) = recoveryForm.stage else { return [] }
    if let fault = wordsFault(view, at: now) {
      reopen(fault: fault)
    } else if let pending = view.recovery.pending {
      if pending.key != account.key {
        let effect = RecoveryNews.time(pending.at, now: now) ?? "soon"
        recoveryForm.stage = .doubted(
          RecoveryForm.Other(
            player: view.player, name: view.name, recovery: pending.recovery, effect: effect))
      } else if wanted.isStop {
        stop(pending.recovery, of: view.player)
      } else {
        // A page that lost sight of it asks again.
        reopen()
        wait(for: view, pending, at: now)
      }
    } else if wanted.isStop {
      endRecovery("No recovery of \(view.name) is under way.")
    } else {
      recoveryForm.stage = .proving(view.player, view.name)
    }
    return []
  }

  /// Why the words do not count now; nil: they do, as far as the asked reader knows.
  private func wordsFault(_ view: RecoveryView, at now: Instant) -> String? {
    guard view.role == .nextRecoveryKey, let waiting = view.recovery.waiting else { return nil }
    if view.recovery.pending != nil {
      return "These words do not count while a recovery of \(view.name) is under way."
    }
    guard waiting.at > now else { return nil }
    return """
      These words count \(Wording.when(waiting.at, now: now)). Until then the former ones count, \
      if there are any.
      """
  }

  /// The player has answered whether the recovery to another key is to be stopped.
  mutating func decideOnRecovery(_ isStopped: Bool) {
    guard case .doubted(let other) = recoveryForm.stage else { return }
    if isStopped { stop(other.recovery, of: other.player) } else { reopen() }
  }

  private mutating func stop(_ recovery: EventID, of player: PlayerID) {
    account.speak(for: player)
    recoveryForm.stage = .sent(isDelayed: false)
    tell(.recoveryWithdrawn(recovery), for: nil)
  }

  /// The bytes that the page is to sign with its new key; nil: none.
  var recoveryProof: [UInt8]? {
    guard case .proving(let player, _) = recoveryForm.stage, let pin = account.pin,
      let recoveryKey = account.recoveryKey
    else { return nil }
    return SignatureTag.newKey.message(
      Event.PlayerRecovered.proved(account.key, of: player, at: pin.service, by: recoveryKey))
  }

  /// Takes the signature, as text, and asks for the recovery.
  mutating func takeProof(_ text: String) {
    guard case .proving(let player, let name) = recoveryForm.stage else { return }
    guard let proof = Hex.decode(text), proof.count == 64 else {
      return reopen(fault: "The browser did not sign with its key. Try again.")
    }
    account.recovering = name
    account.speak(for: player)
    recoveryForm.stage = .sent(isDelayed: false)
    tell(.playerRecovered(account.key, proof: proof), for: nil)
  }

  /// The question with the words has no answer of use, or the one after the service for which they
  /// wait.
  mutating func recoveryFailed(_ step: Step, _ text: String) {
    switch (step.what, recoveryForm.stage) {
    case (.question(.recoveryOf(_, isByWords: true)), .asked), (.question(.service), .meeting):
      reopen(fault: text)
    default: return
    }
  }

  /// The key that asked has nothing to do with a recovery of that name.
  mutating func recoveryUnknown(_ name: PlayerName, _ step: Step) {
    guard case .question(.recoveryOf(_, isByWords: false)) = step.what else {
      return recoveryFailed(
        step, "These are not the words of \(name), or no words of \(name) count. Check the name.")
    }
    // The service may have its question before the event of an earlier page.
    guard name == account.recovering, recoveryForm.stage == .typing else { return }
    endRecovery(
      """
      The recovery of \(name) is over, and this browser does not play as \(name): somebody stopped \
      it by the words, or the operator did.
      """)
  }

  /// An event of an earlier page, or of another tab, is on its way.
  mutating func resumeRecovery(of player: PlayerID) {
    guard account.name == nil else { return }
    account.speak(for: player)
    recoveryForm.stage = .sent(isDelayed: true)
  }

  /// The service has answered what the words asked for.
  mutating func recovered(
    _ wish: Wish, _ reply: ReceivedReply, at now: Instant
  ) -> [GameAction] {
    // A page that is loaded again does not know the name in another one's recovery.
    let name = account.recovering?.text ?? recoveryForm.name.text
    let whose = name.isEmpty ? "" : " of \(name)"
    switch (wish.action, reply) {
    case (.playerRecovered, .accepted(.recoverySet(let at))):
      reopen()
      wait(until: at, isObjected: false, at: now)
    case (.recoveryWithdrawn, .accepted(.noted)):
      endRecovery(
        """
        The recovery\(whose) is stopped. If it was not yours, somebody has your words: make others \
        on one of your devices.
        """)
    case (.recoveryWithdrawn, .refused(_, _, .noRecovery?)):
      endRecovery("No recovery\(whose) is under way.")
    case (let action, let reply):
      var fault = Trouble.foreign.message
      if case .refused(_, let message, _) = reply { fault = message }
      if case .recoveryWithdrawn = action, account.recovering != nil {
        // It goes on.
        reopen(fault: fault)
        askProgress()
      } else {
        endRecovery(nil)
        recoveryForm.fault = fault
      }
    }
    return []
  }

  /// This browser waits for no recovery any more.
  private mutating func endRecovery(_ notice: String?) {
    if let name = account.recovering {
      recoveryForm.name.fill(name.text, FieldChecks.live.playerName)
    }
    account.recovering = nil
    account.speak(for: nil)
    recoveryForm.progress = nil
    reopen(notice: notice)
  }
}

// MARK: - Waiting

extension ServiceWorld {
  /// Asks how far the recovery is that this browser waits for.
  mutating func askProgress() {
    guard let name = account.recovering, recoveryForm.stage == .typing else { return }
    ask(.recoveryOf(name, isByWords: false), for: nil)
  }

  private mutating func takeProgress(_ view: RecoveryView, at now: Instant) -> [GameAction] {
    guard let name = account.recovering, view.name.key == name.key,
      recoveryForm.stage == .typing
    else { return [] }
    switch (view.role, view.recovery.pending) {
    case (.newKey, let pending?): wait(for: view, pending, at: now)
    case (.playerKey, _):
      account.speak(for: view.player)
      (account.name, account.recovering) = (view.name, nil)
      recoveryForm = RecoveryForm()
      told.append(
        """
        You are \(view.name) in this browser, and on no other device any more. Turn your \
        notifications on anew, in the settings.
        """)
      return [.home(.appeared)]
    // Somebody has named this key as a recovery key: that makes nobody the player.
    default:
      recoveryUnknown(
        name, Step(effect: nil, what: .question(.recoveryOf(name, isByWords: false))))
    }
    return []
  }

  private mutating func wait(
    for view: RecoveryView, _ pending: KeyList.Recovery.Pending, at now: Instant
  ) {
    account.recovering = view.name
    account.speak(for: view.player)
    wait(until: pending.at, isObjected: pending.objector != nil, at: now)
  }

  private mutating func wait(until instant: Instant, isObjected: Bool, at now: Instant) {
    let effect = RecoveryNews.time(instant, now: now) ?? "soon"
    recoveryForm.progress = RecoveryForm.Progress(effect: effect, isObjected: isObjected)
    // Its time is named by the minute. After that a worker has to do it.
    let isDue = instant <= now
    timers.append(PageTimer(milliseconds: isDue ? 5_000 : 60_000, action: "recovery"))
  }
}

extension Wish {
  /// Whether the key of recovery words signs it.
  var isByWords: Bool {
    switch action {
    case .playerRecovered, .recoveryWithdrawn: true
    default: false
    }
  }
}

extension RecoveryForm {
  func write(to json: inout JSONText) {
    json.field("name", name.text)
    if let fault = name.fault { json.field("nameFault", fault) }
    if let fault { json.field("fault", fault) }
    if let notice { json.field("notice", notice) }
    switch stage {
    case .typing: json.field("stage", "typing")
    case .finding, .meeting, .asked, .proving, .sent(isDelayed: false):
      json.field("stage", "asked")
    case .sent(isDelayed: true): json.field("stage", "delayed")
    case .doubted(let other):
      json.field("stage", "doubted")
      json.field("other", other.name.text)
      json.field("otherEffect", other.effect)
    }
    guard let progress else { return }
    json.field("effect", progress.effect)
    json.field("isObjected", progress.isObjected)
  }
}

import CubePlay
import MatchCore
import MatchWire
import ServiceNews

/// The form in which a browser without a player shows the code of one.
struct AdditionForm: Hashable {
  var code = RegistrationForm.Field()
  var stage = Stage.typing

  enum Stage: Hashable {
    case typing
    /// The service was not met yet. The code is asked about as soon as it is.
    case meeting(DeviceCode)
    /// The service is asked which player lets a device in that shows this code.
    case asked(DeviceCode)
    /// The key has shown the code. The answer takes long, or not yet.
    case sent(isDelayed: Bool)
  }

  /// The form of a code in words, for a text that has another one.
  static func check(_ text: String) -> String? {
    DeviceCode(pasted: text) == nil ? "12 letters and digits" : nil
  }
}

extension ServiceWorld {
  /// Shows the typed code, unless it is wrong.
  mutating func addDevice() {
    guard isFree, account.recovering == nil else { return }
    guard let code = DeviceCode(pasted: addition.code.text) else {
      addition.code.fault = addition.code.fault ?? "Type the code that your other device shows."
      return
    }
    (addition.code.fault, addition.stage, trouble) = (nil, .meeting(code), nil)
    askInviter()
  }

  /// Asks about a code that waits, where the service is known by now.
  mutating func askInviter() {
    guard case .meeting(let code) = addition.stage, let pin = account.pin else { return }
    addition.stage = .asked(code)
    ask(.inviter(code.hash(at: pin.service)), for: nil)
  }

  /// The key shows the code to the player who lets it in.
  mutating func showCode(to inviter: InvitingPlayer) {
    guard case .asked(let code) = addition.stage else { return }
    account.speak(for: inviter.player)
    addition.stage = .sent(isDelayed: false)
    tell(.keyAdded(code, device: .browser), for: nil)
  }

  /// The code was shown on an earlier page, or in another tab.
  mutating func resumeAddition(_ code: DeviceCode, to inviter: PlayerID) {
    guard account.name == nil else { return }
    account.speak(for: inviter)
    addition.code.fill(code.text, AdditionForm.check)
    addition.stage = .sent(isDelayed: true)
  }

  /// The question after the inviter has no answer of use, or the one after the service for which
  /// the code waits.
  mutating func additionFailed(_ step: Step, _ text: String) {
    switch (step.what, addition.stage) {
    case (.question(.inviter), .asked), (.question(.service), .meeting):
      (addition.stage, addition.code.fault) = (.typing, text)
    default: return
    }
  }

  /// The service has answered the code.
  mutating func added(_ reply: ReceivedReply) -> [GameAction] {
    addition.stage = .typing
    switch reply {
    case .accepted(.keyAdded(_, let name)): account.name = name
    case .refused(_, _, .alreadyRegistered(let known)?) where PlayerName(known) != nil:
      account.name = PlayerName(known)
    case .accepted: addition.code.fault = Trouble.foreign.message
    case .refused(_, let message, let refusal):
      addition.code.fault = refusal?.textForNewDevice ?? message
    }
    guard account.name != nil else {
      account.speak(for: nil)
      return []
    }
    addition = AdditionForm()
    return [.home(.appeared)]
  }
}

extension Refusal {
  /// In words, where the player's other devices have to do something.
  fileprivate var textForNewDevice: String? {
    switch self {
    case .rateLimited(.keys, _):
      "The player has as many devices as one can have. Remove one there first."
    case .rateLimited(.keysPerDay, _):
      "The player has had too many new devices in a day. Try again tomorrow, with another code."
    case .rateLimited(.keysInAll, _): "The player has had too many devices, and can add no more."
    default: nil
    }
  }
}

// MARK: - Letting another device in

extension ServiceWorld {
  /// Asks for the invitation of a device, for which the page has given random bits.
  ///
  /// The page's own random numbers do not do for a code: an id shows how they go on.
  mutating func invite(_ effect: GameEffect) -> [GameAction] {
    guard let bits = deviceBits, let pin = account.pin else {
      return effect.failed(.said("No code could be made. Try again."))
    }
    deviceBits = nil
    let code = DeviceCode(random: bits)
    deviceCode = code
    tell(.deviceInvited(code.hash(at: pin.service)), for: effect)
    return []
  }

  /// The code is good. Nobody types one that the player has replaced meanwhile.
  func invited(by wish: Wish, until end: Instant, at now: Instant) -> [GameAction] {
    guard let code = deviceCode, case .deviceInvited(let invited) = wish.action,
      invited.invitation == deviceHash
    else { return [] }
    return [
      .menu(.keys(.invited(code: code.grouped, secondsLeft: end.seconds(from: now))))
    ]
  }

  /// The hash of the code that is shown.
  var deviceHash: Hash? {
    guard let pin = account.pin else { return nil }
    return deviceCode?.hash(at: pin.service)
  }

  /// Removes a key that was listed.
  mutating func remove(_ text: String, _ effect: GameEffect) -> [GameAction] {
    guard let key = PublicKey(text) else {
      return effect.failed(.said("There is no such device."))
    }
    tell(.keyRemoved(key), for: effect)
    return []
  }
}

// MARK: - This device was removed

extension ServiceWorld {
  /// Whether a refusal says that the key speaks for its player no more. A first key that nobody
  /// knows can take a name.
  func isKeyLost(_ refusal: QueryRefusal?) -> Bool {
    switch refusal {
    case .keyRevoked?: account.name != nil
    case .notRegistered?: account.name != nil && account.isLater
    default: false
    }
  }

  /// Whether a reply says the same. The player may have removed this device here.
  func isKeyLost(_ reply: ReceivedReply) -> Bool {
    guard account.name != nil else { return false }
    return switch reply {
    case .accepted(.keyRemoved(let key)): key == account.key
    case .refused(_, _, .keyRevoked?): true
    case .refused(_, _, .notRegistered?): account.isLater
    default: false
    }
  }

  /// The key speaks for nobody any more. The page leaves everything that only the player sees.
  mutating func loseKey() -> [GameAction] {
    account.lose()
    (waiting, saving, deviceCode) = ([], nil, nil)
    (making, recovery, push, accountDesk) = (.none, nil, PushDesk(), AccountDesk())
    // The first one may only ask about unsaved settings, or lead back to a match.
    return [.left, .menu(.settings(.doubtAnswered(.throwAway))), .left]
  }
}

extension Wish {
  /// Whether a form waits for it.
  var isOfForm: Bool { isRegistration || isAddition || isByWords }

  var isAddition: Bool { if case .keyAdded = action { true } else { false } }
}

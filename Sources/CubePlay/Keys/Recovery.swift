/// The recovery words of the player, and a recovery that is under way, as the service tells them.
public struct RecoveryNews: Hashable, Sendable {
  /// Whether words count.
  public var hasWords: Bool
  /// When other words count, in words; nil: none wait.
  public var waiting: String?
  /// Whether words count at once that this device makes within an hour after the name was taken,
  /// and that hour is not over.
  public var countsAtOnce: Bool
  public var pending: Pending?

  /// A recovery that is under way.
  public struct Pending: Hashable, Sendable {
    /// The service's name for it.
    public var id: String
    /// The first digits of the key that is to speak for the player.
    public var digits: String
    /// When it takes effect, in words.
    public var effect: String
    /// Whether a device of the player has objected.
    public var isObjected: Bool

    public init(id: String, digits: String, effect: String, isObjected: Bool) {
      (self.id, self.digits) = (id, digits)
      (self.effect, self.isObjected) = (effect, isObjected)
    }
  }

  public init(
    hasWords: Bool = false, waiting: String? = nil, countsAtOnce: Bool = false,
    pending: Pending? = nil
  ) {
    (self.hasWords, self.waiting) = (hasWords, waiting)
    (self.countsAtOnce, self.pending) = (countsAtOnce, pending)
  }

  /// Whether there are no words, and none wait.
  public var lacksWords: Bool { !hasWords && waiting == nil }

  /// All of it in sentences, the words first.
  public var sentences: [String] {
    var sentences: [String] = []
    switch (hasWords, waiting) {
    case (false, nil): sentences.append("You have no recovery words.")
    case (true, nil): sentences.append("You have recovery words.")
    case (false, let time?): sentences.append("Your recovery words count \(time).")
    case (true, let time?):
      sentences.append("Other words count \(time), the present ones until then.")
    }
    if let pending {
      sentences.append("A recovery is under way, to the device \(pending.digits).")
      sentences.append("It plays as you \(pending.effect), and no other device does then.")
      if pending.isObjected { sentences.append("One of your devices has objected.") }
    }
    return sentences
  }
}

/// New recovery words, which nobody keeps.
public struct RecoverySheet: Hashable, Sendable {
  public var words: [String]
  /// The places of the words that the player is asked for, from 0 on.
  public var asked: [Int]
  /// The public half of their key, as text.
  public var key: String

  public init(words: [String], asked: [Int], key: String) {
    (self.words, self.asked, self.key) = (words, asked, key)
  }

  /// Why these are not the words that are asked for; nil: they are. In either case, and the first
  /// four letters are enough.
  func fault(in text: String) -> String? {
    let typed = text.utf8.split { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    guard typed.count == asked.count else {
      return "Type \(asked.count) words, with spaces between them."
    }
    for (place, word) in zip(asked, typed) {
      let lower = word.map { (65...90).contains($0) ? $0 + 32 : $0 }
      let wanted = words.indices.contains(place) ? Array(words[place].utf8) : []
      guard lower == wanted || lower.count >= 4 && wanted.starts(with: lower) else {
        return "That is not word \(place + 1). Look at what you wrote down."
      }
    }
    return nil
  }
}

/// An action on the recovery words, or on a recovery.
public enum RecoveryAction: Hashable, Sendable {
  /// New words are wanted.
  case wordsChosen
  case made(RecoverySheet)
  /// There are none, for a reason in words.
  case notMade(String)
  /// The player has written the words down.
  case written
  /// The player has typed the words that are asked for.
  case typed(String)
  /// The new words are not wanted any more.
  case thrownAway
  /// The service knows the key of the words. They count then, in words; nil: now.
  case named(counts: String?)
  /// It does not, for a reason in words.
  case notNamed(String)
  /// The recovery is to be delayed.
  case objectChosen
  /// It takes effect then, in words.
  case objected(effect: String)
  /// It is not delayed, for a reason in words.
  case notObjected(String)
}

/// An effect of an action on the recovery words, or on a recovery.
public enum RecoveryEffect: Hashable, Sendable {
  case makeWords
  /// Name a key, given as text, to the service.
  case name(String)
  /// Object to a recovery, by the service's name for it.
  case object(String)

  func failed(_ trouble: ScreenTrouble) -> RecoveryAction {
    switch self {
    case .makeWords: .notMade(trouble.text)
    // The event is sent until it is answered.
    case .name where trouble.isAway: .notNamed(trouble.text)
    case .name: .notNamed("\(trouble.text) The words that you wrote down are of no use.")
    case .object: .notObjected(trouble.text)
    }
  }
}

extension KeysScreen {
  /// How far new words are, or an objection.
  public enum RecoveryStage: Hashable, Sendable {
    case idle
    case making
    /// The words are shown, to be written down.
    case shown(RecoverySheet)
    /// The player is asked for some of them. The last answer may have a fault, in words.
    case asked(RecoverySheet, fault: String?)
    /// The service is told of the key of the words.
    case naming
    /// The player is asked before this recovery is objected to.
    case doubted(String)
    /// The service is told of the objection.
    case objecting
  }

  /// Whether the player has seen words of which the service is not told yet.
  var hasNewWords: Bool {
    switch recoveryStage {
    case .shown, .asked: true
    case .idle, .making, .naming, .doubted, .objecting: false
    }
  }

  mutating func reduce(_ action: RecoveryAction) -> [RecoveryEffect] {
    switch action {
    case .wordsChosen:
      guard recoveryStage == .idle, removal == .none else { return [] }
      (recoveryStage, notice) = (.making, nil)
      return [.makeWords]
    case .made(let sheet): if recoveryStage == .making { recoveryStage = .shown(sheet) }
    case .written:
      if case .shown(let sheet) = recoveryStage { recoveryStage = .asked(sheet, fault: nil) }
    case .typed(let text):
      guard case .asked(let sheet, _) = recoveryStage else { return [] }
      if let fault = sheet.fault(in: text) {
        recoveryStage = .asked(sheet, fault: fault)
        return []
      }
      recoveryStage = .naming
      return [.name(sheet.key)]
    case .thrownAway:
      guard hasNewWords else { return [] }
      (recoveryStage, notice) = (.idle, "No words were made. Those that you saw are of no use.")
    case .named(let time):
      if recoveryStage == .naming { recoveryStage = .idle }
      notice =
        time.map { "The words count \($0). Until then the former ones count, if there are any." }
        ?? "The words count now."
    case .notMade(let text), .notNamed(let text), .notObjected(let text):
      (recoveryStage, notice) = (.idle, text)
    case .objectChosen:
      guard recoveryStage == .idle, removal == .none, let pending = recovery.pending,
        !pending.isObjected
      else { return [] }
      (recoveryStage, notice) = (.doubted(pending.id), nil)
    case .objected(let time):
      (recoveryStage, notice) = (.idle, "The recovery is delayed: it takes effect \(time).")
    }
    return []
  }

  /// The player's answer to the question before an objection.
  mutating func answerObjection(_ isYes: Bool) -> [RecoveryEffect] {
    guard case .doubted(let recovery) = recoveryStage else { return [] }
    recoveryStage = isYes ? .objecting : .idle
    return isYes ? [.object(recovery)] : []
  }
}

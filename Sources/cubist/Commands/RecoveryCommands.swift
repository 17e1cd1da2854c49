import ArgumentParser
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// `cubist key words`
struct NameWords: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "words",
    abstract: "Make twelve words that bring you back when all your devices are lost.",
    usage: "cubist key words [--yes] [--known] [<options>]",
    discussion: """
      EXAMPLES:
        cubist key words
        cubist key words --yes        do not ask for some of the words
        cubist key words --known      name words that you have, and make no new ones

      The words are shown once and kept nowhere: write them down. They count 72 hours after this, and \
      the former ones until then. The first words count at once where the name was registered, within \
      an hour of that. To name the words that count again cancels others that wait.
      """)

  @Flag(help: "Do not ask for some of the new words. It is needed without a terminal.")
  var yes = false

  @Flag(help: "Read the words, without showing them, and name their key again.")
  var known = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  /// How many of the words are asked for, and how often each.
  private static let asked = (words: 3, times: 3)

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    if known { return try name(RecoveryInput.read(session), player, session) }
    let earlier = try session.resumedEvent { action in
      if case .recoveryKeyNamed = action { true } else { false }
    }
    if let earlier, case .recoveryKeyNamed(let named) = earlier.event.event.action,
      let at = Event.RecoveryKeyNamed.answer(
        try settled("The words of that command", session) { try earlier.reply.accepted() })
    {
      return try report(named.key, at, session)
    }
    guard yes || session.environment.inputIsTerminal && !options.json else {
      throw CommandFailure(
        .usage, "notConfirmed",
        "Have you written the words down? Nobody can be asked here: say --yes.",
        next: ["cubist key words --yes"])
    }
    try checkPause(player, session)
    let key = RecoveryKey.make(using: session.environment.randomness)
    // First of all: an answer that never comes must not take the words along.
    let document = RecoveryKeyDocument(key: key.publicKey, words: key.words.words)
    try session.console.show(.recoveryKey, document) { RecoveryText.shown(key.words) }
    // The words are nowhere else.
    try session.console.synchronize()
    if !yes { try confirm(key.words, session) }
    try settled("The twelve words above", session) { try name(key, player, session) }
  }

  /// Says of words that were shown that they count for nothing, where the service did not take them.
  private func settled<Result>(
    _ words: String, _ session: CommandSession, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as ClientError where error.isVoid {
      var failure = session.failure(error)
      failure.message += " \(words) count for nothing: throw them away."
      failure.brief = nil
      throw failure
    }
  }

  /// Asks before words are made: words that the service refuses would be of no use. A reader that
  /// cannot say it hinders nobody, since the service decides.
  private func checkPause(_ player: Player, _ session: CommandSession) throws {
    let keys: KeyList
    do throws(ClientError) { keys = try player.keys() } catch {
      guard case .queryRefused = error else { throw error }
      return
    }
    guard let waiting = keys.recovery?.waiting else { return }
    let namedAt = waiting.at.adding(seconds: -PlayerRecovery.seconds)
    let end = namedAt.adding(seconds: PlayerRecovery.pauseSeconds)
    guard end > session.now else { return }
    let seconds = min(
      end.microseconds(since: session.now) / 1_000_000 + 1, PlayerRecovery.pauseSeconds)
    let when = RecoveryText.when(waiting.at, now: session.now)
    var failure = CommandFailure(
      .refused, "rateLimited",
      "No words were made: other words were named within the last hour, and count \(when). New ones "
        + "can be named in \(seconds) s. If you have not named those, name your present words "
        + "again: that cancels the others at once.",
      next: ["cubist key words --known"])
    failure.retryAfter = seconds
    throw failure
  }

  /// Has a person type some of the words.
  private func confirm(_ words: RecoveryWords, _ session: CommandSession) throws(CommandFailure) {
    var generator = SplitMix64(state: session.environment.randomness.next())
    let places = words.words.indices.shuffled(using: &generator).prefix(Self.asked.words).sorted()
    for place in places {
      let word = words.words[place]
      var isRight = false
      for _ in 0..<Self.asked.times where !isRight {
        try session.console.ask("Type word \(place + 1): ")
        let typed = (session.environment.readLine() ?? "").lowercased()
          .filter { !$0.isWhitespace }
        isRight = typed == word || typed.count >= 4 && word.hasPrefix(typed)
      }
      guard isRight else {
        throw CommandFailure(
          .refused, "notConfirmed",
          "That is not word \(place + 1), so no key was named. The words above are of no use.",
          next: ["cubist key words"])
      }
    }
  }

  private func name(_ key: RecoveryKey, _ player: Player, _ session: CommandSession) throws {
    let earlier = try session.resumed { $0 == .recoveryKeyNamed(key.publicKey) }
    if let earlier, let at = Event.RecoveryKeyNamed.answer(try earlier.accepted()) {
      return try report(key.publicKey, at, session)
    }
    try report(key.publicKey, player.nameRecoveryKey(key.publicKey), session)
  }

  private func report(_ key: PublicKey, _ at: Instant, _ session: CommandSession) throws {
    try session.console.show(.recoveryKey, RecoveryKeyDocument(key: key, countsAt: at)) {
      RecoveryText.named(countsAt: at, now: session.now)
    }
    let name = session.name?.text ?? "NAME"
    session.console.suggest(
      "cubist key recover \(name)", to: "a new device, if all others are lost")
  }
}

extension ClientError {
  /// Whether the event counts for nothing, now and later.
  fileprivate var isVoid: Bool {
    switch self {
    case .refused, .unreachable, .earlierPending, .tooLarge: true
    default: false
    }
  }
}

/// `cubist key object`
struct ObjectToRecovery: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "object",
    abstract: "Delay a recovery of yours that somebody else has asked for.",
    usage: "cubist key object [<options>]",
    discussion: """
      EXAMPLES:
        cubist key object
        cubist key recover ada --withdraw      stops it, by your words

      All your devices together delay a recovery once, by 72 hours. Only the words stop it, or the \
      operator: a thief with a device could stop you otherwise.
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let pending = try player.keys().recovery?.pending
    guard let pending else {
      throw CommandFailure(
        .refused, Refusal.noRecovery.name, "No recovery of yours is under way.",
        next: ["cubist key list"])
    }
    let reply = try session.resumed { $0 == .recoveryObjected(pending.recovery) }
    let earlier = try reply.flatMap { Event.RecoveryObjected.answer(try $0.accepted()) }
    let until = try earlier ?? player.object(to: pending.recovery)
    let document = RecoveryDocument(
      state: .pending, player: player.player, name: player.profile.name, key: pending.key,
      until: until, objected: true)
    try session.console.show(.recovery, document) {
      RecoveryText.delayed(until: until, now: session.now)
    }
    session.console.suggest(
      RecoveryText.withdrawal(player.profile.name), "cubist key words")
  }
}

/// `cubist key recover`
struct RecoverPlayer: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Become yourself again by your twelve words, or stop such a recovery.",
    usage: "cubist key recover <name> [--withdraw] [<options>]",
    discussion: """
      EXAMPLES:
        cubist --profile new key recover ada
        cubist --profile new key recover ada < words.txt
        cubist key recover ada --withdraw

      It asks for the words, and does not show them. 72 hours later this device plays as the player, \
      and no other device does. If one of those objects, it takes 72 hours more. Say the same again to \
      see how far it is: without the words, on the same device.
      """)

  @Argument(help: "The player's name.", transform: NameArgument.name)
  var name: PlayerName

  @Flag(help: "Stop the recovery that is under way, your own or a thief's.")
  var withdraw = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player(makingKey: true)
    if withdraw { return try stop(player, session) }
    if let view = try player.ownRecovery(of: name) { return try report(view, player, session) }
    try checkFree(player, session)
    let key = try RecoveryInput.read(session)
    let view = try view(player, key, session)
    _ = try session.resumed(of: view.player) { action in
      if case .playerRecovered = action { true } else { false }
    }?.accepted()
    if let pending = view.recovery.pending {
      throw CommandFailure(
        .refused, Refusal.recoveryPending(until: pending.at).name,
        "Another key is to play as \(view.name) \(RecoveryText.when(pending.at, now: session.now)). "
          + "If that recovery is not yours, stop it first.",
        next: [RecoveryText.withdrawal(view.name)])
    }
    let until = try player.recover(view, by: key)
    let own = try session.store().loadKey()?.publicKey
    try reportPending(view, key: own, until: until, objected: false, session)
  }

  private func report(
    _ view: RecoveryView, _ player: Player, _ session: CommandSession
  ) throws {
    if view.role == .newKey, let pending = view.recovery.pending {
      return try reportPending(
        view, key: pending.key, until: pending.at, objected: pending.objector != nil, session)
    }
    try player.finishRecovery(view)
    let document = RecoveryDocument(
      state: .inEffect, player: view.player, name: view.name,
      key: try session.store().loadKey()?.publicKey)
    try session.console.show(.recovery, document) { "You are \(view.name) on this device.\n" }
    session.console.suggest("cubist", "cubist key list")
  }

  private func reportPending(
    _ view: RecoveryView, key: PublicKey?, until: Instant, objected: Bool,
    _ session: CommandSession
  ) throws {
    let document = RecoveryDocument(
      state: .pending, player: view.player, name: view.name, key: key, until: until,
      objected: objected ? true : nil)
    try session.console.show(.recovery, document) {
      RecoveryText.pending(view.name, until: until, objected: objected, now: session.now)
    }
    session.console.suggest("cubist key recover \(view.name)")
  }

  private func stop(_ player: Player, _ session: CommandSession) throws {
    let key = try RecoveryInput.read(session)
    let view = try view(player, key, session)
    let earlier = try session.resumed(of: view.player) { action in
      if case .recoveryWithdrawn = action { true } else { false }
    }
    if let pending = view.recovery.pending {
      try player.withdrawRecovery(pending.recovery, of: view.player, by: key)
    } else if try earlier?.accepted() == nil {
      throw CommandFailure(
        .refused, Refusal.noRecovery.name, "No recovery of \(view.name) is under way.")
    }
    let document = RecoveryDocument(state: .withdrawn, player: view.player, name: view.name)
    try session.console.show(.recovery, document) {
      "The recovery of \(view.name) is stopped.\n"
    }
    session.console.suggest("cubist key words", to: "a device of \(view.name), to make other words")
  }

  /// The player's recovery, by words that count.
  private func view(
    _ player: Player, _ key: RecoveryKey, _ session: CommandSession
  ) throws -> RecoveryView {
    let view: RecoveryView
    do throws(ClientError) {
      view = try player.recovery(of: name, by: key)
    } catch {
      guard case .queryRefused(_, _, .notPermitted?) = error else { throw error }
      throw CommandFailure(
        .notPermitted, Refusal.notRecoverable.name,
        "These are not the words of \(name), or no words of \(name) count any more. Check the name."
      )
    }
    guard view.role == .nextRecoveryKey, let waiting = view.recovery.waiting else { return view }
    guard view.recovery.pending == nil else {
      throw CommandFailure(
        .refused, "wordsWait", "These words do not count while a recovery of \(name) is under way.")
    }
    // A reader may be late. The service decides.
    guard waiting.at <= session.now else {
      let when = RecoveryText.when(waiting.at, now: session.now)
      throw CommandFailure(
        .refused, "wordsWait",
        "These words count \(when). Until then the former ones count, if there are any.")
    }
    return view
  }

  /// A profile is one player's for ever.
  private func checkFree(_ player: Player, _ session: CommandSession) throws {
    guard try player.profile.player != nil || session.store().loadKey()?.isLater == true else {
      return
    }
    let owner = player.profile.name?.text ?? "another player"
    throw CommandFailure(
      .refused, "profileTaken",
      "This profile is \(owner)'s. Recover \(name) under another profile.",
      next: ["cubist --profile OTHER connect URL", "cubist --profile OTHER key recover \(name)"])
  }
}

/// The words of a recovery key, from a person or from the standard input.
enum RecoveryInput {
  /// How often a person may try.
  private static let attempts = 3

  static func read(_ session: CommandSession) throws -> RecoveryKey {
    guard session.environment.inputIsTerminal else {
      let bytes = try session.environment.readFile("-")
      return RecoveryKey(try RecoveryWords(typed: String(decoding: bytes, as: UTF8.self)))
    }
    var attempt = 1
    while true {
      let typed = try session.environment.readHiddenLine(
        "Type your twelve words. They are not shown: ")
      do throws(RecoveryWordsError) {
        return RecoveryKey(try RecoveryWords(typed: typed ?? ""))
      } catch {
        guard attempt < attempts else { throw error }
        session.console.say(error.description)
        attempt += 1
      }
    }
  }
}

import CubistBasics
import CustomDump
import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@testable import MatchWire
@testable import cubist

@Suite("Recovery at the prompt")
struct RecoveryCommandTests {
  private static let words = [
    "write", "fury", "shallow", "option", "exist", "estate", "accident", "relief", "entire",
    "filter",
    "talk", "tribe",
  ]
  private static let typed = words.joined(separator: " ")
  private static let later = Made.now.adding(seconds: PlayerRecovery.seconds)
  private static let recovery = EventID(at: Made.now, random: 7)
  private static let phone = Made.key(5)

  /// A lab whose service takes every event about recovery.
  private static func lab() -> CommandLab {
    let lab = CommandLab()
    lab.service.onEvent = { event in
      switch event.action {
      case .recoveryKeyNamed, .playerRecovered: .reply(.accepted(.recoverySet(at: later)))
      case .recoveryObjected:
        .reply(.accepted(.recoverySet(at: later.adding(seconds: PlayerRecovery.seconds))))
      case .recoveryWithdrawn: .reply(.accepted(.noted))
      default: .reply(.refused(.unavailable))
      }
    }
    return lab
  }

  /// A lab of a new device, for whose key the service has one answer and for the words another one.
  private static func device(
    own: RecoveryView? = nil, words: RecoveryView? = nil
  ) -> CommandLab {
    let lab = lab()
    lab.memory.key = phone
    lab.memory.profile = Profile(service: Made.service, rootKey: Made.root)
    lab.files["-"] = Array(typed.utf8)
    var count = 0
    lab.service.onQuery = { kind in
      guard case .recoveryOf = kind else { return nil }
      count += 1
      let view = count == 1 ? own : words
      return view.map { .answer($0) } ?? .refusal(.notPermitted)
    }
    return lab
  }

  private static func view(
    _ role: RecoveryView.Role, pending key: PublicKey? = nil, objector: PublicKey? = nil,
    waitsUntil end: Instant = later
  ) throws -> RecoveryView {
    RecoveryView(
      player: Made.ada, name: Made.name("ada"), role: role,
      recovery: .init(
        key: RecoveryKey(try RecoveryWords(typed: typed)).publicKey,
        waiting: role == .nextRecoveryKey
          ? .init(key: Made.key(6).publicKey, at: end) : nil,
        pending: key.map { .init(recovery: recovery, key: $0, at: later, objector: objector) }))
  }

  // MARK: Words

  @Test("Words are shown once, some are asked for, and then their key is named")
  func make() throws {
    var lines: [String] = []
    var places: [Int] = []
    // Each lab makes the same words, and asks for the same ones.
    for _ in 0..<3 {
      let lab = Self.lab()
      lab.isTerminal = true
      lab.lines = lines
      let run = lab.run("key words")
      #expect(run.status == 1 && lab.service.events == [])
      let place = try #require(
        run.errors.matches(of: /Type word (\d+):/).last.flatMap { Int($0.1) })
      places.append(place)
      lines.append(Self.words[place - 1].prefix(4).uppercased())
    }
    #expect(places == Set(places).sorted())
    let lab = Self.lab()
    lab.isTerminal = true
    lab.lines = ["", " wrong"] + lines
    let run = lab.run("key words")
    #expect(run.status == 0)
    expectNoDifference(
      run.output,
      """
      Write these words down, in this order:

         1 write       2 fury        3 shallow
         4 option      5 exist       6 estate
         7 accident    8 relief      9 entire
        10 filter     11 talk       12 tribe

      They are not shown again. Anyone with them can become you, 72 hours after asking for it. Keep
      them away from your devices.
      The words count in 3 days. Until then the former ones count, if there are any.

      """)
    let key = RecoveryKey(try RecoveryWords(typed: Self.typed)).publicKey
    #expect(lab.service.events.map(\.action) == [.recoveryKeyNamed(key)])
  }

  @Test("Wrong answers about the words name no key")
  func wrongAnswers() {
    let lab = Self.lab()
    lab.isTerminal = true
    lab.lines = ["one", "two", "three"]
    let run = lab.run("key words")
    #expect(run.status == 1 && run.errors.contains("so no key was named."))
    #expect(lab.service.events == [])
  }

  @Test("Without a terminal words are made only with --yes, and shown before they are named")
  func unasked() {
    let lab = Self.lab()
    let refused = lab.run("key words")
    #expect(refused.status == 64 && refused.output == "")
    #expect(refused.errors.hasSuffix("Try: cubist key words --yes\n"))
    lab.service.onEvent = { _ in .bus(.unknown) }
    let run = lab.run("key words --yes")
    #expect(run.status == 75 && run.output.contains("10 filter     11 talk       12 tribe"))
    // The same wish: no other words are made.
    lab.service.onEvent = { _ in .reply(.accepted(.recoverySet(at: Made.now))) }
    let again = lab.run("key words --yes")
    #expect(again.status == 0 && again.output == "The words count now.\n")
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("Words are in no file of the profile")
  func keptNowhere() throws {
    let lab = Self.lab()
    lab.service.onEvent = { _ in .bus(.unknown) }
    _ = lab.run("key words --yes")
    let words = try RecoveryWords(typed: Self.typed)
    let pending = try #require(lab.memory.pending.values.first)
    let kept = String(decoding: pending.envelope, as: UTF8.self)
    #expect(kept.contains("\(RecoveryKey(words).publicKey)"))
    #expect(!kept.contains("relief") && !kept.contains(Hex.encode(words.entropy)))
    #expect(!kept.contains(Hex.encode(words.seed)) && lab.files.isEmpty)
  }

  @Test("Words that exist are named again, and a wrong one is named by its place")
  func known() throws {
    let lab = Self.lab()
    lab.files["-"] = Array("\(Self.typed.uppercased())\n".utf8)
    #expect(lab.run("key words --known").status == 0)
    let key = RecoveryKey(try RecoveryWords(typed: Self.typed)).publicKey
    #expect(lab.service.events.map(\.action) == [.recoveryKeyNamed(key)])
    lab.files["-"] = Array(Self.typed.replacing("accident", with: "akzident").utf8)
    let run = lab.run("key words --known")
    #expect(run.status == 2 && run.errors.contains("Word 7, \"akzident\", is not on the list."))
    #expect(lab.service.events.count == 1)
  }

  @Test("Where words were named within the hour, no new ones are made, and --known is proposed")
  func pause() {
    let lab = Self.lab()
    var keys = Made.keys
    let namedAt = Made.now.adding(seconds: -6)
    keys.recovery = .init(
      key: Made.key(6).publicKey,
      waiting: .init(
        key: Made.key(7).publicKey, at: namedAt.adding(seconds: PlayerRecovery.seconds)))
    lab.service.onQuery = { [keys] in if case .keys = $0 { .answer(keys) } else { nil } }
    let run = lab.run("key words --yes")
    #expect(run.status == 1 && run.output == "" && lab.service.events == [])
    #expect(run.errors.contains("No words were made"))
    #expect(run.errors.hasSuffix("Try: cubist key words --known\n"))
    keys.recovery?.waiting?.at = Made.now.adding(
      seconds: PlayerRecovery.seconds - PlayerRecovery.pauseSeconds)
    lab.service.onQuery = { [keys] in if case .keys = $0 { .answer(keys) } else { nil } }
    #expect(lab.run("key words --yes").status == 0)
  }

  @Test("Words that were shown and refused are called void, and those without an answer are not")
  func void() {
    let void = "The twelve words above count for nothing: throw them away."
    let lab = Self.lab()
    lab.service.onEvent = { _ in
      .reply(.refused(.rateLimited(.recoveryKeys, retryAfterSeconds: 3_594)))
    }
    let refused = lab.run("key words --yes")
    #expect(refused.status != 0 && refused.output.contains("10 filter"))
    #expect(refused.errors.contains(void), "\(refused)")
    // The answer may still come, and then these words count.
    lab.service.onEvent = { _ in .bus(.unknown) }
    let pending = lab.run("key words --yes")
    #expect(pending.status == 75 && !pending.errors.contains(void))
    // The same words are refused later.
    lab.service.onEvent = { _ in .reply(.refused(.keyRevoked)) }
    let later = lab.run("key words --yes")
    #expect(later.output == "" && later.errors.contains("The words of that command"), "\(later)")
    let known = Self.lab()
    known.files["-"] = Array(Self.typed.utf8)
    known.service.onEvent = { _ in .reply(.refused(.keyRevoked)) }
    #expect(!known.run("key words --known").errors.contains("count for nothing"))
  }

  // MARK: Objection

  @Test("A device delays the recovery that is under way, and tells how to stop it")
  func object() {
    let lab = Self.lab()
    var keys = Made.keys
    keys.recovery = .init(
      key: nil, pending: .init(recovery: Self.recovery, key: Self.phone.publicKey, at: Self.later))
    lab.service.onQuery = { if case .keys = $0 { .answer(keys) } else { nil } }
    let run = lab.run("key object")
    #expect(run.status == 0)
    #expect(run.output == "The recovery is delayed: it takes effect in 6 days.\n")
    #expect(run.errors.contains("Next: cubist key recover ada --withdraw\n"))
    #expect(lab.service.events.map(\.action) == [.recoveryObjected(Self.recovery)])
    keys.recovery = nil
    let none = lab.run("key object")
    #expect(none.status == 1 && none.errors.contains("No recovery of yours is under way."))
  }

  @Test("The list of keys tells words and a recovery, and proposes what can be done about it")
  func list() {
    let lab = Self.lab()
    var keys = Made.keys
    keys.recovery = .init(
      key: Made.key(6).publicKey, waiting: .init(key: Made.key(7).publicKey, at: Self.later),
      pending: .init(
        recovery: Self.recovery, key: Self.phone.publicKey, at: Self.later,
        objector: Made.adaKey.publicKey))
    lab.service.onQuery = { if case .keys = $0 { .answer(keys) } else { nil } }
    let run = lab.run("key list")
    #expect(
      run.output.hasSuffix(
        """
        Other words count in 3 days, the present ones until then.
        A recovery is under way: the key 6e7a1cdd29b0b78f plays as you in 3 days, and no other key \
        does then.
        One of your devices has objected.

        """))
    // It was objected to, which counts once.
    #expect(run.errors == "Next: cubist key recover ada --withdraw\n")
    keys.recovery?.pending?.objector = nil
    #expect(lab.run("key list").errors == "Next: cubist key object\n")
    let past = Made.now.adding(seconds: -1)
    keys.recovery?.waiting?.at = past
    #expect(
      lab.run("key list").output.contains(
        "\nOther words do not count while a recovery is under way.\nA recovery is under way: "))
    keys.recovery?.pending = nil
    #expect(
      lab.run("key list").output.hasSuffix(
        "\nOther words count soon, the present ones until then.\n"))
    keys.recovery = .init(key: nil, waiting: .init(key: Made.key(7).publicKey, at: Self.later))
    #expect(lab.run("key list").output.hasSuffix("\nWords count in 3 days for the first time.\n"))
    keys.recovery = .init(key: Made.key(6).publicKey)
    #expect(lab.run("key list").output.hasSuffix("\nYou have words.\n"))
    keys.recovery = nil
    #expect(lab.run("key list").errors.contains("Next: cubist key words\n"))
  }

  // MARK: Recovery

  @Test("A new device asks by the words to play as the player, with a proof of its own key")
  func recover() throws {
    let lab = Self.device(words: try Self.view(.recoveryKey))
    let run = lab.run("key recover ada")
    #expect(run.status == 0)
    #expect(
      run.output == "This device plays as ada in 3 days, and no other device does then.\n")
    let event = try #require(lab.service.events.first)
    let words = RecoveryKey(try RecoveryWords(typed: Self.typed))
    #expect(event.player == Made.ada)
    #expect(
      event.action
        == .playerRecovered(
          of: Made.ada, at: Made.service, by: words.publicKey, to: Self.phone.signer))
    // Nothing is the player's yet.
    #expect(lab.memory.profile.player == nil && lab.memory.key?.isLater == false)
  }

  @Test("A terminal asks for the words without showing them, and again if they are wrong")
  func hidden() throws {
    let lab = Self.device(words: try Self.view(.recoveryKey))
    lab.isTerminal = true
    lab.files = [:]
    lab.hiddenLines = [Self.typed.replacing("talk", with: "kits"), Self.typed]
    let run = lab.run("key recover ada")
    #expect(run.status == 0 && lab.service.events.count == 1)
    #expect(run.errors.contains("Word 11, \"kits\", is not on the list."))
  }

  @Test("Where a terminal cannot hide the words it does not ask for them")
  func shown() throws {
    let lab = Self.device(words: try Self.view(.recoveryKey))
    lab.isTerminal = true
    (lab.hiddenFailure, lab.hiddenLines) = (HiddenInput.failure, [Self.typed])
    let run = lab.run("key recover ada")
    #expect(run.status == 2 && run.errors.contains("The terminal would show what you type"))
    #expect(lab.service.events == [] && lab.hiddenLines == [Self.typed])
  }

  @Test("Said again, the same command tells how far it is without the words, and ends it")
  func progress() throws {
    var lab = Self.device(
      own: try Self.view(
        .newKey, pending: Self.phone.publicKey, objector: Made.adaKey.publicKey))
    lab.files = [:]
    let waiting = lab.run("key recover ada")
    #expect(waiting.status == 0 && lab.service.events == [])
    #expect(
      waiting.output == """
        This device plays as ada in 3 days, and no other device does then.
        A device of ada has objected. That delays it once, and no more.

        """)
    lab = Self.device(own: try Self.view(.playerKey))
    lab.files = [:]
    let done = lab.run("key recover ada")
    #expect(done.status == 0 && done.output == "You are ada on this device.\n")
    #expect(lab.memory.profile.player == Made.ada && lab.memory.profile.name?.text == "ada")
    #expect(lab.memory.key == Self.phone && lab.memory.key?.player == Made.ada)
  }

  @Test("A new key that somebody names as a recovery key is not the player's before its time")
  func namedNewKey() throws {
    for role in [RecoveryView.Role.nextRecoveryKey, .recoveryKey] {
      let lab = Self.device(own: try Self.view(role, pending: Self.phone.publicKey))
      let run = lab.run("key recover ada")
      #expect(run.status != 0 && !run.output.contains("You are ada"), "\(run)")
      #expect(lab.memory.profile.player == nil && lab.memory.key?.isLater == false)
    }
  }

  @Test("While a profile waits for a recovery, every command says so, and nothing is registered")
  func waiting() throws {
    let lab = Self.device(words: try Self.view(.recoveryKey))
    #expect(lab.run("key recover ada").status == 0)
    let sent = lab.service.events
    // A device of ada has objected meanwhile.
    var view: RecoveryView? = try Self.view(.newKey, pending: Self.phone.publicKey)
    view?.recovery.pending?.at = Self.later.adding(seconds: PlayerRecovery.seconds)
    lab.service.onQuery = { kind in
      switch kind {
      case .recoveryOf: view.map { .answer($0) } ?? .refusal(.notPermitted)
      case .serviceInfo: nil
      case .invitationOf: .answer(InvitingPlayer(player: Made.ada, name: Made.name("grace")))
      default: .refusal(.notRegistered)
      }
    }
    for command in [
      "home", "whoami", "register eve", "register eve --bot", "key add K3F7-9QMN-2XVB",
    ] {
      let run = lab.run(command)
      #expect(run.status == 77, "\(command): \(run)")
      #expect(
        run.errors.contains("This profile waits for a recovery: it plays as ada in 6 days."),
        "\(command): \(run)")
      #expect(run.errors.contains("Try: cubist key recover ada\n"), "\(command)")
      #expect(lab.service.events == sent, "\(command)")
    }
    #expect(lab.run("connect amqp://localhost").errors.contains("cubist key recover ada"))
    (lab.opensScreen, lab.isTerminal) = (true, true)
    #expect(lab.run("").errors.contains("it plays as ada"))
    #expect(lab.screens.isEmpty)
    // Somebody has stopped it.
    (lab.opensScreen, lab.isTerminal) = (false, false)
    view = nil
    let home = lab.run("home")
    #expect(home.errors.contains("There is no registered player in this profile."))
    #expect(lab.memory.profile.recovering == nil)
  }

  @Test("A recovery without an answer is repeated, and counts once")
  func again() throws {
    let lab = Self.device(words: try Self.view(.recoveryKey))
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("key recover ada").status == 75)
    lab.service.onEvent = { _ in .reply(.accepted(.recoverySet(at: Self.later))) }
    let view = try Self.view(.newKey, pending: Self.phone.publicKey)
    lab.service.onQuery = { if case .recoveryOf = $0 { .answer(view) } else { nil } }
    #expect(lab.run("key recover ada").status == 0)
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("Words of nobody, words that wait, and another one's recovery are refused by name")
  func refused() throws {
    for (words, status, part) in [
      (nil, Int32(77), "These are not the words of ada"),
      (try Self.view(.nextRecoveryKey), 1, "These words count in 3 days."),
      (
        try Self.view(.recoveryKey, pending: Made.key(6).publicKey), 1,
        "Another key is to play as ada in 3 days."
      ),
      (
        try Self.view(
          .nextRecoveryKey, pending: Self.phone.publicKey,
          waitsUntil: Made.now.adding(seconds: -1)), 1,
        "These words do not count while a recovery of ada is under way."
      ),
    ] as [(RecoveryView?, Int32, String)] {
      let lab = Self.device(words: words)
      let run = lab.run("key recover ada")
      #expect(run.status == status && run.errors.contains(part), "\(run)")
      #expect(lab.service.events == [])
    }
  }

  @Test("Words whose time has come are used, even if a late reader says that they wait")
  func waited() throws {
    let lab = Self.device(
      words: try Self.view(.nextRecoveryKey, waitsUntil: Made.now.adding(seconds: -1)))
    let run = lab.run("key recover ada")
    #expect(run.status == 0)
    #expect(
      run.output == "This device plays as ada in 3 days, and no other device does then.\n")
    let words = RecoveryKey(try RecoveryWords(typed: Self.typed))
    #expect(
      lab.service.events.map(\.action) == [
        .playerRecovered(
          of: Made.ada, at: Made.service, by: words.publicKey, to: Self.phone.signer)
      ])
  }

  @Test("A profile of another player is not taken")
  func taken() {
    let lab = Self.lab()
    lab.service.onQuery = { if case .recoveryOf = $0 { .refusal(.notPermitted) } else { nil } }
    let run = lab.run("key recover grace")
    #expect(run.status == 1 && lab.service.events == [])
    #expect(run.errors.contains("This profile is ada's."))
    #expect(run.errors.contains("Try: cubist --profile OTHER key recover grace\n"))
  }

  @Test("The words stop a recovery, whoever has asked for it")
  func withdraw() throws {
    let lab = Self.lab()
    lab.files["-"] = Array(Self.typed.utf8)
    var view = try Self.view(.recoveryKey, pending: Self.phone.publicKey)
    lab.service.onQuery = { if case .recoveryOf = $0 { .answer(view) } else { nil } }
    let run = lab.run("key recover ada --withdraw")
    #expect(run.output == "The recovery of ada is stopped.\n" && run.status == 0)
    #expect(lab.service.events.map(\.action) == [.recoveryWithdrawn(Self.recovery)])
    view.recovery.pending = nil
    let none = lab.run("key recover ada --withdraw")
    #expect(none.status == 1 && none.errors.contains("No recovery of ada is under way."))
  }

  @Test("What became of one player's recovery is never told of another player's")
  func twoPlayers() throws {
    var lab = Self.lab()
    lab.files["-"] = Array(Self.typed.utf8)
    let ada = try Self.view(.recoveryKey, pending: Self.phone.publicKey)
    lab.service.onQuery = { if case .recoveryOf = $0 { .answer(ada) } else { nil } }
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("key recover ada --withdraw").status == 75)
    lab.service.onEvent = { _ in .reply(.accepted(.noted)) }
    var grace = try Self.view(.recoveryKey)
    (grace.player, grace.name) = (Made.grace, Made.name("grace"))
    lab.service.onQuery = { [grace] in if case .recoveryOf = $0 { .answer(grace) } else { nil } }
    let none = lab.run("key recover grace --withdraw")
    #expect(none.status == 1 && none.errors.contains("No recovery of grace is under way."))
    #expect(!none.output.contains("is stopped"))

    lab = Self.device(words: try Self.view(.recoveryKey))
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("key recover ada").status == 75)
    lab.service.onEvent = { event in
      event.player == Made.ada
        ? .reply(.refused(.notRecoverable)) : .reply(.accepted(.recoverySet(at: Self.later)))
    }
    var count = 0
    lab.service.onQuery = { [grace] kind in
      guard case .recoveryOf = kind else { return nil }
      count += 1
      return count == 1 ? .refusal(.notPermitted) : .answer(grace)
    }
    let other = lab.run("key recover grace")
    #expect(other.status == 0 && other.output.hasPrefix("This device plays as grace in 3 days"))
  }
}

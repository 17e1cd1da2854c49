import ArgumentParser
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Synchronization
import Testing

@testable import cubist

@Suite("Commands that are suggested")
struct SuggestionTests {
  private static let match = Made.match(0x1234)

  static let refusals: [Refusal] = [
    .nameTaken("ada"), .alreadyRegistered(name: "ada"), .codeRequired, .codeInvalid,
    .unknownPlayer(Made.grace), .opponentIsYourself, .invitationPending(match), .notInvited,
    .codeUnknown, .alreadyJoined(match), .leftByYou, .seatTaken, .nothingToWithdraw,
    .playerUnavailable(Made.grace), .blockedByYou(Made.grace), .playerIsYourself,
    .rateLimited(.openRequests, retryAfterSeconds: nil),
    .rateLimited(.registrationsPerHour, retryAfterSeconds: 9), .unknownMatch,
    .matchOver(Outcome(reason: .cleared, seat: nil, results: [.won, .lost])),
    .matchOver(Outcome(reason: .withdrawn, seat: nil, results: [.none, .none])),
    .matchOver(Outcome(reason: .timeUp, seat: nil, results: [.completed])),
    .matchOver(
      Outcome(reason: .mergedInto, seat: nil, results: [.none, .none], mergedInto: match)),
    .unknownTurn(current: 1), .turnAlreadyPlayed(turn: 1),
    .staleTurn(current: 2, previous: Made.hash(1)), .notYourTurn(whose: Made.grace),
    .wrongPrevious(expected: Made.hash(1)), .recordFull(limit: 1), .matchNotOver,
    .rematchNotPossible, .rematchDeclined(retryAt: Made.now), .noRematchOffer,
    .dailyNotDealt(Made.daily.day), .dailyNotOver(Made.daily.day), .dailyOver(Made.daily.day),
    .dailyAlreadyStarted(match), .notRegistered, .unavailable, .keyRevoked,
  ]

  /// The commands that a run suggests.
  private static func commands(_ run: CommandLab.Run) -> [String] {
    run.errors.split(separator: "\n").compactMap { line in
      ["Next: ", "Try: "].first { line.hasPrefix($0) }.map { String(line.dropFirst($0.count)) }
    }
  }

  /// A command with values for the player's choices.
  private static func filled(_ command: String) -> [String] {
    let values = [
      "WORD": "CAB", "OTHER-NAME": "grace", "NAME": "grace", "CODE": "7K3QX2M9", "FILE": "a.json",
      "URL": "amqp://localhost", "OTHER": "other",
    ]
    // The part after the sign is for people.
    return command.prefix { $0 != "#" }.split(separator: " ").dropFirst()
      .map { values[String($0)] ?? String($0) }
  }

  @Test(
    "The suggestions after any refusal or fault can be typed as they stand",
    arguments: [
      "start", "start grace --turn-limit 3d --casual --yes", "start --open", "join 7K3QX2M9",
      "accept",
      "decline", "withdraw", "play CAB --any", "daily start --timed", "daily play CAB --any",
      "forfeit 1234 --yes", "rematch", "rematch --decline", "share", "solo", "register ada",
      "register ada --code 7K3QX2M9", "block grace", "inbox --all-seen", "settings set all on",
    ])
  func afterRefusal(line: String) throws {
    let arguments = "--profile ada --plain \(line)".split(separator: " ").map(String.init)
    let command = try #require(Cubist.parseAsRoot(arguments) as? any CubistCommand)
    for refusal in Self.refusals {
      let lab = try Self.lab()
      lab.service.onEvent = { _ in .reply(.refused(refusal)) }
      let run = lab.run(command)
      #expect(run.status != 64, "\(line): \(run.errors)")
      for command in Self.commands(run) {
        #expect(command.contains(" --plain") && command.contains(" --profile "), "\(command)")
        Self.expectGood(command, after: "\(line): \(refusal.name)")
      }
    }
  }

  @Test("The suggestions of a successful command can be typed as they stand")
  func successes() throws {
    for golden in GoldenCommand.allCases {
      let lab = CommandLab()
      lab.dropsJSON = true
      _ = try golden.text(lab)
      let run = CommandLab.Run(status: 0, output: "", errors: lab.said)
      for command in Self.commands(run) { Self.expectGood(command, after: golden.rawValue) }
    }
  }

  /// Commands that were looked at. Refusals suggest the same ones again and again.
  private static let known = Mutex<Set<String>>(["cubistd up"])

  /// The command is one, and has all arguments that it needs.
  private static func expectGood(_ command: String, after what: String) {
    guard known.withLock({ $0.insert(command).inserted }) else { return }
    let arguments = filled(command)
    #expect(command.hasPrefix("cubist"), "\(what): \(command)")
    #expect(Misspelling.find(in: arguments, of: Cubist.self) == nil, "\(what): \(command)")
    #expect(throws: Never.self, "\(what): \(command)") { try Cubist.parseAsRoot(arguments) }
  }

  /// A lab in which everything waits for ada.
  private static func lab() throws -> CommandLab {
    let lab = CommandLab()
    let (waiting, invited) = (Made.match(0x2222), Made.match(0x3333))
    lab.service.home = Made.home(
      [
        Made.summary(match), Made.summary(waiting, yourTurn: false, stage: .waiting, opponent: nil),
      ],
      invitations: [Made.summary(invited, stage: .waiting)],
      offers: [Made.offer(Made.match(0x4444))], daily: Made.match(0x5555))
    lab.service.past = PastGames(games: [Made.pastGame(Made.match(0x6666))], next: nil)
    lab.service.views[match] = try Made.view(match)
    lab.service.views[Made.match(0x5555)] = try Made.view(
      Made.match(0x5555), moves: [], seats: 1)
    let open = try Made.view(Made.match(0x7777))
    lab.service.onQuery = { if case .matchByCode = $0 { .answer(open) } else { nil } }
    return lab
  }

  @Test(
    "No id of 32 digits is said where there is a name or a short id",
    arguments: SuggestionTests.refusals)
  func noLongIDs(refusal: Refusal) throws {
    let lab = try Self.lab()
    lab.service.onEvent = { _ in .reply(.refused(refusal)) }
    for line in ["start grace --yes", "block grace"] {
      let errors = lab.run(line).errors
      #expect(!errors.contains(Made.grace.description), "\(errors)")
      #expect(!errors.contains(Self.match.description), "\(errors)")
    }
  }

  @Test("The options that were typed are repeated, a password is not")
  func repeatedOptions() throws {
    let lab = try Self.lab()
    lab.service.views[Self.match]?.seatToPlay = 1
    let line = "--profile ada --url amqp://host/v --timeout 90s --no-color play 1234 CAB --plain"
    #expect(
      Self.commands(lab.run(line)) == [
        "cubist --profile ada --url amqp://host/v --timeout 90s --plain --no-color watch 1234"
      ])
    #expect(
      Self.commands(lab.run("--url amqp://me:secret@host/v play 1234 CAB"))
        == ["cubist --url URL watch 1234"])
    lab.service.views[Self.match] = try Made.view(
      Self.match, moves: PlayTests.worn, letters: Position.fullCube().puzzle.description)
    let several = lab.run("--profile ada play 1234 YZA --remove 220")
    #expect(
      Self.commands(several) == [
        "cubist --profile ada play 1234 YZA --remove 220 --choice 1",
        "cubist --profile ada play 1234 YZA --remove 220 --any",
      ])
    lab.service.onEvent = { _ in .reply(.refused(.unknownPlayer(Made.grace))) }
    #expect(
      Self.commands(lab.run("start grace --turn-limit 3d --casual --yes")) == [
        "cubist start --open --turn-limit 3d --casual", "cubist start --turn-limit 3d --casual",
      ])
  }

  @Test("Only commands that can work now are suggested")
  func possible() throws {
    let lab = try Self.lab()
    // An invitation is to be accepted, not watched.
    var view = try Made.view(Self.match, moves: [])
    view.stage = .waiting
    view.seatToPlay = 1
    view.seats[0].state = .invited
    lab.service.views[Self.match] = view
    #expect(Self.commands(lab.run("play 1234 CAB")) == ["cubist accept 1234"])
    #expect(Self.commands(lab.run("show 1234")) == ["cubist accept 1234"])
    // A solo game has no rematch, and a match that was never played is on no list.
    let ended = Outcome(reason: .timeUp, seat: nil, results: [.completed])
    lab.service.views[Self.match] = try Made.view(
      Self.match, moves: [], outcome: ended, seats: 1)
    #expect(Self.commands(lab.run("play 1234 CAB")) == ["cubist show 1234"])
    lab.service.home = Made.home()
    #expect(Self.commands(lab.run("play CAB")) == ["cubist start"])
    lab.service.home = Made.home(invitations: [Made.summary(Self.match, stage: .waiting)])
    #expect(Self.commands(lab.run("play CAB")) == ["cubist accept 1234", "cubist start"])
    lab.service.home.daily.isDealt = false
    #expect(Self.commands(lab.run("daily play CAB")) == ["cubist daily"])
  }

  @Test("Nobody is told to register after the import of a key that the service knows")
  func importedKey() throws {
    let lab = CommandLab(isConnected: false)
    lab.memory.key = nil
    lab.files["ada.key"] = Array(Made.adaKey.exported.utf8)
    #expect(Self.commands(lab.run("key import ada.key")) == ["cubist connect URL"])
    #expect(Self.commands(lab.run("connect amqp://localhost")) == ["cubist"])
    #expect(lab.run("connect amqp://localhost --json").output.contains(#""isRegistered":true"#))
    lab.memory.profile.player = nil
    lab.service.onQuery = { if case .whoAmI = $0 { .refusal(.notRegistered) } else { nil } }
    #expect(Self.commands(lab.run("connect amqp://localhost")) == ["cubist register NAME"])
  }
}

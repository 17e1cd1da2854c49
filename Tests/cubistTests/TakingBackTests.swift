import FoundationEssentials
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Giving up and taking back, in words")
struct TakingBackTests {
  private static let match = Made.match(0x1234)
  private static let aborted = Outcome(reason: .aborted, seat: 1, results: [.none, .none])

  /// A lab with a match that nobody has taken.
  private static func waiting(
    _ state: MatchView.Seat.State, at seat: Int = 1
  ) throws -> CommandLab {
    let lab = CommandLab()
    var view = try Made.view(match, moves: [])
    (view.stage, view.seats[seat].state) = (.waiting, state)
    if state == .free { (view.seats[seat].player, view.seats[seat].name) = (nil, nil) }
    lab.service.views[match] = view
    let name = state == .free ? nil : "grace"
    lab.service.home = Made.home([Made.summary(match, stage: .waiting, opponent: name)])
    lab.service.onEvent = { _ in .reply(.refused(.nothingToWithdraw)) }
    return lab
  }

  private static let withdrawn = Outcome(reason: .withdrawn, seat: 0, results: [.none, .none])

  /// The same, of a service that ends it.
  private static func withdrawing(_ state: MatchView.Seat.State) throws -> CommandLab {
    let lab = try waiting(state)
    lab.service.onEvent = { _ in
      .reply(.accepted(.matchEnded(match, withdrawn, points: [0, 0], version: 2)))
    }
    return lab
  }

  @Test(
    "A match that nobody has taken is withdrawn by giving it up, after a question or with --yes",
    arguments: ["1234", "1234 --yes", "grace --yes", "\(match) --yes"])
  func forfeit(arguments: String) throws {
    for state in [MatchView.Seat.State.invited, .free] {
      if state == .free, arguments.hasPrefix("grace") { continue }
      let lab = try Self.withdrawing(state)
      (lab.isTerminal, lab.lines) = (true, ["y"])
      let run = lab.run("forfeit \(arguments)")
      #expect(run.status == 0)
      let question = "Nobody has taken match 1234 yet. Withdraw it? [y/N] "
      #expect(run.errors.contains(question) == !arguments.hasSuffix("--yes"))
      #expect(run.output == "Match 1234 is withdrawn.\n")
      #expect(lab.service.events.map(\.action) == [.matchForfeited(Self.match)])
    }
  }

  @Test("A match that nobody has taken is named if no ID is given, and --yes never skips it")
  func unnamed() throws {
    let lab = try Self.withdrawing(.free)
    let asked = lab.run("forfeit")
    #expect(asked.status == 64)
    #expect(asked.errors.contains("Nobody can be asked here: say --yes."))
    #expect(asked.errors.contains("Try: cubist forfeit 1234 --yes"))
    let playing = Made.match(0x5678)
    lab.service.views[playing] = try Made.view(playing, moves: [])
    lab.service.home = Made.home([
      Made.summary(Self.match, stage: .waiting, opponent: nil), Made.summary(playing),
    ])
    let run = lab.run("forfeit --yes")
    #expect(run.errors.hasPrefix("cubist: Several matches fit. Say which by its ID."))
    #expect(lab.service.events.isEmpty)
  }

  @Test("One's own invitation is not declined but withdrawn")
  func ownInvitation() throws {
    let lab = try Self.waiting(.invited)
    lab.service.onEvent = { _ in .reply(.refused(.notInvited)) }
    let run = lab.run("decline grace")
    #expect(run.status == 1)
    #expect(
      run.errors == """
        cubist: Match 1234 is your own. It can be withdrawn.
        Try: cubist withdraw 1234

        """)
  }

  @Test(
    "A match that is over is found by its id, so that the service says that it is over",
    arguments: ["forfeit 1234 --yes", "withdraw 1234", "decline 1234"])
  func over(command: String) throws {
    let lab = CommandLab()
    lab.service.home = Made.home([])
    lab.service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
    lab.service.onEvent = { _ in .reply(.refused(.matchOver(Self.aborted))) }
    let run = lab.run(command)
    #expect(run.status == 1)
    #expect(run.errors.contains("The match is over"))
    #expect(lab.service.events.map(\.match) == [Self.match])
  }

  @Test("A match to which one is invited is not given up but declined")
  func invited() throws {
    let lab = try Self.waiting(.invited, at: 0)
    let run = lab.run("forfeit 1234 --yes")
    #expect(run.status == 1)
    #expect(run.errors.contains("You have not accepted match 1234. It can be declined."))
    #expect(run.errors.contains("Try: cubist decline 1234\n"))
  }

  @Test(
    "An own offer of a rematch cannot be taken back, and says when it ends",
    arguments: ["rematch 1234 --decline", "withdraw 1234", "withdraw grace"])
  func ownOffer(line: String) {
    let lab = CommandLab()
    lab.service.home = Made.home(offers: [Made.offer(Self.match, isYours: true)])
    let over = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    lab.service.onEvent = { event in
      if case .rematchDeclined = event.action { return .reply(.refused(.noRematchOffer)) }
      return .reply(.refused(.matchOver(over)))
    }
    let run = lab.run(line)
    #expect(run.status == 1)
    #expect(
      run.errors == """
        cubist: That offer to grace is yours and cannot be taken back. It ends in 7 days.
        Try: cubist home

        """)
    // Where the offer is hers, or there is none, the service's refusal is told.
    lab.service.home = Made.home(offers: [Made.offer(Self.match)])
    #expect(!lab.run(line).errors.contains("yours"))
  }

  @Test("A past game names the player that gave it up before the first move")
  func pastGames() throws {
    let lab = CommandLab()
    var games = [Made.pastGame(Made.match(1)), Made.pastGame(Made.match(2))]
    games.append(Made.pastGame(Made.match(3)))
    for index in games.indices { (games[index].result, games[index].reason) = (.none, .aborted) }
    (games[0].gaveUpBy, games[1].gaveUpBy) = (Made.grace, Made.ada)
    lab.service.past = PastGames(games: games, next: nil)
    let text = lab.run("games --past").output
    #expect(text.contains("grace gave up before the first move\n"))
    #expect(text.contains("you gave up before the first move\n"))
    // Its time ran out, perhaps after a turn of the other one.
    #expect(text.contains("a player made no first move\n"))
    let json = lab.run("games --past --json").output
    #expect(json.contains(#""gaveUpBy":"\#(Made.grace)""#))
    // A former service leaves it out, and a former client does not look at it.
    let former = try JSONEncoder().encode(games[2])
    #expect(!String(decoding: former, as: UTF8.self).contains("gaveUpBy"))
    #expect(try JSONDecoder().decode(PastGame.self, from: former).gaveUpBy == nil)
  }

  @Test("A refusal because a match is over names its players")
  func over() throws {
    let lab = CommandLab()
    var view = try Made.view(Self.match, moves: [], outcome: Self.aborted)
    view.gaveUp = true
    lab.service.views[Self.match] = view
    lab.service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
    lab.service.onEvent = { _ in .reply(.refused(.matchOver(Self.aborted))) }
    #expect(
      lab.run("withdraw \(Self.match)").errors.hasPrefix(
        "cubist: The match is over: grace gave up before the first move.\n"))
    lab.service.views = [:]
    #expect(
      lab.run("withdraw \(Self.match)").errors.hasPrefix(
        "cubist: The match is over: a player made no first move.\n"))
  }

  @Test("A record names the player that gave up before the first move, too")
  func record() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "MatchWireTests/Fixtures/record-1.json")
    var document = try RecordDocument(Array(try Data(contentsOf: file)))
    document.outcome = Self.aborted
    func ending() -> String {
      let report = RecordVerifier(lexicons: .standard, rootKey: nil).report(on: document)
      return VerifyText.record(report, isKeyKnown: false)
    }
    let player = try #require(document.seats[1].player)
    let forfeit = Event(
      service: document.service, id: EventID(at: Made.now, random: 1), player: player,
      action: .matchForfeited(document.match))
    document.entries[document.entries.count - 2].signed.payload = PayloadCodec.encode(forfeit)
    #expect(ending().contains("It ended: the player of seat 1 gave up before the first move\n"))
    document.entries.removeLast()
    #expect(ending().contains("It ended: the player of seat 1 made no first move\n"))
  }

  @Test("An entry that is not there cannot be removed or unblocked, and that is said")
  func unknown() throws {
    let lab = CommandLab()
    lab.service.onQuery = { kind in
      if case .blocks = kind { .answer(BlockList(players: [])) } else { nil }
    }
    lab.service.onEvent = { _ in .reply(.accepted(.noted)) }
    let device = lab.run("devices remove phone")
    #expect(device.status == 3)
    #expect(device.errors == "cubist: You have no device phone.\nTry: cubist devices\n")
    let player = lab.run("unblock grace")
    #expect(player.status == 1)
    #expect(
      player.errors
        == "cubist: You have not blocked grace. There is nothing to undo.\nTry: cubist block\n")
    #expect(lab.service.events == [])
    lab.service.settings.devices = [
      DeviceView(device: "phone", permission: "denied", hasToken: false)
    ]
    #expect(lab.run("devices remove phone").status == 0)
    #expect(lab.service.events.count == 1)
  }
}

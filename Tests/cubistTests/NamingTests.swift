import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Which match is meant")
struct NamingTests {
  private static let (first, second, over) = (
    Made.match(0x1111), Made.match(0x2222), Made.match(0x3333)
  )

  /// A lab with two matches against grace, in one of which it is ada's turn, and a past one.
  private static func lab() throws -> CommandLab {
    let lab = CommandLab()
    lab.service.home = Made.home([
      Made.summary(first, yourTurn: false), Made.summary(second),
    ])
    lab.service.past = PastGames(
      games: [Made.pastGame(over), Made.pastGame(Made.match(0x4444))], next: nil)
    for match in [first, second] {
      lab.service.views[match] = try Made.view(match, moves: [])
    }
    let code = try #require(ShareCode("7K3QX2M97K3QX2M9"))
    lab.service.onEvent = { event in
      switch event.action {
      case .turnPlayed(let wish): .reply(.accepted(.turnAccepted(Made.receipt(wish.match))))
      case .rematchRequested(let wish):
        .reply(.accepted(.done(.rematchOffered, wish.match, version: 4)))
      case .matchForfeited(let wish):
        .reply(
          .accepted(
            .matchEnded(
              wish.match, Outcome(reason: .forfeited, seat: 0, results: [.lost, .won]),
              points: [42, 36], version: 4)))
      case .gameShared(let wish):
        .reply(.accepted(.gameShared(wish.match, code: code)))
      default: .reply(.refused(.unavailable))
      }
    }
    return lab
  }

  private static func matches(_ lab: CommandLab) -> [MatchID?] { lab.service.events.map(\.match) }

  @Test("An opponent's name means the match that fits the command, in any case of letters")
  func opponent() throws {
    let lab = try Self.lab()
    #expect(lab.run("play GRACE CAB --any").status == 0)
    #expect(Self.matches(lab) == [Self.second])
    let shown = lab.run("show grace")
    #expect(shown.output.contains("Match 2222"), "it is ada's turn there")
    // A command that watches it sees its end at once.
    let end = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    lab.service.views[Self.first] = try Made.view(Self.first, outcome: end)
    let watched = lab.run("watch grace")
    #expect(watched.output.contains("Match 1111"), "it is grace's turn there")
  }

  @Test("One of several matches against a player that fit has to be named by its id")
  func several() throws {
    let lab = try Self.lab()
    lab.service.home = Made.home([Made.summary(Self.first), Made.summary(Self.second)])
    let run = lab.run("play grace CAB --any")
    #expect(run.status == 64)
    #expect(run.errors.contains("1111") && run.errors.contains("2222"))
    #expect(lab.service.events == [])
    #expect(lab.run("play 1111 CAB --any").status == 0)
    #expect(Self.matches(lab) == [Self.first])
  }

  @Test("A match that is played comes before a past one with an offer of a rematch")
  func offer() throws {
    let lab = try Self.lab()
    lab.service.home = Made.home(
      [Made.summary(Self.first, yourTurn: false)], offers: [Made.offer(Self.over)])
    #expect(lab.run("play grace CAB --any").errors.contains("Several") == false)
    #expect(lab.run("rematch grace").status == 0)
    #expect(Self.matches(lab).last == Self.over)
  }

  @Test("A name that could be digits of an id means the id")
  func idWins() throws {
    let lab = try Self.lab()
    lab.service.home = Made.home([
      Made.summary(Made.match(0xbeef)), Made.summary(Self.second, opponent: "beef"),
    ])
    lab.service.views[Made.match(0xbeef)] = try Made.view(Made.match(0xbeef), moves: [])
    #expect(lab.run("play beef CAB --any").status == 0)
    #expect(Self.matches(lab) == [Made.match(0xbeef)])
  }

  @Test("A name without a match against it is refused by name")
  func nobody() throws {
    let lab = try Self.lab()
    let run = lab.run("show zoe")
    #expect(run.status == 3)
    #expect(run.errors.contains("No match of yours is against zoe"))
  }

  @Test("A rematch, a share and an export mean the game that ended last")
  func last() throws {
    let lab = try Self.lab()
    #expect(lab.run("rematch").status == 0)
    #expect(lab.run("rematch grace").status == 0)
    #expect(lab.run("share").status == 0)
    #expect(Self.matches(lab) == [Self.over, Self.over, Self.over])
    lab.service.onQuery = { kind in
      guard case .record(let asked) = kind else { return nil }
      return .answer(RecordAnswer(record: "record of \(asked.match)"))
    }
    #expect(lab.run("export game.json").status == 0)
    #expect(
      lab.files["game.json"].map { String(decoding: $0, as: UTF8.self) }
        == "record of \(Self.over)")
    #expect(lab.run("export -").output == "record of \(Self.over)\n")
  }

  @Test("A turn named by the opponent is the same when it is repeated after a lost answer")
  func resumed() throws {
    let lab = try Self.lab()
    let answer = lab.service.onEvent
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("play grace CAB --any").status == 75)
    #expect(lab.run("play grace CAB --any").status == 75)
    lab.service.onEvent = answer
    let run = lab.run("play grace CAB --any")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("Turn 2 against grace: CAB "))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("An earlier start that went through is told by the opponent's name")
  func notice() throws {
    let lab = try Self.lab()
    lab.service.onEvent = { _ in .bus(.confirmed) }
    _ = lab.run("start grace")
    lab.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(Self.first)))) }
    #expect(
      lab.run("games").errors == "Your earlier start went through: match with grace.\n")
  }

  @Test("A player gives a match up by saying yes; where nobody can be asked, --yes is needed")
  func forfeit() throws {
    let lab = try Self.lab()
    let run = lab.run("forfeit 2222")
    #expect(run.status == 64)
    #expect(run.errors.contains("Give up match 2222 against grace?"))
    #expect(run.errors.contains("cubist forfeit 2222 --yes"))
    lab.isTerminal = true
    lab.lines = ["no"]
    #expect(lab.run("forfeit 2222").status == 1)
    #expect(lab.service.events == [])
    lab.lines = ["y"]
    let done = lab.run("forfeit 2222")
    #expect(done.status == 0)
    #expect(done.output.hasPrefix("Match 2222 is over: you gave up. Points: 42 : 36.\n"))
    #expect(Self.matches(lab) == [Self.second])
  }
}

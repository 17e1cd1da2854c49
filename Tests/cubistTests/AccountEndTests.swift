import CustomDump
import FoundationEssentials
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import cubist

@Suite("The end of an account, and its export, at the prompt")
struct AccountEndTests {
  private static let (playing, waiting) = (Made.match(0x1234), Made.match(0x5678))
  private static let end = SettingsChange(isLeaving: true)

  /// A lab whose service takes the events that a deletion needs. One match runs, and nobody has
  /// joined another one.
  private static func lab() -> CommandLab {
    let lab = CommandLab()
    lab.service.home = Made.home([
      Made.summary(playing), Made.summary(waiting, stage: .waiting, opponent: nil),
    ])
    lab.service.onEvent = { [service = lab.service] event in
      switch event.action {
      case .settingsChanged(let change):
        let end = Made.now.adding(seconds: Departure.waitSeconds)
        service.settings.leavesAt = change.isLeaving == true ? end : nil
        return .reply(.accepted(.noted))
      case .matchForfeited(let wish):
        let outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
        return .reply(
          .accepted(.matchEnded(wish.match, outcome, points: [42, 36], version: 4)))
      case .requestWithdrawn(let wish):
        return .reply(.accepted(.done(.withdrawn, wish.match, version: 2)))
      default: return .reply(.refused(.unavailable))
      }
    }
    return lab
  }

  @Test("Home begins with what becomes of the account, and with the commands that stop it")
  func accountWarnings() {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Made.match(0x1234))])
    let before = lab.run("home").output
    #expect(before.hasPrefix("Your turn\n"))
    lab.service.home.leavesAt = Made.now.adding(seconds: 86_400)
    let leaving = lab.run("home").output
    #expect(leaving.hasPrefix("Your account ends in "))
    #expect(leaving.contains("asked. Not you? Keep it: cubist account keep"))
    #expect(leaving.hasSuffix("\n\n" + before))
    lab.service.home.recoveryAt = Made.now.adding(seconds: 86_400)
    let both = lab.run("home").output
    #expect(both.hasPrefix("Somebody asked for a new key for your account."))
    #expect(both.contains("Not you? Delay it: cubist key object"))
    #expect(both.contains("Your words stop it: cubist key recover ada --withdraw"))
    #expect(both.hasSuffix(leaving))
  }

  @Test("A deletion with --confirm tells the service once, and says when it takes effect")
  func delete() {
    let lab = Self.lab()
    let run = lab.run("account delete --confirm ADA")
    #expect(run.status == 0)
    #expect(lab.service.events.map(\.action) == [.settingsChanged(Self.end)])
    #expect(run.output == "Your account ends in 3 days, unless you say `cubist account keep`.\n")
  }

  @Test("--forfeit gives up the running match and withdraws the request, and then asks for the end")
  func forfeit() {
    let lab = Self.lab()
    #expect(lab.run("account delete --confirm ada --forfeit").status == 0)
    expectNoDifference(
      lab.service.events.map(\.action),
      [
        .matchForfeited(Self.playing), .requestWithdrawn(Self.waiting),
        .settingsChanged(Self.end),
      ])
  }

  @Test("With a refused --forfeit the account stays as it is")
  func refused() {
    let lab = Self.lab()
    lab.service.onEvent = { _ in .reply(.refused(.notPermitted)) }
    #expect(lab.run("account delete --confirm ada --forfeit").status != 0)
    #expect(lab.service.events.allSatisfy { $0.action == .matchForfeited(Self.playing) })
  }

  @Test("The wrong name changes nothing, gives nothing up, and is named")
  func wrongName() {
    let lab = Self.lab()
    let run = lab.run("account delete --confirm grace --forfeit")
    #expect(run.status == 1 && lab.service.events == [])
    #expect(run.errors.contains("You are ada, and that is not what was typed."))
  }

  @Test("Without a terminal the name has to be an argument")
  func noTerminal() {
    let lab = Self.lab()
    let run = lab.run("account delete")
    #expect(run.status == 64 && lab.service.events == [])
    #expect(run.errors.contains("cubist account delete --confirm ada"))
  }

  @Test("A person reads what goes and what stays, and types the name")
  func asked() {
    let lab = Self.lab()
    lab.isTerminal = true
    lab.lines = ["ada"]
    let run = lab.run("account delete")
    #expect(run.status == 0 && lab.service.events.count == 1)
    let question = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for text in ["for 72 hours", "are gone for ever", "can still be verified", "for 90 days"] {
      #expect(question.contains(text), "\(question)")
    }
    lab.lines = ["no"]
    #expect(lab.run("account delete").status == 1)
  }

  @Test("What is taken back is told to the service, and the time is gone")
  func keep() {
    let lab = Self.lab()
    _ = lab.run("account delete --confirm ada")
    let run = lab.run("account keep")
    #expect(run.status == 0 && run.output == "Your account stays.\n")
    #expect(
      lab.service.events.last?.action == .settingsChanged(SettingsChange(isLeaving: false)))
  }

  // MARK: Export

  /// Makes the service answer everything that an export asks.
  private static func answer(_ lab: CommandLab, pages: [PastGames], isOld: Bool = false) {
    var pages = pages[...]
    lab.service.onQuery = { kind in
      switch kind {
      case .keys: .answer(Made.keys)
      case .blocks:
        .answer(
          BlockList(players: [
            .init(player: Made.grace, name: Made.name("grace"), since: Made.now)
          ]))
      case .inbox: .answer(InboxView(items: []))
      case .dailyHistory: .answer(DailyHistory(results: []))
      case .pastGames: pages.popFirst().map { .answer($0) }
      case .account(let asked):
        isOld
          ? .refusal(.malformed("type \"account\" is not known"))
          : .answer(AccountRows(rows: [#"{"section": "\#(asked.section.rawValue)"}"#]))
      default: nil
      }
    }
  }

  @Test("An export has each answer by name, and the past games of all pages")
  func export() throws {
    let lab = Self.lab()
    let (first, second) = (Made.pastGame(Made.match(1)), Made.pastGame(Made.match(2)))
    Self.answer(
      lab,
      pages: [
        PastGames(games: [first], next: first.cursor), PastGames(games: [second], next: nil),
      ])
    let run = lab.run("account export me.json")
    #expect(run.status == 0, "\(run.errors)")
    let bytes = try #require(lab.files["me.json"])
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.prefix(2) == ["{", #"  "schema": "cubist.account.2","#])
    let kept = try JSONDecoder().decode(Kept.self, from: Data(bytes))
    expectNoDifference(kept.pastGames, [first, second])
    expectNoDifference(kept.player, Made.playerView(Made.ada, "ada"))
    expectNoDifference(kept.keys, Made.keys)
    #expect(kept.settings == lab.service.settings && kept.matches == lab.service.home)
    #expect(kept.blocks.players.map(\.name) == [Made.name("grace")])
    #expect(kept.inbox.items.isEmpty && kept.dailies.results.isEmpty)
    #expect(kept.exportedAt == Made.now && kept.lacking == [])
    expectNoDifference(
      kept.kept,
      Dictionary(
        uniqueKeysWithValues: AccountSection.allCases.map {
          ($0.rawValue, [["section": $0.rawValue]])
        }))
    #expect(run.output == "What the service keeps of you is in me.json.\n")
    // The second page was asked for after the first one's end.
    let places = lab.service.queries.compactMap { kind in
      if case .pastGames(let asked) = kind { asked.before } else { nil }
    }
    #expect(places == [first.cursor])
  }

  @Test("An older service gives no rows, and the file and the command say so")
  func oldService() throws {
    let lab = Self.lab()
    Self.answer(lab, pages: [PastGames(games: [], next: nil)], isOld: true)
    let run = lab.run("account export me.json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("The service is older than this program and does not give player, "))
    #expect(run.output.contains("`cubistd accounts export`"))
    let kept = try JSONDecoder().decode(
      Kept.self, from: Data(try #require(lab.files["me.json"])))
    #expect(kept.kept.isEmpty && kept.lacking == AccountSection.allCases.map(\.rawValue))
    #expect(kept.keys == Made.keys)
  }

  @Test("An export that the service refuses makes no file")
  func refusedExport() {
    let lab = Self.lab()
    #expect(lab.run("account export me.json").status != 0)
    #expect(lab.files["me.json"] == nil && lab.service.events == [])
  }

  private struct Kept: Decodable {
    var exportedAt: Instant
    var player: PlayerView
    var settings: SettingsView
    var keys: KeyList
    var blocks: BlockList
    var inbox: InboxView
    var matches: HomeView
    var pastGames: [PastGame]
    var dailies: DailyHistory
    var kept: [String: [[String: String]]]
    var lacking: [String]
  }
}

import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

@testable import GameScreens
@testable import cubist

/// One run of each command whose JSON is held by `GoldenTests`.
enum GoldenCommand: String, CaseIterable {
  case home, connect, register, whoami, keyExport, keyExportFile, keyImport
  case keyList, keyInvite, keyAdd, keyRemove, keyWords, keyObject, keyRecover, keyWithdraw
  case start, startOpen, join, accept, decline, declineAll, withdraw
  case show, showEnded, showTurn, replay, watch, play, dryRun, forfeit, rematchOffered,
    rematchStarted,
    rematchDeclined
  case games, pastGames, headToHead, share, export, daily, dailyStart, dailyPlay, dailyResult,
    standings,
    dailyHistory,
    leaderboard, review, ladder, bot, botPlayed
  case settings, devicesAdd, inbox, service
  case block, unblock, blocks, report
  case notice, error, candidates, choices

  /// The output of the command: the error output where the golden is about errors.
  func text(_ lab: CommandLab = CommandLab()) throws -> String {
    let run = try run(lab)
    switch self {
    case .notice, .error, .candidates, .choices: return run.errors
    default: return run.output
    }
  }

  private static let match = Made.match(0x1234)
  private static let other = Made.match(0x5678)
  private static let cleared = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])

  private func run(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    switch self {
    case .home:
      service.home = Made.home(
        [Made.summary(Self.match)], invitations: [Made.summary(Self.other, yourTurn: false)],
        offers: [Made.offer(Made.match(0x9abc))])
      return lab.run("--json")
    case .connect:
      (lab.memory.profile, lab.memory.key) = (Profile(), nil)
      return lab.run("connect amqp://localhost --json")
    case .register:
      service.onEvent = { _ in .reply(.accepted(.registered(Made.ada, Made.name("ada")))) }
      return lab.run("register ada --json")
    case .whoami: return lab.run("whoami --json")
    case .keyExport: return lab.run("key export --json")
    case .keyExportFile: return lab.run("key export ada.key --json")
    case .keyImport:
      lab.memory.key = nil
      lab.files["ada.key"] = Array(Made.adaKey.exported.utf8)
      return lab.run("key import ada.key --json")
    case .keyList, .keyInvite, .keyAdd, .keyRemove: return runKeys(lab)
    case .keyWords, .keyObject, .keyRecover, .keyWithdraw: return try runRecovery(lab)
    case .start, .startOpen, .join, .accept, .decline, .declineAll, .withdraw:
      return try runMeeting(lab)
    case .block, .unblock, .blocks: return runBlocks(lab)
    case .report:
      service.onEvent = { _ in .reply(.accepted(.reported(Self.match))) }
      return lab.run([
        "report", Self.match.description, "--because", "name", "--text", "an insult", "--json",
      ])
    case .show, .showEnded, .showTurn, .replay, .watch, .play, .dryRun, .forfeit, .rematchOffered,
      .rematchStarted, .rematchDeclined:
      return try runPlaying(lab)
    default: return try runRest(lab)
    }
  }

  private func runKeys(_ lab: CommandLab) -> CommandLab.Run {
    let (service, phone) = (lab.service, Made.key(5))
    service.onQuery = {
      switch $0 {
      case .keys: .answer(Made.keys)
      case .invitationOf: .answer(InvitingPlayer(player: Made.ada, name: Made.name("ada")))
      default: nil
      }
    }
    service.onEvent = { event in
      switch event.action {
      case .deviceInvited: .reply(.accepted(.deviceInvited(until: Made.codeEnd)))
      case .keyAdded: .reply(.accepted(.keyAdded(event.player, Made.name("ada"))))
      default: .reply(.accepted(.keyRemoved(phone.publicKey)))
      }
    }
    switch self {
    case .keyList: return lab.run("key list --json")
    case .keyInvite: return lab.run("key invite --json")
    case .keyAdd:
      lab.memory.key = phone
      lab.memory.profile = Profile(service: Made.service, rootKey: Made.root)
      return lab.run("key add 16q4-g4jx-dh22 --json")
    default: return lab.run("key remove 6e7a1cdd --json")
    }
  }

  private func runRecovery(_ lab: CommandLab) throws -> CommandLab.Run {
    let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    let (later, phone) = (Made.now.adding(seconds: PlayerRecovery.seconds), Made.key(5).publicKey)
    let recovery = KeyList.Recovery(
      key: RecoveryKey(try RecoveryWords(typed: words)).publicKey,
      pending: .init(recovery: EventID(at: Made.now, random: 7), key: phone, at: later))
    var view = RecoveryView(
      player: Made.ada, name: Made.name("ada"), role: .recoveryKey, recovery: recovery)
    lab.files["-"] = Array(words.utf8)
    lab.service.onQuery = {
      switch $0 {
      case .keys: .answer(KeyList(keys: Made.keys.keys, recovery: recovery))
      case .recoveryOf: .answer(view)
      default: nil
      }
    }
    lab.service.onEvent = { event in
      if case .recoveryWithdrawn = event.action { return .reply(.accepted(.noted)) }
      return .reply(.accepted(.recoverySet(at: later)))
    }
    switch self {
    case .keyWords: return lab.run("key words --yes --json")
    case .keyObject: return lab.run("key object --json")
    case .keyWithdraw: return lab.run("key recover ada --withdraw --json")
    default:
      view.role = .newKey
      return lab.run("key recover ada --json")
    }
  }

  private func runMeeting(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    let ticket = Made.ticket(Self.match)
    switch self {
    case .start:
      service.onEvent = { _ in .reply(.accepted(.matchStarted(ticket))) }
      return lab.run("start --json")
    case .startOpen:
      let open = Made.ticket(Self.match, code: ShareCode("7K3QX2M9"))
      service.onEvent = { _ in .reply(.accepted(.matchStarted(open))) }
      return lab.run("start --open --json")
    case .join:
      let view = try Made.view(Self.match)
      service.onQuery = { if case .matchByCode = $0 { .answer(view) } else { nil } }
      service.onEvent = { _ in .reply(.accepted(.matchJoined(ticket))) }
      return lab.run("join 7k3qx2m9 --json")
    case .accept, .decline:
      service.home = Made.home(invitations: [Made.summary(Self.match)])
      service.onEvent = { _ in
        .reply(
          .accepted(
            self == .accept
              ? .matchJoined(ticket) : .done(.invitationDeclined, Self.match, version: 2)))
      }
      return lab.run("\(rawValue) --json")
    case .declineAll:
      service.home = Made.home(invitations: [Made.summary(Self.match)])
      service.onEvent = { event in
        guard case .invitationDeclined(let wish) = event.action else {
          return .reply(.accepted(.playerBlocked(Made.grace)))
        }
        service.home.invitations = []
        return .reply(.accepted(.done(.invitationDeclined, wish.match, version: 2)))
      }
      return lab.run("decline --all --block --json")
    default:
      service.home = Made.home([Made.summary(Self.match, stage: .waiting, opponent: nil)])
      service.onEvent = { _ in .reply(.accepted(.done(.withdrawn, Self.match, version: 2))) }
      return lab.run("withdraw --json")
    }
  }

  private func runBlocks(_ lab: CommandLab) -> CommandLab.Run {
    let service = lab.service
    service.onEvent = { _ in
      .reply(
        .accepted(self == .block ? .playerBlocked(Made.grace) : .playerUnblocked(Made.grace)))
    }
    let list = BlockList(players: [
      .init(player: Made.grace, name: Made.name("grace"), since: Made.now)
    ])
    service.onQuery = { if case .blocks = $0 { .answer(list) } else { nil } }
    switch self {
    case .block: return lab.run("block grace --json")
    case .unblock: return lab.run("unblock grace --json")
    default: return lab.run("block --json")
    }
  }

  private func runPlaying(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    service.home = Made.home([Made.summary(Self.match)])
    service.views[Self.match] = try Made.view(Self.match)
    switch self {
    case .show: return lab.run("show 1234 --json")
    case .showTurn: return lab.run("show 1234 --turn 0 --json")
    case .replay: return lab.run("replay 1234 --json")
    case .showEnded:
      var view = try Made.view(Self.match, outcome: Self.cleared)
      view.daily = Made.daily
      view.predecessor = Made.match(1)
      view.successor = Made.match(2)
      view.rematchOfferBy = 1
      view.code = ShareCode("7K3QX2M9")
      service.views[Self.match] = view
      return lab.run("show 1234 --json")
    case .watch: return lab.run("watch --json")
    case .play:
      service.onEvent = { _ in .reply(.accepted(.turnAccepted(Made.receipt(Self.match)))) }
      return lab.run("play BAC --choice 1 --json")
    case .dryRun: return lab.run(["play", "--faces", "222R 222L 222T", "--dry-run", "--json"])
    case .forfeit:
      let outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
      service.onEvent = { _ in
        .reply(.accepted(.matchEnded(Self.match, outcome, points: [0, 27], version: 4)))
      }
      return lab.run("forfeit 1234 --yes --json")
    default: break
    }
    service.home = Made.home(offers: [Made.offer(Self.match)])
    service.onEvent = { _ in
      switch self {
      case .rematchOffered: .reply(.accepted(.done(.rematchOffered, Self.match, version: 9)))
      case .rematchStarted: .reply(.accepted(.rematchStarted(Made.ticket(Self.other))))
      default: .reply(.accepted(.done(.rematchDeclined, Self.match, version: 9)))
      }
    }
    return lab.run("rematch --json\(self == .rematchDeclined ? " --decline" : "")")
  }

  private func runRest(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    switch self {
    case .games:
      service.home = Made.home([Made.summary(Self.match), Made.summary(Self.other)])
      return lab.run("games --with grace --json")
    case .pastGames:
      let game = Made.pastGame(Self.match)
      service.past = PastGames(
        games: [game, Made.pastGame(Self.other, opponent: nil)], next: game.cursor)
      return lab.run("games --past --json")
    case .headToHead:
      service.onQuery = {
        if case .headToHead = $0 { .answer(Made.headToHead(Self.match, Self.other)) } else { nil }
      }
      return lab.run("games --with grace --summary --json")
    case .share:
      let code = try Position.unwrap(ShareCode("7K3QX2M97K3QX2M9"))
      service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
      service.onEvent = { _ in .reply(.accepted(.gameShared(Self.match, code: code))) }
      return lab.run("share 1234 --json")
    case .export:
      service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
      service.onQuery = {
        if case .record = $0 { .answer(RecordAnswer(record: "{\"a\":1}")) } else { nil }
      }
      return lab.run("export 1234 game.json --json")
    case .daily, .dailyStart, .dailyPlay, .dailyResult, .standings: return try runDaily(lab)
    case .ladder:
      service.onQuery = { if case .ladder = $0 { .answer(Made.ladder) } else { nil } }
      return lab.run("ladder --json")
    case .dailyHistory, .leaderboard, .review: return runRankings(lab)
    case .bot, .botPlayed: return try runBot(lab)
    case .settings, .devicesAdd: return runSettings(lab)
    case .inbox:
      let job = PushJob(
        id: PushJobID(rawValue: 0x9abc), kind: .yourTurn, player: Made.ada, match: Self.match,
        turn: 3)
      let item = InboxItem(
        job: job, title: "Your turn", body: "Play against grace.", sentAt: Made.now)
      service.onQuery = { if case .inbox = $0 { .answer(InboxView(items: [item])) } else { nil } }
      return lab.run("inbox --json")
    case .service:
      service.info = Made.serviceInfo
      return lab.run("service --json")
    default: return try runTrouble(lab)
    }
  }

  private func runSettings(_ lab: CommandLab) -> CommandLab.Run {
    let service = lab.service
    let settings = SettingsView(
      displayName: "Ada L.", kinds: ["matchEnded": false, "yourTurn": true], reminders: true,
      devices: [DeviceView(device: "phone", permission: "authorized", hasToken: true)])
    service.onQuery = { if case .settings = $0 { .answer(settings) } else { nil } }
    service.onEvent = { _ in .reply(.accepted(.noted)) }
    return lab.run(
      self == .settings
        ? "settings set matchEnded off --json" : "devices add phone --token t:1 --json")
  }

  private func runBot(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    var asked = 0
    service.onQuery = { kind in
      guard case .pastGames = kind else { return nil }
      asked += 1
      let games = asked == 1 ? [] : [Made.pastGame(Self.other)]
      return .answer(PastGames(games: games, next: nil))
    }
    service.onEvent = { event in
      switch event.action {
      case .turnPlayed:
        .reply(.accepted(.turnAccepted(Made.receipt(Self.match, outcome: Self.cleared))))
      case .matchRequested where self == .botPlayed: .reply(.refused(.recordFull(limit: 1)))
      default: .reply(.accepted(.matchStarted(Made.ticket(Self.match))))
      }
    }
    if self == .botPlayed {
      service.home = Made.home([Made.summary(Self.match)])
      service.views[Self.match] = try Made.view(Self.match)
    }
    service.settings.bot = true
    return lab.run("bot --all --games 1 --json")
  }

  private func runDaily(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    switch self {
    case .daily:
      service.home = Made.home(daily: Self.match)
      return lab.run("daily --json")
    case .dailyStart:
      service.onEvent = { _ in .reply(.accepted(.dailyStarted(Made.ticket(Self.match)))) }
      return lab.run("daily start --json")
    case .dailyPlay:
      service.home = Made.home(daily: Self.match)
      service.views[Self.match] = try Made.view(Self.match, moves: [], seats: 1)
      service.onEvent = { _ in
        let receipt = TurnReceipt(
          match: Self.match, version: 2, turn: 1, scores: [0, 27], points: [27],
          hash: Made.hash(0xbb), seatToPlay: 0, outcome: nil)
        return .reply(.accepted(.turnAccepted(receipt)))
      }
      return lab.run([
        "daily", "play", "--remove", "222", "--faces", "212T 212L 202L", "--json",
      ])
    case .dailyResult:
      service.home = Made.home(daily: Self.match)
      service.views[Self.match] = try Made.view(Self.match, seats: 1)
      return lab.run("daily result --json")
    default:
      let standings = Standings(daily: Made.daily, Made.ranking())
      service.onQuery = { if case .standings = $0 { .answer(standings) } else { nil } }
      return lab.run("daily standings --json")
    }
  }

  private func runRankings(_ lab: CommandLab) -> CommandLab.Run {
    let board = Leaderboard(
      games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .all)
    let (view, row) = (LeaderboardView(board, Made.ranking(word: "CAB")), Made.ranking().own)
    let history = DailyHistory(
      results: [.init(daily: Made.daily, points: 12, rank: 2, outOf: 9)])
    let review = WeekInReview(
      since: Made.now.adding(seconds: -7 * 86_400), until: Made.now,
      games: [.init(kind: .random, count: 4, won: 2, lost: 1, tied: 1)],
      places: row.map { [.init(board, $0)] } ?? [])
    lab.service.onQuery = {
      switch $0 {
      case .leaderboard(.init(board)): .answer(view)
      case .dailyHistory: .answer(history)
      case .review: .answer(review)
      default: nil
      }
    }
    switch self {
    case .leaderboard: return lab.run("leaderboard solo --timed --window all --words --json")
    case .dailyHistory: return lab.run("daily history --json")
    default: return lab.run("review --json")
    }
  }

  private func runTrouble(_ lab: CommandLab) throws -> CommandLab.Run {
    let service = lab.service
    switch self {
    case .notice:
      service.onEvent = { _ in .bus(.confirmed) }
      _ = lab.run("start --json")
      service.onEvent = { _ in
        .reply(.accepted(.matchStarted(Made.ticket(Self.match))))
      }
      return lab.run("games --json")
    case .error:
      service.onEvent = { _ in .reply(.refused(.alreadyJoined(Self.match))) }
      return lab.run("start --json")
    case .candidates:
      service.home = Made.home([Made.summary(Self.match), Made.summary(Self.other)])
      return lab.run("forfeit --json")
    default:
      service.home = Made.home([Made.summary(Self.match)])
      let letters = try Position.fullCube().puzzle.description
      service.views[Self.match] = try Made.view(Self.match, moves: PlayTests.worn, letters: letters)
      return lab.run("play YZA --json")
    }
  }
}

import CubePlay
import CubeRules
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews

/// All that opening the game on a whole screen needs.
struct ScreenPlan: Sendable {
  /// The service's.
  var url: String
  /// The folder of the profile.
  var folder: String
  /// Whether the connection's requests are logged.
  var isVerbose: Bool
  /// How long each answer is waited for; nil: as usual.
  var timeout: Duration?
  /// The match to begin with; nil: the home list.
  var match: MatchID?
  /// A game that somebody shared, to begin with instead.
  var code: ShareCode?
  /// Whether the match is opened at its first turn.
  var isReplay = false
  /// Whether the bell rings for the other one's turn.
  var rings = false
  /// How far the first steps have come.
  var firstSteps = FirstStepsProgress.done
}

/// One connection to the service on a thread of its own, on which every call blocks.
actor ServiceLink {
  private let thread: QueueExecutor
  private let plan: ScreenPlan
  private let clock: WallClock
  private let lexicons: Lexicons
  private let makePlayer: @Sendable () throws -> Player
  private var opened: Player?
  private let views: KnownViews
  /// The outcomes of pending events, until they are told.
  private var told: [ClientNotice] = []
  /// The start that has no answer yet.
  private var starting: EventID?
  /// The answer to a start that was pending, until it is said.
  private var started: StartAnswer?

  /// The code of a device that was made last.
  var ticket: DeviceTicket?

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(
    _ label: String, _ plan: ScreenPlan, clock: WallClock, lexicons: Lexicons,
    views: KnownViews = KnownViews(), _ makePlayer: @escaping @Sendable () throws -> Player
  ) {
    thread = QueueExecutor(label)
    self.clock = clock
    self.lexicons = lexicons
    self.plan = plan
    self.views = views
    self.makePlayer = makePlayer
  }

  var now: Instant { opened?.now ?? clock.now() }

  private func player() throws -> Player {
    if let opened { return opened }
    let player = try makePlayer()
    if let timeout = plan.timeout {
      player.patience.reply = timeout
      player.patience.query = timeout
      player.patience.resend = timeout
    }
    // Few attempts, so that the player at the screen soon learns that it takes long.
    player.patience.attempts = 2
    player.onNotice = { [unowned self] notice in
      // A player calls this only on the thread on which it was called.
      assumeIsolated { $0.hear(notice) }
    }
    opened = player
    return player
  }

  private func hear(_ notice: ClientNotice) {
    switch notice {
    case .answered(let event, let reply) where event.id == starting:
      (starting, started) = (nil, StartAnswer(reply))
    case .dropped(let event) where event.id == starting:
      (starting, started) = (nil, .refused(NoticeText.describe(notice, now: now).text))
    // The screen says so.
    case .stillPending(let event, _) where event.id == starting: return
    default: break
    }
    // In an outage each look sends the events again.
    told.removeAll { $0.isSuperseded(by: notice) }
    told.append(notice)
  }

  /// Asks for a match. If there is no answer, the next load of the home list brings it.
  func starting<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      let value = try body()
      starting = nil
      return value
    } catch let error as ClientError {
      switch error {
      case .pending(let event, _): starting = event
      case .refused: starting = nil
      default: break
      }
      throw error
    }
  }

  /// Calls the service, and turns its errors into the screen's.
  func call<Value>(_ body: (Player) throws -> Value) throws(ScreenTrouble) -> Value {
    do {
      return try body(player())
    } catch let error as ClientError {
      throw ScreenTrouble(error, now: now)
    } catch let trouble as ScreenTrouble {
      throw trouble
    } catch {
      throw .said(CommandFailure(error, match: nil).message)
    }
  }
}

extension ServiceLink {
  /// Sends the pending events of earlier commands again.
  func resendPending() throws(ScreenTrouble) { try call { try $0.resendPending() } }

  func home() throws(ScreenTrouble) -> HomeList {
    try call { player in
      let home = try player.home()
      try seekStart(player)
      defer { (told, started) = ([], nil) }
      let matches = home.matches + home.invitations
      let texts = told.map { notice in
        NoticeText.describe(notice, now: now) { id in
          matches.first { $0.id == id }?.opponentName
        }.text
      }
      var list = HomeList(
        home, name: player.profile.name, now: now,
        told: texts.isEmpty ? nil : texts.joined(separator: " "))
      list.started = started
      return list
    }
  }

  /// Another program of the profile may have had the answer to a start.
  private func seekStart(_ player: Player) throws {
    guard let event = starting, try !player.isPending(event) else { return }
    let text = "Another program had the answer to your start. The list shows the result."
    (starting, started) = (nil, .refused(text))
  }

  /// - Parameter isWanted: Whether a wait for a later version goes on.
  func match(
    _ key: MatchKey, newerThan version: Int64?, while isWanted: (() -> Bool)? = nil
  ) throws(ScreenTrouble) -> FoundMatch {
    try call { player in
      if let code = key.code { return try found(player.match(code: code), player) }
      let view = try player.match(key.id(), newerThan: version, while: isWanted)
      guard view.seats.contains(where: { $0.player == player.player && $0.state == .taken }) else {
        throw ScreenTrouble.said(
          "You have no seat in this match. An invitation is accepted from the list.")
      }
      return try found(view, player)
    }
  }

  private func found(_ view: MatchView, _ player: Player) throws -> FoundMatch {
    views.note(view)
    let news = try MatchNews(
      view, for: player.player, now: now, words: lexicons.named(view.lexicon))
    return FoundMatch(news: news, version: view.version, lexicon: view.lexicon)
  }

  /// Keeps a turn in the profile, and asks the service nothing. Returns whether it is kept: not where
  /// nobody has seen that turn's match.
  func keep(_ key: MatchKey, _ moves: [Move], number: Int) throws(ScreenTrouble) -> Bool {
    try call { player in
      guard let view = try views.view(key.id(), turn: number) else { return false }
      return try player.keep(moves, in: view)
    }
  }

  func play(_ key: MatchKey, _ moves: [Move], number: Int) throws(ScreenTrouble) -> Answer {
    try call { player in
      let id = try key.id()
      // A turn that is sent again names the same preceding entry as the first time.
      if views.view(id, turn: number) == nil { views.note(try player.match(id)) }
      guard let view = views.view(id, turn: number) else {
        return Answer(toTurn: number, moves, of: player.player, in: try player.match(id), now: now)
      }
      do throws(ClientError) {
        let receipt = try player.play(moves, in: view)
        views.note(receipt, in: view)
        return .accepted(secondsLeft: receipt.outcome == nil ? view.secondsAfterTurn(now) : nil)
      } catch {
        guard case .refused(_, let message, let refusal) = error else { throw error }
        views.forget(id)
        let answer = Answer(refusal, message)
        guard answer == .outdated else { return answer }
        return Answer(toTurn: number, moves, of: player.player, in: try player.match(id), now: now)
      }
    }
  }

  func rematch(_ key: MatchKey) -> RematchAnswer {
    do throws(ScreenTrouble) {
      let progress = try call { try $0.rematch(of: key.id()) }
      switch progress {
      case .offered: return .offered
      case .started(let ticket): return .began(MatchKey(ticket))
      case .failed(let error): return .failed(ScreenTrouble(error, now: now).text)
      case .inFlight: return .failed(ScreenTrouble.away.text)
      }
    } catch {
      return .failed(error.text)
    }
  }

  func grant(_ wish: HomeScreen.Wish) throws(ScreenTrouble) -> MatchKey? {
    try call { player in
      switch wish {
      case .accept(let key): return MatchKey(try player.accept(key.id()))
      case .decline(let key):
        try player.decline(key.id())
        return nil
      case .rematch(let key):
        switch try player.rematch(of: key.id()) {
        case .started(let ticket): return MatchKey(ticket)
        case .failed(let error): throw error
        case .offered, .inFlight: return nil
        }
      case .declineRematch(let key):
        try player.declineRematch(key.id())
        return nil
      case .withdraw(let key):
        try player.withdraw(key.id())
        return nil
      case .daily(let clock): return try daily(clock, player)
      }
    }
  }
}

extension ClientNotice {
  /// Whether a later notice repeats this one, or tells something newer of its pending event.
  fileprivate func isSuperseded(by later: ClientNotice) -> Bool {
    guard case .stillPending(let event, _) = self else { return self == later }
    switch later {
    case .answered(let other, _), .stillPending(let other, _), .dropped(let other):
      return other.id == event.id
    case .damaged, .journalFailed: return false
    }
  }
}

extension MatchKey {
  func id() throws(MatchIDError) -> MatchID {
    guard let match else { throw .notAnID(text) }
    return match
  }
}

extension ScreenTrouble {
  init(_ error: ClientError, now: Instant) {
    switch error {
    case .unreachable(.notPermitted): self = .said(error.description)
    case .pending: self = .pending
    case .unreachable, .earlierPending, .unreadable, .foreignReply,
      .profile(.lockHeld), .queryRefused(_, _, .unavailable?):
      self = .away
    default: self = .said(ErrorText.text(error, TypedArguments(), now: now))
    }
  }
}

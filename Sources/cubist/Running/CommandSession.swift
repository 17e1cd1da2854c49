import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// One run of a command: its options, its output, its profile and its connection.
final class CommandSession {
  let environment: CLIEnvironment
  let options: GlobalOptions
  let console: Console
  /// The reason why the command waits, for the line that says so.
  var waitingLabel = "Waiting for the service"
  /// The match of the command, as a short id, for an error's suggestions.
  var subject: String?
  /// The match that the command is about.
  var match: MatchID?
  /// The typed arguments, for an error's suggestions.
  var typed = TypedArguments()

  /// Events of earlier commands that were pending and are answered now.
  private var answered: [(event: PendingEvent, reply: ReceivedReply)] = []
  private var stillPending: [(event: PendingEvent, reason: PendingReason)] = []
  private var bus: PlayerBus?
  /// Whether the service that was last connected to runs on this machine.
  private(set) var isNearService = true
  private var opened: Player?
  private var knownHome: HomeView?
  /// Whether a new event has no answer yet; also true between attempts to send it.
  private var hasNewEvent = false
  /// Whether something that the next command tells again could not be written.
  private var hasUntold = false

  init(_ environment: CLIEnvironment, _ options: GlobalOptions) {
    self.environment = environment
    self.options = options
    console = Console(environment, options)
  }

  /// The time of day, by the service's clock where that is known.
  var now: Instant { opened?.now ?? environment.clock.now() }

  /// The player's name, as far as the profile knows it.
  var name: PlayerName? { opened?.profile.name }

  /// Forgets the answered events, unless a notice of one could not be written. The next command tells
  /// again what is not forgotten.
  func forgetTold() {
    guard !hasUntold, let opened else { return }
    do throws(ClientError) { try opened.forgetTold() } catch { console.say("\(error)") }
  }

  /// Whether a person says yes to a question.
  func confirms(_ question: String) throws(CommandFailure) -> Bool {
    try console.ask("\(question) [y/N] ")
    return ["y", "yes"].contains((environment.readLine() ?? "").lowercased())
  }

  func close() {
    bus?.close()
    bus = nil
  }
}

extension CommandSession {
  /// The name of the profile: `--profile`, `CUBIST_PROFILE`, or `default`.
  func profileName() throws(CommandFailure) -> ProfileName {
    let text = options.profile ?? variable("CUBIST_PROFILE")
    guard let text else { return .standard }
    guard let name = ProfileName(text) else {
      throw CommandFailure(
        .usage, "badProfile",
        "'\(text)' is no name of a profile. Use 1 to 32 of A-Z a-z 0-9 _ and -.")
    }
    return name
  }

  /// The files of the profile.
  func store() throws -> ProfileStore {
    guard let folder = try profileName().folder(environment: environment.variables) else {
      throw ProfileError.noHome
    }
    return environment.makeStore(folder)
  }

  /// An environment variable that is there and not empty.
  func variable(_ name: String) -> String? {
    environment.variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The service's URL: `--url`, `CUBIST_URL`, or the one that the profile was connected to.
  func url(_ store: ProfileStore) throws -> String {
    if let url = try options.url ?? variable("CUBIST_URL") ?? store.loadURL() { return url }
    throw CommandFailure(
      .usage, "notConnected", "This profile does not know where the service is. Connect it first.",
      next: ["cubist connect URL"])
  }

  /// The connection to a service, which says when it is waited for.
  func connect(_ url: String) throws -> PlayerBus {
    typed.url = TypedArguments.withoutPassword(url)
    let address = try? ServiceAddress(url: url)
    isNearService = address?.isOnThisMachine ?? true
    var live = try environment.makeBus(url, options.verbose)
    if options.verbose {
      let log = RequestLog(write: console.log, uptime: environment.clock.uptimeNanoseconds)
      console.log(address?.summary ?? "the service is unknown")
      live = log.logged(live)
    }
    let bus = live.with {
      $0.request.answer { [unowned self] message, timeout throws(BusError) in
        let isEvent = message.destination != .queries
        if isEvent { environment.setEventInFlight(true) }
        let isShown = !console.isQuiet && !console.isJSON
        let end = isShown ? environment.showWaiting(waitingLabel, console.errorStyle) : {}
        defer {
          end()
          if isEvent { environment.setEventInFlight(hasNewEvent) }
        }
        return try live.request(message, timeout)
      }
    }
    self.bus = bus
    return bus
  }

  /// The player of the profile, after the pending events were sent again.
  ///
  /// - Parameter isSending: Whether the command only sends one event, which does so by itself.
  func player(isSending: Bool = false, makingKey: Bool = false) throws -> Player {
    // The pending events were sent again, or the command sends them itself.
    if let opened { return opened }
    let store = try store()
    let url = try url(store)
    // Without a key nothing needs to be connected.
    if !makingKey, try store.loadKey() == nil { throw ClientError.notRegistered }
    let player = try Player.open(
      store, bus: try connect(url), clock: environment.clock, randomness: environment.randomness,
      makingKey: makingKey)
    prepare(player)
    try player.resumeOnlyEarlier()
    if !isSending { try player.resendPending() }
    return player
  }

  /// The waiting matches: one query in a command, before it changes anything.
  func home() throws -> HomeView {
    if let knownHome { return knownHome }
    let home = try player().home()
    knownHome = home
    return home
  }

  /// Gives a player the time-outs of the options, and listens to its notices. It keeps an answered
  /// event until the command has told the answer.
  func prepare(_ player: Player) {
    opened = player
    player.keepsUntilTold = true
    if let timeout = options.timeout {
      player.patience.reply = timeout
      player.patience.query = timeout
      player.patience.queryLimit = timeout
      player.patience.resend = timeout
    }
    player.onInFlight = { [unowned self] event in
      hasNewEvent = event != nil
      environment.setEventInFlight(hasNewEvent)
    }
    player.onNotice = { [unowned self] notice in
      // An event that is sent again twice is told once.
      if case .stillPending(let event, _) = notice,
        stillPending.contains(where: { $0.event.id == event.id })
      {
        return
      }
      switch notice {
      case .answered(let event, let reply): answered.append((event, reply))
      case .stillPending(let event, let reason): stillPending.append((event, reason))
      case .dropped, .damaged, .journalFailed: break
      }
      guard !console.isQuiet else { return }
      let (document, text) = NoticeText.describe(notice, now: now) { [unowned player] in
        opponent(in: $0, player)
      }
      // A notice that cannot be told must not stop the command.
      do { try console.notify(document, text: text) } catch { hasUntold = true }
    }
  }

  /// The name of the opponent in a match; nil where it cannot be had at once.
  private func opponent(in match: MatchID, _ player: Player) -> PlayerName? {
    glance(at: match, player)?.seats.first { $0.player != player.player }?.name
  }

  /// A match; nil where it is not to be had at once.
  private func glance(at match: MatchID, _ player: Player) -> MatchView? {
    let patience = player.patience
    defer { player.patience = patience }
    player.patience.query = .seconds(1)
    player.patience.attempts = 1
    return try? player.match(match)
  }

  /// The same error; of a recovery that the profile waits for, with its present time. An objection
  /// delays it, and somebody may have stopped it.
  private func asOfNow(_ error: any Error) -> any Error {
    guard case .recovering(let name, _)? = error as? ClientError, let opened else { return error }
    let patience = opened.patience
    defer { opened.patience = patience }
    opened.patience.query = .seconds(1)
    opened.patience.attempts = 1
    _ = try? opened.ownRecovery(of: name)
    guard let awaited = opened.profile.recovering else { return ClientError.notRegistered }
    return ClientError.recovering(awaited.name, until: awaited.until)
  }

  /// The meaning of an error of the command, with the facts that are known here.
  func failure(_ error: any Error) -> CommandFailure {
    let error = asOfNow(error)
    var failure = CommandFailure(error, match: subject, typed: typed, now: now)
    // Starting a service here brings nobody to one that runs elsewhere.
    if !isNearService { failure.next.removeAll { $0 == "cubistd up" } }
    guard let error = error as? ClientError else { return failure }
    switch error {
    case .notRegistered where (try? url(store())) == nil:
      // A name is registered with a service.
      failure.next = failure.next.map { command in
        command.hasPrefix("cubist register") ? "cubist connect URL" : command
      }
    case .refused(_, _, .matchOver(let outcome)?) where outcome.seat != nil:
      guard let opened, let match, let view = glance(at: match, opened), view.outcome == outcome
      else { break }
      failure.message = "The match is over: \(text(view, opened).reason(outcome))."
    default: break
    }
    return failure
  }

  /// The answer to the same wish of an earlier command, answered only now.
  /// - Parameter player: Whose event it is; nil: anybody's.
  /// - Throws: `ClientError.pending` where it is still without an answer.
  func resumed(
    of player: PlayerID? = nil, _ isSame: (Event.Action) throws -> Bool
  ) throws -> ReceivedReply? {
    try resumedEvent(of: player, isSame)?.reply
  }

  /// The same, with the event of the earlier command.
  func resumedEvent(
    of player: PlayerID? = nil, _ isSame: (Event.Action) throws -> Bool
  ) throws -> (event: PendingEvent, reply: ReceivedReply)? {
    func isWanted(_ event: Event) throws -> Bool {
      try (player == nil || event.player == player) && isSame(event.action)
    }
    // If the service cannot say which match is meant, it may be the same.
    for (event, reason) in stillPending
    where opened?.resumes(event.id) ?? true && (try? isWanted(event.event)) ?? true {
      throw ClientError.pending(event.id, reason)
    }
    return try answered.first { event, reply in
      try opened?.resumes(event.id) ?? true && reply.isLasting && isWanted(event.event)
        && !isFollowed(event)
    }
  }

  /// Whether a later command wished something else about the same thing.
  private func isFollowed(_ event: PendingEvent) -> Bool {
    (answered.map(\.event) + stillPending.map(\.event)).contains { other in
      other.id > event.id && other.isAboutSame(as: event.intent)
    }
  }
}

extension CommandSession {
  /// Whether an earlier command's event has been answered in this run.
  func hasAnswer(to action: Event.Action) -> Bool {
    answered.contains { $0.event.event.action == action }
  }
}

extension ReceivedReply {
  /// The service's acceptance.
  /// - Throws: `ClientError.refused` where it did not.
  func accepted() throws(ClientError) -> Acceptance {
    switch self {
    case .accepted(let acceptance): return acceptance
    case .refused(let name, let message, let refusal):
      throw .refused(name: name, message: message, refusal: refusal)
    }
  }
}

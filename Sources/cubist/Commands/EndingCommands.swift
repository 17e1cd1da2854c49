import ServiceNews
import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist forfeit`
struct Forfeit: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Give a match up; end a solo game.",
    usage: "cubist forfeit [<id>] [--yes] [<options>]",
    discussion: """
      EXAMPLES:
        cubist forfeit 3fa2
        cubist forfeit 3fa2 --yes      do not ask

      Giving up loses the match, even with more points. A match without a turn does not count, nor \
      one that you joined if nobody has played since. One that nobody has joined is withdrawn.
      """)

  @Argument(help: IDArgument.help, completion: Completion.running) var id: String?

  @Flag(help: "Do not ask. It is needed where the input is no terminal.")
  var yes = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      guard case .matchForfeited(let forfeited) = action else { return false }
      return try session.means(id, forfeited.match, player)
    }
    if case .matchEnded(let match, let outcome, let points, let version) = try reply?.accepted() {
      return try report(
        EndDocument(match: match, version: version, outcome: outcome, points: points), session)
    }
    let match = try session.match(
      id, player, fitting: fitting,
      nothing: { _ in .nothing("You have no match that could be given up.", next: "cubist start") })
    if !yes { try confirm(match, session, player) }
    let ending = try forfeit(match, session, player)
    try report(
      EndDocument(
        match: ending.match, version: ending.version, outcome: ending.outcome,
        points: ending.points), session)
  }

  /// The matches that may be meant if none is named. A question names the match; without one, a
  /// match that waits for its second player may be meant as well, and has to be told apart.
  private func fitting(_ home: HomeView) -> [MatchID] {
    let playing = home.matches.filter { $0.stage != .waiting }
    return (yes || playing.isEmpty ? home.matches : playing).map(\.id)
  }

  /// Gives a match up. Where it was not looked at before, it may be an invitation to the player.
  private func forfeit(
    _ match: MatchID, _ session: CommandSession, _ player: Player
  ) throws -> MatchEnding {
    do throws(ClientError) {
      return try player.forfeit(match)
    } catch {
      if case .refused(_, _, .nothingToWithdraw?) = error {
        try checkAccepted(session.text(player.match(match), player))
      }
      throw error
    }
  }

  /// An invitation to the player is declined, not given up.
  private func checkAccepted(_ text: MatchText) throws(CommandFailure) {
    guard text.isInvited else { return }
    throw CommandFailure(
      .refused, "notAccepted", "You have not accepted match \(text.short). It can be declined.",
      next: ["cubist decline \(text.short)"])
  }

  /// Has a person say yes.
  private func confirm(_ match: MatchID, _ session: CommandSession, _ player: Player) throws {
    let view = try player.match(match)
    let text = session.text(view, player)
    let short = text.short
    try checkAccepted(text)
    let opponent = view.seats.first { $0.player != player.player }
    let what =
      if view.seats.count == 1 {
        "End your \(Wording.game(view))"
      } else if view.stage == .waiting {
        "Nobody has taken match \(short) yet. Withdraw it"
      } else {
        "Give up match \(short) against \(Wording.name(opponent?.name, opponent?.player))"
      }
    guard session.environment.inputIsTerminal, !options.json else {
      throw CommandFailure(
        .usage, "notConfirmed", "\(what)? Nobody can be asked here: say --yes.",
        next: ["cubist forfeit \(short) --yes"])
    }
    guard try session.confirms("\(what)?") else {
      throw CommandFailure(.refused, "notConfirmed", "Nothing was given up.")
    }
  }

  private func report(_ document: EndDocument, _ session: CommandSession) throws {
    try session.console.show(.end, document) {
      let short = NextStep.short(document.match)
      if document.outcome.reason == .aborted {
        // It may go on with somebody else.
        return "You gave up match \(short) before your first move, so it does not count.\n"
      }
      if document.outcome.reason == .withdrawn { return "Match \(short) is withdrawn.\n" }
      let points = document.points.map(String.init).joined(separator: " : ")
      let reason = Wording.reason(document.outcome.reason, who: "you")
      return "Match \(short) is over: \(reason). Points: \(points).\n"
    }
    guard document.points.count > 1, document.outcome.wasPlayed else { return }
    session.console.suggest("cubist rematch \(NextStep.short(document.match))")
  }
}

/// `cubist rematch`
struct Rematch: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask for a rematch, agree to one, or decline it.",
    usage: "cubist rematch [<id>] [--decline] [<options>]",
    discussion: """
      EXAMPLES:
        cubist rematch
        cubist rematch 3fa2            the finished match
        cubist rematch 3fa2 --decline

      It begins when both players want it.
      """)

  @Argument(help: IDArgument.help, completion: Completion.games) var id: String?

  @Flag(help: "Decline the rematch that was offered.")
  var decline = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      switch action {
      case .rematchRequested(let wish): try !decline && session.means(id, wish.match, player)
      case .rematchDeclined(let refusal): try decline && session.means(id, refusal.match, player)
      default: false
      }
    }
    switch try reply?.accepted() {
    case .rematchStarted(let ticket)?: return try report(.started(ticket), of: nil, session)
    case .done(.rematchOffered, let match, let version)?:
      return try report(.offered(match, version: version), of: match, session)
    case .done(.rematchDeclined, let match, let version)?:
      return try reportDeclined(match, version, session)
    default: break
    }
    let match = try match(session, player)
    if decline {
      let version = try session.unlessOwnOffer(match, player) { () throws(ClientError) in
        try player.declineRematch(match)
      }
      return try reportDeclined(match, version, session)
    }
    let progress = player.rematch(of: match) { progress in
      if progress.isInFlight { session.waitingLabel = progress.description }
    }
    try report(progress, of: match, session)
  }

  private func match(_ session: CommandSession, _ player: Player) throws -> MatchID {
    let nothing = CommandFailure.nothing(
      "There is no finished match that a rematch could follow.", next: "cubist games --past")
    if let id {
      return try session.match(
        id, player, fitting: { $0.rematchOffers.map(\.match) }, named: .past,
        nothing: { _ in nothing })
    }
    let offers = try session.home().rematchOffers.filter { !$0.isYours }.map(\.match)
    if offers.isEmpty, !decline {
      return try session.lastGame(player, where: { $0.opponent != nil }, nothing: nothing)
    }
    return try session.match(
      nil, player, fitting: { _ in offers },
      nothing: { _ in .nothing("Nobody offers you a rematch.", next: "cubist home") })
  }

  private func report(
    _ progress: RematchProgress, of match: MatchID?, _ session: CommandSession
  ) throws {
    var document: RematchDocument
    switch progress {
    case .started(let ticket):
      document = RematchDocument(result: "started", of: match, version: ticket.version)
      document.match = ticket.match
      document.seat = ticket.seat
      document.letters = ticket.letters
      document.previous = ticket.previous
    case .offered(let match, let version):
      document = RematchDocument(result: "offered", of: match, version: version)
    case .failed(let error):
      var failure = CommandFailure(
        error, match: session.subject, typed: session.typed, now: session.now)
      if case .refused = error, error.isFinal {
        failure.message = "The rematch could not be started. \(failure.message)"
      } else {
        failure.message = progress.description
      }
      throw failure
    case .inFlight: return
    }
    try session.console.show(.rematch, document) {
      guard let match = document.match else { return "\(progress)\n" }
      return "The rematch has begun: match \(NextStep.short(match)).\n"
    }
    if let match = document.match {
      session.console.suggest("cubist show \(NextStep.short(match))")
    }
  }

  private func reportDeclined(
    _ match: MatchID, _ version: Int64, _ session: CommandSession
  ) throws {
    let document = RematchDocument(result: "declined", of: match, version: version)
    try session.console.show(.rematch, document) {
      "The rematch of match \(NextStep.short(match)) is declined.\n"
    }
  }
}

extension CommandSession {
  /// Does something that takes a match or an offer back. An offer of a rematch is of the asker and
  /// cannot be: that is said.
  func unlessOwnOffer<Value>(
    _ match: MatchID, _ player: Player, _ body: () throws(ClientError) -> Value
  ) throws -> Value {
    do throws(ClientError) {
      return try body()
    } catch {
      switch error {
      case .refused(_, _, .noRematchOffer?), .refused(_, _, .matchOver?): break
      default: throw error
      }
      guard let offer = try player.home().rematchOffers.first(where: { $0.match == match }),
        offer.isYours
      else { throw error }
      let name = Wording.name(offer.opponentName, offer.opponent)
      throw CommandFailure(
        .refused, "ownOffer",
        "That offer to \(name) is yours and cannot be taken back. It ends "
          + "\(Wording.when(offer.expiresAt, now: now)).",
        next: ["cubist home"])
    }
  }
}

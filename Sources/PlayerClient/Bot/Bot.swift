public import CubePlay
public import CubeRules
public import MatchCore
public import MatchInterfaces
public import MatchWire

/// A player that plays by itself: takes invitations and rematches, plays its turns, and asks for
/// matches.
public struct Bot {
  /// How it plays.
  public struct Habits: Hashable, Sendable {
    /// How strong it plays.
    public var strength = BotStrength.medium
    /// Whether it takes invitations by name.
    public var acceptsInvitations = true
    /// Whether it takes rematches that are offered.
    public var acceptsRematches = true
    /// Seconds for a turn of the random match that it always keeps open for anyone to join; nil: it
    /// asks for none.
    public var openTurnLimitSeconds: Int64? = 86_400
    /// It asks for no more while it plays that many matches.
    public var matchLimit = 20
    /// It takes no invitation and no rematch while it plays that many matches: the service would
    /// refuse more than its limit, and count each refusal.
    public var acceptLimit = BotLimits.matches
    /// The only match it plays in; nil: it plays in all of them.
    public var onlyMatch: MatchID?

    /// The habits of a bot that newcomers can play.
    public init() {}

    /// The habits of a bot that plays one match for somebody and takes nothing else on.
    public init(only match: MatchID) {
      onlyMatch = match
      acceptsInvitations = false
      acceptsRematches = false
      openTurnLimitSeconds = nil
    }
  }

  /// One thing that it did in a step.
  public enum Act: Hashable, Sendable {
    /// Asked for a match against anyone, and is waiting, or found somebody.
    case requested(MatchStart)
    /// Took an invitation.
    case accepted(MatchTicket)
    /// Agreed to a rematch.
    case rematched(MatchID, RematchProgress)
    case played(TurnReceipt)
    /// It wanted something and was refused or got no answer. The next step looks again.
    case failed(MatchID?, ClientError)
  }

  /// The player it plays as.
  public let player: Player
  /// How it plays.
  public var habits: Habits
  private let lexicons: Lexicons
  private let brain: BotBrain
  private let damaged = DamagedMatches()

  /// A bot that plays as a registered player.
  public init(
    player: Player, lexicons: Lexicons, randomness: Randomness, habits: Habits = Habits()
  ) {
    self.player = player
    self.habits = habits
    self.lexicons = lexicons
    brain = BotBrain(strength: habits.strength, randomness: randomness)
  }

  /// Does everything that can be done now.
  ///
  /// - Returns: Its acts; none where it waits for others. Call it again after a while.
  /// - Throws: `ClientError` where the service cannot be asked, or does not know the player.
  public func step() throws(ClientError) -> [Act] {
    try player.resendPending()
    let home = try player.home()
    var acts: [Act] = []
    // A player in a match has waited longer than one who only asks for a match.
    damaged.keep(home.matches)
    for match in home.matches
    where match.yourTurn && (habits.onlyMatch ?? match.id) == match.id && !damaged.has(match) {
      let act = try attempt(match.id) { () throws(ClientError) in .played(try play(match.id)) }
      if case .failed(_, .queryRefused(_, _, .matchDamaged?)) = act { damaged.add(match) }
      acts.append(act)
    }
    acts += try takeOn(home)
    if let request = request(home) {
      acts.append(
        try attempt(nil) { () throws(ClientError) in .requested(try player.startMatch(request)) })
    }
    return acts
  }

  /// Takes invitations and rematches for which there is room, until the service says that it is too
  /// much. It leaves those that go beyond ``BotLimits``: they are older than its declaration as a
  /// bot, or than the limits.
  private func takeOn(_ home: HomeView) throws(ClientError) -> [Act] {
    var acts: [Act] = []
    var room = habits.acceptLimit - home.matches.count - (home.moreMatches ?? 0)
    func goesOn() -> Bool { room > 0 && acts.last?.isTooMuch != true }
    var load = BotLoad(matches: home.matches.count + (home.moreMatches ?? 0))
    for match in home.matches { load.add(match.opponent) }
    // For a rematch the service counts the invitations, too.
    var all = load
    all.matches += home.invitations.count + (home.moreInvitations ?? 0)
    for invitation in home.invitations { all.add(invitation.opponent) }
    if habits.acceptsInvitations {
      for invitation in home.invitations
      where goesOn() && load.hasRoom(for: invitation.opponent, invitation.turnLimit) {
        acts.append(
          try attempt(invitation.id) { () throws(ClientError) in
            .accepted(try player.accept(invitation.id))
          })
        load.matches += 1
        load.add(invitation.opponent)
        room -= 1
      }
    }
    if habits.acceptsRematches {
      for offer in home.rematchOffers
      where !offer.isYours && goesOn() && all.hasRoom(for: offer.opponent, nil) {
        acts.append(.rematched(offer.match, player.rematch(of: offer.match)))
        all.matches += 1
        all.add(offer.opponent)
        room -= 1
      }
    }
    return acts
  }

  /// How long to wait after a step. A refusal for too much lasts a while, and no other refusal is
  /// over at once.
  public static func pause(after acts: [Act]) -> Duration {
    if acts.contains(where: \.isTooMuch) { return .seconds(10) }
    return acts.allSatisfy(\.hasFailed) ? .seconds(1) : .zero
  }

  /// The turn that it would play in a match now.
  /// - Throws: `MatchViewFault` where the view does not agree with itself.
  public func decide(_ view: MatchView) throws(MatchViewFault) -> [Move] {
    brain.turn(
      in: try view.game(), seatCount: view.seats.count, lexicon: lexicons.named(view.lexicon))
  }

  private func play(_ match: MatchID) throws(ClientError) -> TurnReceipt {
    let view = try player.match(match)
    let moves: [Move]
    do throws(MatchViewFault) {
      moves = try decide(view)
    } catch {
      throw .unreadable(.malformed(error.description))
    }
    return try player.play(moves, in: view)
  }

  /// The request for the one match that it keeps open; nil where one is open or it has enough to
  /// do.
  private func request(_ home: HomeView) -> MatchRequest? {
    guard let seconds = habits.openTurnLimitSeconds, home.matches.count < habits.matchLimit,
      !home.matches.contains(where: { $0.kind == .random && $0.stage == .waiting })
    else { return nil }
    return MatchRequest(opponent: .random, turnLimitSeconds: seconds)
  }

  /// One act among several: its own failure does not hinder the others.
  private func attempt(
    _ match: MatchID?, _ act: () throws(ClientError) -> Act
  ) throws(ClientError) -> Act {
    do throws(ClientError) {
      return try act()
    } catch {
      switch error {
      case .refused, .queryRefused, .pending, .earlierPending, .foreignReply, .unreadable,
        .tooLarge:
        return .failed(match, error)
      case .unreachable, .notRegistered, .recovering, .rootKeyChanged, .serviceChanged, .outdated,
        .clockSkewed, .profile:
        throw error
      }
    }
  }
}

/// The matches that the service could not show. It can once they have another version.
private final class DamagedMatches {
  private var versions: [MatchID: Int64] = [:]

  func add(_ match: MatchSummary) { versions[match.id] = match.version }

  func has(_ match: MatchSummary) -> Bool { versions[match.id] == match.version }

  /// Forgets matches that are not listed any more.
  func keep(_ matches: [MatchSummary]) {
    guard !versions.isEmpty else { return }
    let listed = Set(matches.map(\.id))
    versions = versions.filter { listed.contains($0.key) }
  }
}

extension BotLoad {
  /// Whether the bot may begin one more match with a player.
  fileprivate func hasRoom(for player: PlayerID?, _ turnLimitSeconds: Int64?) -> Bool {
    // Nobody knows the bot by that id; the answer is a refusal or none, not who it is about.
    let unknown = PlayerID(rawValue: 0)
    return refusal(
      of: player ?? unknown, toPlay: unknown, turnLimitSeconds: turnLimitSeconds) == nil
  }

  /// Counts a match with a player as that player's. Nil: nobody plays there yet.
  fileprivate mutating func add(_ player: PlayerID?) {
    if let player { byPlayer[player, default: 0] += 1 }
  }
}

extension Bot.Act {
  /// Whether nothing came of it.
  fileprivate var hasFailed: Bool {
    switch self {
    case .failed, .rematched(_, .failed): true
    case .requested, .accepted, .rematched, .played: false
    }
  }

  /// Whether the service has refused for now, because one player wants too much.
  fileprivate var isTooMuch: Bool {
    let error: ClientError
    switch self {
    case .failed(_, let failure), .rematched(_, .failed(let failure)): error = failure
    case .requested, .accepted, .rematched, .played: return false
    }
    return switch error {
    case .refused(_, _, .rateLimited), .pending(_, .rateLimited), .earlierPending(_, .rateLimited):
      true
    default: false
    }
  }
}

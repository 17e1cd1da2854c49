import CubeRules
import CustomDump
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

/// Two players, and an act by the first that implies the second, prepared so far that it would be
/// accepted.
private struct Meet {
  /// What keeps the two apart, or might.
  enum Reason: CaseIterable {
    case none, gone, blockedByActor, blockedByOther, banned, bot, oneself
  }

  /// How an act is tried. An invitation is accepted by name and by code.
  enum Try: Hashable, CaseIterable {
    case act(MeetingAct)
    case joinByCode

    static let allCases = MeetingAct.allCases.map { Try.act($0) } + [.joinByCode]

    var act: MeetingAct {
      switch self {
      case .act(let act): act
      case .joinByCode: .accept
      }
    }
  }

  let tried: Try
  let reason: Reason
  let ann: LabPlayer
  /// The other player; Ann herself if she means herself.
  let bob: LabPlayer
  /// What Ann is about to do.
  var action: Event.Action
  /// The match that waits for anyone.
  var waiting: MatchID?

  init(_ tried: Try, _ reason: Reason, number: Int, on service: InProcessService) throws {
    self.tried = tried
    self.reason = reason
    ann = try service.player("Ann\(number)")
    bob = reason == .oneself ? ann : try service.player("Bob\(number)")
    let (ann, bob) = (ann, bob)
    let limit = 600 + Int64(number)
    func request(_ opponent: MatchRequest.Opponent) -> Event.Action {
      .matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: limit))
    }
    action = request(.random)
    // The worker has heard of Bob, and remembers that.
    if reason != .oneself { try ann.must(.playerUnblocked(bob.id)) }
    switch tried {
    case .act(.request): action = request(.player(bob.id))
    case .act(.accept):
      let invited = try #require(try bob.act(request(.player(ann.id))).ticket)
      action = .invitationAccepted(invited.match, code: nil)
    case .joinByCode:
      let open = try #require(try bob.act(request(.open)).ticket)
      action = .invitationAccepted(open.match, code: open.code)
    case .act(.chance): waiting = try #require(try bob.act(request(.random)).ticket).match
    case .act(.rematch), .act(.share), .act(.report):
      let over = try service.begin(ann, bob, limit: limit)
      try ann.must(.matchForfeited(over))
      action =
        switch tried.act {
        case .rematch: .rematchRequested(over)
        case .share: .gameShared(over)
        default: .reported(over, .conduct)
        }
    case .act(.nudge):
      let running = try service.begin(ann, bob, limit: limit)
      try ann.must(.turnPlayed(running, service.turn(service.match(running))))
      action = .nudged(running, turn: 2)
    case .act(.react):
      let running = try service.begin(bob, ann, limit: limit)
      try bob.must(.turnPlayed(running, service.firstWord(service.match(running))))
      let word = try #require(try service.match(running).game.playedWords.first)
      action = .reacted(running, turn: 1, word: word)
    case .act(.block): action = .playerBlocked(bob.id)
    case .act(.unblock): action = .playerUnblocked(bob.id)
    }
  }

  /// Makes the reason true.
  func part(on service: InProcessService) throws {
    switch reason {
    case .none, .oneself: break
    case .gone: #expect(try service.store.removePlayer(bob.id))
    case .blockedByActor: try ann.must(.playerBlocked(bob.id))
    case .blockedByOther: try bob.must(.playerBlocked(ann.id))
    case .banned: #expect(try service.store.revoke(bob.key.publicKey))
    case .bot: try bob.must(.settingsChanged(SettingsChange(isBot: true)))
    }
  }

  /// The refusal that Ann has to get. Nil: the act is accepted.
  var refusal: Refusal? {
    switch (reason, tried.act) {
    case (.oneself, .request): .opponentIsYourself
    case (.oneself, .block), (.oneself, .unblock): .playerIsYourself
    case (.none, _), (.oneself, _), (_, .report), (_, .share), (_, .chance): nil
    case (.gone, _): .unknownPlayer(bob.id)
    case (_, .block), (_, .unblock): nil
    case (.blockedByActor, _): .blockedByYou(bob.id)
    case (.blockedByOther, _), (.banned, _): .playerUnavailable(bob.id)
    case (.bot, .nudge): .nudgesRefused(bob.id)
    case (.bot, _): nil
    }
  }

  /// Whether the two may become opponents.
  var mayMeet: Bool { reason == .none || reason == .bot }
}

@Suite("Whether a player may be met")
struct MeetingTests {
  private static func service() throws -> InProcessService {
    var options = InProcessService.Options()
    options.roles += [.scheduler]
    return try InProcessService(options)
  }

  /// It goes through every act and every reason, which nothing else does.
  @Test("Every act that implies another player asks one question, whatever keeps the two apart")
  func everyActAndReason() throws {
    let service = try Self.service()
    var meets: [Meet] = []
    for reason in Meet.Reason.allCases {
      // Any other act names a match, and means whoever else sits there.
      let named: [MeetingAct] = [.request, .block, .unblock]
      for tried in Meet.Try.allCases where reason != .oneself || named.contains(tried.act) {
        meets.append(try Meet(tried, reason, number: meets.count, on: service))
      }
    }
    // A quarter of a turn's time passes. Without a scheduler the matches of those who go stay.
    service.pass(.seconds(180), step: 1_000_000)
    service.stop(.scheduler)
    for meet in meets { try meet.part(on: service) }
    for meet in meets {
      let reply = try meet.ann.act(meet.action)
      let what = "\(meet.tried) where \(meet.reason)"
      #expect(reply.refusal == meet.refusal, "\(what)")
      guard meet.tried == .act(.chance) else { continue }
      let own = try #require(reply.ticket, "\(what)").match
      #expect((own == meet.waiting) == meet.mayMeet, "\(what)")
      guard !meet.mayMeet else { continue }
      // Nor does the steward bring the two together.
      service.pass(.seconds(2))
      #expect(try service.match(own).players == [meet.ann.id], "\(what)")
      try meet.ann.must(.requestWithdrawn(own))
    }
    #expect(try service.looking { try $0.gone(nil, 1_000) }.allSatisfy { $0.remains.isEmpty })
    #expect(try service.violations() == [])
  }

  @Test("When an account ends, its matches end at once as if given up, and the others are told")
  func accountEnds() throws {
    let service = try Self.service()
    let (ann, bob) = try service.pair()
    func request(_ opponent: MatchRequest.Opponent, limit: Int64? = 60 * 60) -> Event.Action {
      .matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: limit))
    }
    let played = try service.begin(ann, bob)
    try ann.must(.turnPlayed(played, service.turn(service.match(played))))
    try bob.must(.turnPlayed(played, service.turn(service.match(played))))
    let begun = try service.begin(ann, bob)
    let over = try service.begin(ann, bob)
    try ann.must(.matchForfeited(over))
    try bob.must(.rematchRequested(over))
    let invited = try #require(try bob.act(request(.player(ann.id), limit: 61)).ticket).match
    let inviting = try #require(try ann.act(request(.player(bob.id), limit: 62)).ticket).match
    let open = try #require(try bob.act(request(.open)).ticket)
    let waiting = try #require(try bob.act(request(.random)).ticket).match
    let alone = try #require(try bob.act(request(.nobody, limit: nil)).ticket).match
    let before = Set(try service.jobs().map(\.job.id))

    #expect(try service.store.removePlayer(bob.id))
    service.pass(.seconds(5))

    func outcome(_ match: MatchID) throws -> Outcome? { try service.match(match).outcome }
    func ended(_ reason: Outcome.Reason, _ seat: Int?, _ results: [Outcome.Result]) -> Outcome {
      Outcome(reason: reason, seat: seat, results: results)
    }
    expectNoDifference(try outcome(played), ended(.forfeited, 1, [.won, .lost]))
    expectNoDifference(try outcome(begun), ended(.aborted, 1, [.none, .none]))
    expectNoDifference(try outcome(invited), ended(.withdrawn, 0, [.none, .none]))
    expectNoDifference(try outcome(inviting), ended(.declined, 1, [.none, .none]))
    expectNoDifference(try outcome(open.match), ended(.withdrawn, 0, [.none, .none]))
    expectNoDifference(try outcome(waiting), ended(.withdrawn, 0, [.none, .none]))
    expectNoDifference(try outcome(alone), ended(.finished, nil, [.completed]))
    // The offer of a rematch is gone, and the code leads to a match that is over.
    #expect(try ann.act(.rematchDeclined(over)).refusal == .noRematchOffer)
    #expect(try ann.act(.rematchRequested(over)).refusal == .unknownPlayer(bob.id))
    #expect(
      try ann.act(.invitationAccepted(open.match, code: open.code)).refusal
        == .matchOver(ended(.withdrawn, 0, [.none, .none])))

    let told = try service.jobs().filter {
      $0.job.kind == .matchEnded && !before.contains($0.job.id)
    }
    #expect(told.allSatisfy { $0.job.player == ann.id })
    #expect(
      told.compactMap(\.job.match).sorted() == [played, begun, invited, inviting].sorted())
    #expect(told.allSatisfy { $0.fate == .delivered })
    #expect(try service.looking { try $0.gone(nil, 10) } == [GonePlayer(player: bob.id)])
    #expect(try service.violations() == [])
  }
}

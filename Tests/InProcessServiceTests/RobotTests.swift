import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

@Suite("Matches against robots")
struct RobotTests {
  private let tooMany = Refusal.rateLimited(.botMatches, retryAfterSeconds: nil)

  private func service() throws -> InProcessService {
    var options = InProcessService.Options()
    options.limits = .standard
    return try InProcessService(options)
  }

  private func robot(_ service: InProcessService) throws -> LabPlayer {
    let robot = try service.player("Robbie")
    try robot.must(.settingsChanged(SettingsChange(isBot: true)))
    return robot
  }

  private func invitation(to player: LabPlayer, _ limit: Int64 = 3_600) -> Event.Action {
    .matchRequested(MatchRequest(opponent: .player(player.id), turnLimitSeconds: limit))
  }

  @Test("I have three matches with a robot, a day a turn, and a fourth when one is over")
  func onePlayer() throws {
    let service = try service()
    let (robot, ann) = (try robot(service), try service.player("Ann"))
    let month: Int64 = 30 * 86_400
    #expect(
      try ann.act(invitation(to: robot, month)).refusal == .turnLimitInvalid(month))
    let matches = try (0..<3).map { _ in try service.begin(ann, robot, limit: 86_400) }
    #expect(try ann.act(invitation(to: robot)).refusal == tooMany)
    try ann.must(.matchForfeited(matches[0]))
    try ann.must(.rematchRequested(matches[0]))
    _ = try service.begin(ann, robot)
    #expect(
      try robot.act(.rematchRequested(matches[0])).refusal == .playerUnavailable(ann.id))
    #expect(try ann.act(.rematchRequested(matches[0])).refusal == tooMany)
    #expect(try service.violations() == [])
  }

  @Test("Chance, too, gives me three matches with a robot")
  func chance() throws {
    let service = try service()
    let (robot, ann) = (try robot(service), try service.player("Ann"))
    let request = Event.Action.matchRequested(
      MatchRequest(opponent: .random, turnLimitSeconds: 86_400))
    func isJoined() throws -> Bool {
      try robot.must(request)
      guard case .matchJoined = try ann.must(request) else { return false }
      return true
    }
    #expect(try (0..<4).map { _ in try isJoined() } == [true, true, true, false])
    #expect(try service.violations() == [])
  }

  @Test("The last places of a robot are for those who have none, and a full robot takes nobody")
  func newcomers() throws {
    let service = try service()
    let robot = try robot(service)
    var players: [LabPlayer] = []
    let common = BotLimits.matches - BotLimits.keptForNewcomers
    for number in 0..<common {
      if number % BotLimits.matchesOfPlayer == 0 {
        players.append(try service.player("Guest\(number)"))
      }
      _ = try service.begin(players[players.count - 1], robot)
    }
    let last = players[players.count - 1]
    #expect(try last.act(invitation(to: robot)).refusal == tooMany)
    for number in 0..<BotLimits.keptForNewcomers {
      _ = try service.begin(service.player("New\(number)"), robot)
    }
    #expect(
      try service.player("Late").act(invitation(to: robot)).refusal
        == .playerUnavailable(robot.id))
    #expect(try service.violations() == [])
  }

  @Test("The robot's program takes what the service lets through, and leaves what is older")
  func program() throws {
    let service = try service()
    let robot = try service.client("Robbie")
    let ann = try service.player("Ann")
    let id = try #require(robot.profile.player)
    // Ann has invited before the account was a bot's.
    let long = try ann.sign(
      .matchRequested(MatchRequest(opponent: .player(id), turnLimitSeconds: 30 * 86_400)))
    #expect(try ann.send(long).refusal == nil)
    try robot.declareBot()
    let short = try ann.sign(
      .matchRequested(MatchRequest(opponent: .player(id), turnLimitSeconds: 3_600)))
    #expect(try ann.send(short).refusal == nil)
    var habits = Bot.Habits()
    habits.openTurnLimitSeconds = nil
    let bot = Bot(
      player: robot, lexicons: service.lexicons, randomness: .live, habits: habits)
    let acts = try bot.step()
    guard acts.count == 1, case .accepted(let ticket)? = acts.first else {
      Issue.record("\(acts)")
      return
    }
    #expect(ticket.match == short.newMatch)
    #expect(try service.match(long.newMatch).stage == .waiting)
  }
}

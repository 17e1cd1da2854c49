import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("What players do and see, in one process")
struct SceneTests {
  private static func service(_ more: RoleName...) throws -> InProcessService {
    var options = InProcessService.Options()
    options.roles += more
    return try InProcessService(options)
  }

  @Test("Two play to the last cube, look back and begin a rematch")
  func completeMatch() throws {
    var options = InProcessService.Options()
    options.lexicons = .standard
    let service = try InProcessService(options)
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try Scenes.playToTheEnd(ann, bob)
    try Scenes.lookBack(at: match, ann, bob, rootKey: service.identity.rootKey)
    let first = ann.rematch(of: match)
    guard case .offered(match, _) = first, case .started(let ticket) = bob.rematch(of: match)
    else {
      Issue.record("no rematch: \(first)")
      return
    }
    #expect(try ann.match(match).successor == ticket.match)
    #expect(try service.violations() == [])
    #expect(service.pushes.taken.last?.kind == .rematchStarted)
  }

  @Test(
    "Both see their matches, run, best words and series, blocked or not; a third sees nothing of it"
  )
  func headToHead() throws { try Scenes.headToHead(on: Self.service()) }

  @Test(
    "I share a game; a player with the code sees it and verifies its record, one without does not")
  func sharing() throws { try Scenes.sharing(on: Self.service()) }

  @Test("The home list tells its own player that the account is to end, until that is taken back")
  func leaving() throws {
    let service = try Self.service()
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    #expect(try ann.home().leavesAt == nil)
    try ann.change(SettingsChange(isLeaving: true))
    #expect(try ann.home().leavesAt != nil && ann.home().recoveryAt == nil)
    #expect(try bob.home().leavesAt == nil)
    try ann.change(SettingsChange(isLeaving: false))
    #expect(try ann.home().leavesAt == nil)
  }

  @Test("I look for the games that I lost against one opponent")
  func pastGames() throws { try Scenes.pastGames(on: Self.service()) }

  @Test(
    "The other player sees the word, is told unless that is off, and the record verifies")
  func reaction() throws { try Scenes.reaction(on: Self.service()) }

  @Test("A declined asker reads the other player's name, unless that is switched off")
  func decline() throws { try Scenes.decline(on: Self.service()) }

  @Test(
    "Bob turns a kind off and hears of the others only; Ann's display name is in his messages")
  func kinds() throws { try Scenes.kinds(on: Self.service()) }

  @Test("Bob's phone is denied and nothing is sent; a tablet that may be told gets it")
  func devices() throws { try Scenes.devices(on: Self.service()) }

  @Test(
    "A match that is given up before its first turn counts for nobody, and its record verifies")
  func aborted() throws {
    let service = try Self.service(.rater)
    try Scenes.aborted(on: service)
    service.pass(.seconds(10))
    #expect(try service.violations() == [])
  }

  @Test("I play 180 seconds; then the game is over, and its record verifies")
  func timedSolo() throws { try Scenes.timedSolo(on: Self.service()) }

  @Test("I play today's challenge in both modes, each once; the timed one ends by itself")
  func dailies() throws { try Scenes.dailies(on: Self.service(.scheduler)) }

  @Test("I see my results of the daily and my history")
  func dailyHistory() throws { try Scenes.dailyHistory(on: Self.service(.scheduler)) }

  @Test("I play alone and see my place, also when the scheduler was away meanwhile")
  func places() throws {
    let service = try Self.service()
    try Scenes.places(on: service) { try service.start(.scheduler) }
  }

  @Test(
    "Two play rated matches, their ratings move and the ladder shows both; casual ones do not count"
  )
  func ladder() throws { try Scenes.ladder(on: Self.service(.rater)) }

  @Test(
    "I block somebody: we do not meet in any way, our match goes on, and nobody is told why")
  func block() throws { try Scenes.block(on: Self.service()) }

  @Test("My program lists the players that I have blocked, and only I see it")
  func blockList() throws { try Scenes.blockList(on: Self.service()) }

  @Test("Ann sees the service's version and limits, and how many play today's dailies")
  func serviceInfo() throws {
    let service = try Self.service(.scheduler)
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    try service.wait(for: "both are dealt") {
      try ann.home().daily.isDealt && ann.home().timedDaily?.isDealt == true
    }
    let daily = try ann.home().daily.daily
    var timed = daily
    timed.mode = .timed
    for player in [ann, bob] { _ = try player.startDaily(daily) }
    _ = try bob.startDaily(timed)
    try service.wait(for: "who plays is counted") {
      try ann.serviceInfo().dailies == [
        .init(daily: daily, players: 2), .init(daily: timed, players: 1),
      ]
    }
    let info = try ann.serviceInfo()
    #expect(info.version == Release.number && info.oldestClient == .oldestServed)
    #expect(info.limits == .current)
    #expect(info.registration == .open)
    // A program that is too old is told so, and which one it takes.
    ann.version = ProgramVersion(major: 0, minor: 0, patch: 9)
    let error = #expect(throws: ClientError.self) { _ = try ann.serviceInfo() }
    #expect(error == .outdated(version: ann.version, oldest: .oldestServed))
  }
}

import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

@Suite("The ladder and accounts that are made to lose")
struct LadderTests {
  private static func service() throws -> InProcessService {
    var options = InProcessService.Options()
    options.roles.append(.rater)
    return try InProcessService(options)
  }

  /// One whose account is thrown away gives a match up, after a word of Ann's or only removals.
  private static func lose(
    _ loser: LabPlayer, to ann: LabPlayer, hasWord: Bool, on service: InProcessService
  ) throws {
    let match = try service.begin(ann, loser)
    let state = try service.match(match)
    try ann.must(.turnPlayed(match, hasWord ? service.firstWord(state) : service.turn(state)))
    try loser.must(.matchForfeited(match))
    try service.wait(for: "it is rated") { service.store.ratings.queue.isEmpty }
  }

  private static func standing(
    _ player: LabPlayer, on service: InProcessService
  ) -> PlayerRating {
    service.store.ratings.standings[player.id]?.after ?? .initial
  }

  @Test("Matches that others give up before I have played a word lift me nowhere")
  func withoutWord() throws {
    let service = try Self.service()
    let ann = try service.player("Ann")
    for number in 0..<4 {
      try Self.lose(try service.player("Loser\(number)"), to: ann, hasWord: false, on: service)
    }
    service.pass(.seconds(2))
    #expect(Self.standing(ann, on: service) == .initial)
    #expect(try service.violations() == [])
  }

  @Test(
    "Whoever leaves after another one's word loses; whoever leaves after the own word wins nobody a thing"
  )
  func leaving() throws {
    let service = try Self.service()
    let (ann, bob) = try service.pair()
    try Self.lose(bob, to: ann, hasWord: true, on: service)
    try service.wait(for: "it is rated") { Self.standing(bob, on: service).matchCount == 1 }
    #expect(Self.standing(bob, on: service).rating.points < 1_500)
    let match = try service.begin(ann, bob)
    try ann.must(.turnPlayed(match, service.firstWord(service.match(match))))
    try ann.must(.matchForfeited(match))
    service.pass(.seconds(2))
    #expect(Self.standing(ann, on: service).matchCount == 1)
    #expect(try service.violations() == [])
  }

  @Test("One willing loser lifts me five times a day, and never onto the ladder")
  func willingLoser() throws {
    let service = try Self.service()
    let (ann, bob) = try service.pair()
    for _ in 0..<7 { try Self.lose(bob, to: ann, hasWord: true, on: service) }
    try service.wait(for: "all are rated") { service.store.ratings.results.count == 7 }
    #expect(Self.standing(ann, on: service).matchCount == RatingLedger.meetingLimit)
    let eve = try service.client("Eve")
    #expect(try eve.ladder() == Ladder(rows: [], you: nil, around: [], outOf: 0))
    #expect(try service.violations() == [])
  }
}

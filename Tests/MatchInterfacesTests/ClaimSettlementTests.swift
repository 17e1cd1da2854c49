import MatchCore
import MatchInterfaces
import Testing

@Suite("Settling the claims of a batch")
struct ClaimSettlementTests {
  let anna = PlayerID(rawValue: 1)
  let ben = PlayerID(rawValue: 2)
  let cleo = PlayerID(rawValue: 3)
  let terms = Terms(kind: .random, turnLimitSeconds: 60, language: .english)

  func key(_ player: PlayerID, _ number: UInt128) -> EventKey {
    EventKey(player: player, event: EventID(at: Instant(microseconds: 1_000), random: number))
  }

  func match(of key: EventKey) -> MatchID { MatchID(askedBy: key.player, event: key.event) }

  @Test("Who asks second in a batch finds the match that the first one begins")
  func twoStrangers() {
    var settlement = ClaimSettlement(facts: [:])
    let (first, second) = (key(anna, 1), key(ben, 2))
    #expect(settlement.settle(.seat(terms, for: anna), for: first) == .nothing)
    #expect(
      settlement.settle(.seat(terms, for: ben), for: second) == .match(match(of: first)))
  }

  @Test("A third one in the batch does not get a seat that is taken already")
  func threeStrangers() {
    var settlement = ClaimSettlement(facts: [:])
    _ = settlement.settle(.seat(terms, for: anna), for: key(anna, 1))
    _ = settlement.settle(.seat(terms, for: ben), for: key(ben, 2))
    #expect(settlement.settle(.seat(terms, for: cleo), for: key(cleo, 3)) == .nothing)
  }

  @Test("Nobody meets himself, neither in the batch nor in the store")
  func neverOneself() {
    let waiting = ClaimFacts.Waiting(match: MatchID(rawValue: 9), player: anna)
    var settlement = ClaimSettlement(
      facts: [.seat(terms, for: anna): .waiting([waiting])])
    #expect(settlement.settle(.seat(terms, for: anna), for: key(anna, 1)) == .nothing)
    #expect(settlement.settle(.seat(terms, for: anna), for: key(anna, 2)) == .nothing)
  }

  @Test("Who waits longest in the store is met first, and only once")
  func longestWaiting() {
    let rows = [
      ClaimFacts.Waiting(match: MatchID(rawValue: 8), player: anna),
      ClaimFacts.Waiting(match: MatchID(rawValue: 9), player: anna),
    ]
    var settlement = ClaimSettlement(facts: [
      .seat(terms, for: ben): .waiting(rows), .seat(terms, for: cleo): .waiting(rows),
    ])
    #expect(
      settlement.settle(.seat(terms, for: ben), for: key(ben, 1)) == .match(rows[0].match))
    #expect(
      settlement.settle(.seat(terms, for: cleo), for: key(cleo, 2)) == .match(rows[1].match))
  }

  @Test("Different terms do not meet")
  func differentTerms() {
    var settlement = ClaimSettlement(facts: [:])
    let slower = Terms(kind: .random, turnLimitSeconds: 3_600, language: .english)
    _ = settlement.settle(.seat(terms, for: anna), for: key(anna, 1))
    #expect(settlement.settle(.seat(slower, for: ben), for: key(ben, 2)) == .nothing)
  }

  @Test("Two who invite each other in one batch get one match")
  func mutualInvitation() {
    var settlement = ClaimSettlement(facts: [:])
    let (first, second) = (key(anna, 1), key(ben, 2))
    let one = Claim.pair(anna, ben, terms, match: match(of: first))
    let other = Claim.pair(ben, anna, terms, match: match(of: second))
    #expect(settlement.settle(one, for: first) == .granted)
    #expect(settlement.settle(other, for: second) == .match(match(of: first)))
  }

  @Test("An invitation that stands in the store is found")
  func standingInvitation() {
    let claim = Claim.pair(anna, ben, terms, match: MatchID(rawValue: 5))
    var settlement = ClaimSettlement(facts: [claim: .heldBy(MatchID(rawValue: 7))])
    #expect(settlement.settle(claim, for: key(anna, 1)) == .match(MatchID(rawValue: 7)))
  }

  @Test("A name goes to the first who asks for it, whatever its case")
  func oneName() throws {
    var settlement = ClaimSettlement(facts: [:])
    let (name, shouted) = (try #require(PlayerName("anna")), try #require(PlayerName("ANNA")))
    #expect(settlement.settle(.name(name, anna, code: nil), for: key(anna, 1)) == .granted)
    #expect(settlement.settle(.name(shouted, ben, code: nil), for: key(ben, 2)) == .nameTaken)
  }

  @Test("A registration code admits one player, also within one batch")
  func oneCode() throws {
    var settlement = ClaimSettlement(facts: [:])
    let code = try #require(ShareCode("WELCOME1"))
    let (name, other) = (try #require(PlayerName("anna")), try #require(PlayerName("ben")))
    #expect(settlement.settle(.name(name, anna, code: code), for: key(anna, 1)) == .granted)
    #expect(settlement.settle(.name(other, ben, code: code), for: key(ben, 2)) == .codeInvalid)
  }

  @Test(
    "What the store says of a name decides",
    arguments: [
      (ClaimFacts.nameTaken, ClaimResult.nameTaken), (.codeRequired, .codeRequired),
      (.codeInvalid, .codeInvalid), (.free, .granted),
    ])
  func storeDecides(fact: ClaimFacts, result: ClaimResult) throws {
    let claim = Claim.name(try #require(PlayerName("anna")), anna, code: nil)
    var settlement = ClaimSettlement(facts: [claim: fact])
    #expect(settlement.settle(claim, for: key(anna, 1)) == result)
  }
}

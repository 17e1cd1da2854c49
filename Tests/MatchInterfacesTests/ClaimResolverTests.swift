import MatchCore
import MatchInterfaces
import Testing

@Suite("Resolving the claims of a batch")
struct ClaimResolverTests {
  let anna = PlayerID(rawValue: 1)
  let ben = PlayerID(rawValue: 2)
  let cleo = PlayerID(rawValue: 3)
  let now = Instant(microseconds: 5_000_000)
  let terms = Terms(kind: .random, turnLimitSeconds: 60, language: .english)

  func key(_ player: PlayerID, _ number: UInt128) -> EventKey {
    EventKey(player: player, event: EventID(at: Instant(microseconds: 1_000), random: number))
  }

  func match(of key: EventKey) -> MatchID { MatchID(askedBy: key.player, event: key.event) }

  func waiting(_ match: UInt128, _ player: PlayerID, since: Int64 = 1_000_000) -> Pairing.Waiting {
    Pairing.Waiting(
      match: MatchID(rawValue: match),
      seeker: .init(player: player, rating: 1_500, since: Instant(microseconds: since)))
  }

  func reason(waited: Int64) -> MeetingReason {
    MeetingReason(
      ratingDistance: 0, window: Pairing.window(afterSeconds: waited), waitedSeconds: waited)
  }

  @Test("The second asker in a batch finds the match that the first one begins")
  func twoStrangers() {
    var resolver = ClaimResolver(facts: [:])
    let (first, second) = (key(anna, 1), key(ben, 2))
    #expect(resolver.resolve(.seat(terms, for: anna), for: first, at: now) == .nothing)
    #expect(
      resolver.resolve(.seat(terms, for: ben), for: second, at: now)
        == .seat(match(of: first), reason(waited: 0)))
  }

  @Test("A third one in the batch does not get a seat that is taken already")
  func threeStrangers() {
    var resolver = ClaimResolver(facts: [:])
    _ = resolver.resolve(.seat(terms, for: anna), for: key(anna, 1), at: now)
    _ = resolver.resolve(.seat(terms, for: ben), for: key(ben, 2), at: now)
    #expect(resolver.resolve(.seat(terms, for: cleo), for: key(cleo, 3), at: now) == .nothing)
  }

  @Test("Nobody meets himself, neither in the batch nor in the store")
  func neverOneself() {
    let own = waiting(9, anna)
    var resolver = ClaimResolver(
      facts: [.seat(terms, for: anna): .waiting(.init(rating: 1_500, waiting: [own]))])
    #expect(resolver.resolve(.seat(terms, for: anna), for: key(anna, 1), at: now) == .nothing)
    #expect(resolver.resolve(.seat(terms, for: anna), for: key(anna, 2), at: now) == .nothing)
  }

  @Test("The longest waiting player in the store is met first, and only once")
  func longestWaiting() {
    let found = ClaimFacts.Waiters(
      rating: 1_500, waiting: [waiting(9, anna, since: 2_000_000), waiting(8, anna)])
    var resolver = ClaimResolver(facts: [
      .seat(terms, for: ben): .waiting(found), .seat(terms, for: cleo): .waiting(found),
    ])
    #expect(
      resolver.resolve(.seat(terms, for: ben), for: key(ben, 1), at: now)
        == .seat(MatchID(rawValue: 8), reason(waited: 4)))
    #expect(
      resolver.resolve(.seat(terms, for: cleo), for: key(cleo, 2), at: now)
        == .seat(MatchID(rawValue: 9), reason(waited: 3)))
  }

  @Test("A blocked player is passed over, in the store and in the batch")
  func blocked() {
    let found = ClaimFacts.Waiters(rating: 1_500, waiting: [waiting(9, anna)])
    var resolver = ClaimResolver(facts: [.seat(terms, for: ben): .waiting(found)])
    let mayNot = { [anna] (player: PlayerID) in player != anna }
    let mayNotMeetBen = { [ben] (player: PlayerID) in player != ben }
    #expect(
      resolver.resolve(.seat(terms, for: ben), for: key(ben, 1), at: now, mayMeet: mayNot)
        == .nothing)
    #expect(
      resolver.resolve(
        .seat(terms, for: cleo), for: key(cleo, 2), at: now, mayMeet: mayNotMeetBen)
        == .nothing)
  }

  @Test("A player too far away by rating begins a new match, and is met by a nearer one")
  func tooFar() {
    var resolver = ClaimResolver(facts: [
      .seat(terms, for: ben): .waiting(.init(rating: 1_900, waiting: [waiting(9, anna)])),
      .seat(terms, for: cleo): .waiting(.init(rating: 1_850)),
    ])
    #expect(
      resolver.resolve(.seat(terms, for: ben), for: key(ben, 1), at: now) == .nothing)
    #expect(
      resolver.resolve(.seat(terms, for: cleo), for: key(cleo, 2), at: now)
        == .seat(
          match(of: key(ben, 1)),
          MeetingReason(ratingDistance: 50, window: 100, waitedSeconds: 0)))
  }

  @Test("Different terms do not meet")
  func differentTerms() {
    var resolver = ClaimResolver(facts: [:])
    let slower = Terms(kind: .random, turnLimitSeconds: 3_600, language: .english)
    _ = resolver.resolve(.seat(terms, for: anna), for: key(anna, 1), at: now)
    #expect(resolver.resolve(.seat(slower, for: ben), for: key(ben, 2), at: now) == .nothing)
  }

  @Test("Mutual invitations in one batch make one match")
  func mutualInvitation() {
    var resolver = ClaimResolver(facts: [:])
    let (first, second) = (key(anna, 1), key(ben, 2))
    let one = Claim.pair(anna, ben, terms, match: match(of: first))
    let other = Claim.pair(ben, anna, terms, match: match(of: second))
    #expect(resolver.resolve(one, for: first, at: now) == .granted)
    #expect(resolver.resolve(other, for: second, at: now) == .match(match(of: first)))
  }

  @Test("An invitation that stands in the store is found")
  func standingInvitation() {
    let claim = Claim.pair(anna, ben, terms, match: MatchID(rawValue: 5))
    var resolver = ClaimResolver(facts: [claim: .heldBy(MatchID(rawValue: 7))])
    #expect(resolver.resolve(claim, for: key(anna, 1), at: now) == .match(MatchID(rawValue: 7)))
  }

  @Test("A name goes to the first request for it, in capitals or not")
  func oneName() throws {
    var resolver = ClaimResolver(facts: [:])
    let (name, shouted) = (try #require(PlayerName("anna")), try #require(PlayerName("ANNA")))
    #expect(resolver.resolve(.name(name, anna, code: nil), for: key(anna, 1), at: now) == .granted)
    #expect(
      resolver.resolve(.name(shouted, ben, code: nil), for: key(ben, 2), at: now) == .nameTaken)
  }

  @Test("A registration code admits one player, also within one batch")
  func oneCode() throws {
    var resolver = ClaimResolver(facts: [:])
    let code = try #require(ShareCode("WELCOME1"))
    let (name, other) = (try #require(PlayerName("anna")), try #require(PlayerName("ben")))
    #expect(
      resolver.resolve(.name(name, anna, code: code), for: key(anna, 1), at: now) == .granted)
    #expect(
      resolver.resolve(.name(other, ben, code: code), for: key(ben, 2), at: now) == .codeInvalid)
  }

  @Test(
    "The store's word on a name decides",
    arguments: [
      (ClaimFacts.nameTaken, ClaimResult.nameTaken), (.codeRequired, .codeRequired),
      (.codeInvalid, .codeInvalid), (.free, .granted),
    ])
  func storeDecides(fact: ClaimFacts, result: ClaimResult) throws {
    let claim = Claim.name(try #require(PlayerName("anna")), anna, code: nil)
    var resolver = ClaimResolver(facts: [claim: fact])
    #expect(resolver.resolve(claim, for: key(anna, 1), at: now) == result)
  }
}

import CubistBasics
import Foundation
import Testing

@testable import MatchCore

@Suite("Ratings")
struct GlickoTests {
  private let ann = TestPlayer.ann.id
  private let bob = TestPlayer.bob.id
  private let noon = Instant(microseconds: 1_777_636_800_000_000)

  private func match(_ result: Outcome.Result, _ other: Outcome.Result) -> RatedMatch {
    RatedMatch(match: MatchID(rawValue: 1), endedAt: noon, results: [ann: result, bob: other])
  }

  private func random(_ generator: inout SplitMix64) -> Rating {
    Rating(
      value: .random(in: Rating.bounds, using: &generator),
      deviation: .random(in: Rating.deviationBounds, using: &generator),
      volatility: .random(in: Rating.volatilityBounds, using: &generator))
  }

  @Test("The worked example of Glickman's paper comes out as printed")
  func workedExample() {
    func opponent(_ value: Int64, _ deviation: Int64, _ score: Double) -> Glicko2.Opponent {
      Glicko2.Opponent(
        rating: Rating(
          valueMillionths: value * 1_000_000, deviationMillionths: deviation * 1_000_000,
          volatilityBillionths: 60_000_000), score: score)
    }
    let player = Rating(value: 1_500, deviation: 200, volatility: 0.06)
    let after = Glicko2.rating(
      player, after: [opponent(1_400, 30, 1), opponent(1_550, 100, 0), opponent(1_700, 300, 0)],
      periods: 1)
    // The paper rounds on the way: its 1464.06 is 1464.05 when nothing is rounded.
    #expect(abs(after.value - 1_464.06) < 0.02)
    #expect(abs(after.deviation - 151.52) < 0.005)
    #expect(abs(after.volatility - 0.05999) < 0.000_01)
  }

  @Test("Exponential and logarithm are those of the C library to the last digits")
  func realMath() {
    var generator = SplitMix64(state: 11 &* SplitMix64.increment)
    for _ in 0..<2_000 {
      let x = Double.random(in: -700...700, using: &generator)
      #expect(abs(RealMath.exp(x) / exp(x) - 1) < 1e-14, "exp \(x)")
      let y = exp(Double.random(in: -700...700, using: &generator))
      #expect(abs(RealMath.log(y) - log(y)) <= 4e-16 * max(1, abs(log(y))), "log \(y)")
    }
    #expect(RealMath.exp(0) == 1)
    #expect(RealMath.log(1) == 0)
  }

  @Test("Two newcomers: the winner gains as much as the loser loses, and both are surer")
  func newcomers() throws {
    let after = match(.won, .lost).ratings { _ in .initial }
    let (winner, loser) = (try #require(after[ann]), try #require(after[bob]))
    #expect(winner.rating.points == 1_662)
    #expect(loser.rating.points == 1_338)
    #expect(winner.rating.deviationPoints == 290)
    #expect(loser.rating.deviationPoints == 290)
    #expect(winner.matchCount == 1 && winner.ratedAt == noon)
    #expect(winner.rating.isProvisional)
    let tied = match(.tied, .tied).ratings { _ in .initial }
    #expect(tied[ann]?.rating.points == 1_500)
  }

  @Test("An opponent with a long absence counts for less than one with a recent game")
  func opponentsAge() throws {
    let rating = Rating(value: 1_700, deviation: 60, volatility: 0.06)
    let own = PlayerRating(
      rating: Rating(value: 1_500, deviation: 80, volatility: 0.06), ratedAt: noon, matchCount: 9)
    func gain(opponentRatedAt time: Instant) throws -> Int64 {
      let other = PlayerRating(rating: rating, ratedAt: time, matchCount: 9)
      let after = match(.won, .lost).ratings { $0 == ann ? own : other }
      return try #require(after[ann]).rating.valueMillionths - own.rating.valueMillionths
    }
    let fresh = try gain(opponentRatedAt: noon)
    let year = try gain(opponentRatedAt: noon.adding(seconds: -365 * 86_400))
    let threeYears = try gain(opponentRatedAt: noon.adding(seconds: -3 * 365 * 86_400))
    #expect(fresh > year && year > threeYears && threeYears > 0)
    // The year-old rating counts as the same one with the deviation that it has grown to.
    let yearAgo = noon.adding(seconds: -365 * 86_400)
    let grown = PlayerRating(rating: rating, ratedAt: yearAgo, matchCount: 9).rating(at: noon)
    #expect(grown.deviationPoints > rating.deviationPoints)
    let after = match(.won, .lost).ratings {
      $0 == ann ? own : PlayerRating(rating: grown, ratedAt: noon, matchCount: 9)
    }
    #expect(
      try #require(after[ann]).rating.valueMillionths - own.rating.valueMillionths == year)
  }

  @Test("Properties of any match", arguments: 1...20 as ClosedRange<UInt64>)
  func properties(seed: UInt64) throws {
    var generator = SplitMix64(state: seed &* SplitMix64.increment)
    for _ in 0..<50 {
      let since = noon.adding(seconds: -.random(in: 0...40_000_000, using: &generator))
      let one = PlayerRating(rating: random(&generator), ratedAt: since, matchCount: 3)
      let other = PlayerRating(rating: random(&generator), ratedAt: nil, matchCount: 0)
      func after(_ own: Outcome.Result, _ theirs: Outcome.Result) -> [PlayerID: PlayerRating] {
        match(own, theirs).ratings { $0 == ann ? one : other }
      }
      let (won, tied, lost) = (after(.won, .lost), after(.tied, .tied), after(.lost, .won))
      func value(_ ratings: [PlayerID: PlayerRating], _ player: PlayerID) throws -> Int64 {
        try #require(ratings[player]).rating.valueMillionths
      }
      // A better result is never worse for a player, and a gain for one is a loss for the other.
      #expect(try value(won, ann) >= value(tied, ann))
      #expect(try value(tied, ann) >= value(lost, ann))
      #expect(try value(won, bob) <= value(tied, bob))
      #expect(try value(tied, bob) <= value(lost, bob))
      #expect(try value(won, ann) >= one.rating.valueMillionths)
      #expect(try value(lost, ann) <= one.rating.valueMillionths)
      for rating in [won, tied, lost].flatMap(\.values).map(\.rating) {
        #expect(Rating.bounds.contains(rating.value))
        #expect(Rating.deviationBounds.contains(rating.deviation))
        #expect(Rating.volatilityBounds.contains(rating.volatility))
      }
    }
  }

  @Test("The sides of a match do not matter, and equals gain and lose the same")
  func symmetry() throws {
    var generator = SplitMix64(state: 5 &* SplitMix64.increment)
    for _ in 0..<200 {
      let rating = Rating(
        value: 1_500, deviation: .random(in: Rating.deviationBounds, using: &generator),
        volatility: .random(in: Rating.volatilityBounds, using: &generator))
      let equal = PlayerRating(rating: rating, ratedAt: noon, matchCount: 9)
      let after = match(.won, .lost).ratings { _ in equal }
      let turned = match(.lost, .won).ratings { _ in equal }
      let (winner, loser) = (try #require(after[ann]), try #require(after[bob]))
      let sum = winner.rating.valueMillionths + loser.rating.valueMillionths
      #expect(abs(sum - 2 * rating.valueMillionths) <= 1)
      #expect(turned[bob] == winner)
      #expect(turned[ann] == loser)
    }
  }

  @Test("Extremes stay within bounds")
  func extremes() throws {
    let edges = [Rating.bounds.lowerBound, Rating.bounds.upperBound].flatMap { value in
      [Rating.deviationBounds.lowerBound, Rating.deviationBounds.upperBound].flatMap { deviation in
        [Rating.volatilityBounds.lowerBound, Rating.volatilityBounds.upperBound].map {
          Rating(value: value, deviation: deviation, volatility: $0)
        }
      }
    }
    let longAgo = Instant(microseconds: 0)
    for one in edges {
      for other in edges {
        for result in [Outcome.Result.won, .tied, .lost] {
          let after = match(result, result == .won ? .lost : result == .lost ? .won : .tied)
            .ratings {
              PlayerRating(rating: $0 == ann ? one : other, ratedAt: longAgo, matchCount: 1)
            }
          for rating in after.values.map(\.rating) {
            #expect(Rating.bounds.contains(rating.value))
            #expect(Rating.deviationBounds.contains(rating.deviation))
            #expect(Rating.volatilityBounds.contains(rating.volatility))
          }
        }
      }
    }
  }

  @Test("A rating is less sure the longer nothing was played, up to that of a newcomer")
  func time() {
    let sure = Rating(value: 1_800, deviation: 60, volatility: 0.06)
    let standing = PlayerRating(rating: sure, ratedAt: noon, matchCount: 50)
    func deviation(_ days: Int64) -> Int {
      standing.rating(at: noon.adding(seconds: days * 86_400)).deviationPoints
    }
    #expect([-5, 0, 30, 365, 3_650, 200_000].map(deviation) == [60, 60, 83, 208, 350, 350])
    #expect(standing.rating(at: noon.adding(seconds: 86_400 * 365)).points == 1_800)
    #expect(standing.rating(at: noon.adding(seconds: 86_400 * 365)).isProvisional)
  }

  @Test("A ledger numbers matches and goes on from where players stand")
  func ledger() throws {
    var ledger = RatingLedger()
    let first = ledger.rate(match(.won, .lost))
    let second = ledger.rate(match(.lost, .won))
    #expect(first.map(\.number) == [1, 1])
    #expect(second.map(\.number) == [2, 2])
    for result in first { #expect(result.before == .initial) }
    for result in second {
      #expect(result.before == first.first { $0.player == result.player }?.after)
      #expect(result.after.matchCount == 2)
    }
    var again = RatingLedger(
      lastNumber: 1,
      ratings: Dictionary(uniqueKeysWithValues: first.map { ($0.player, $0.after) }))
    #expect(again.rate(match(.lost, .won)) == second)
    #expect(again.lastNumber == 2)
  }

  @Test("Five matches of two within a day change ratings; more change nothing, and others do")
  func meetings() throws {
    func later(_ seconds: Int64, _ players: [TestPlayer] = [.ann, .bob]) -> RatedMatch {
      RatedMatch(
        match: MatchID(rawValue: UInt128(seconds)), endedAt: noon.adding(seconds: seconds),
        results: [players[0].id: .won, players[1].id: .lost])
    }
    var ledger = RatingLedger()
    var times: [Instant] = []
    for number in 1...5 {
      let results = ledger.rate(later(Int64(number)))
      #expect(results.map(\.after.matchCount) == [number, number])
      times.append(try #require(results[0].after.ratedAt))
    }
    let standings = ledger.ratings
    var again = RatingLedger(
      lastNumber: 5, ratings: standings,
      meetings: [[TestPlayer.ann.id, TestPlayer.bob.id].sorted(): times])
    let last = RatingLedger.meetingSeconds
    for match in [later(6), later(7, [.bob, .ann]), later(last)] {
      let results = ledger.rate(match)
      #expect(results.map(\.result) == [.none, .none])
      #expect(results.allSatisfy { $0.before == $0.after })
      #expect(again.rate(match) == results, "goes on where another one ended")
    }
    #expect(ledger.ratings == standings)
    #expect(ledger.rate(later(8, [.ann, .cyd])).allSatisfy { $0.result != .none })
    // The first of the five is a day old.
    #expect(ledger.rate(later(last + 1)).allSatisfy { $0.result != .none })
    #expect(ledger.rate(later(last + 1)).map(\.result) == [.none, .none])
  }

  @Test("Three players of one match are compared pair by pair")
  func three() throws {
    let players = [TestPlayer.ann, .bob, .cyd].map(\.id)
    let match = RatedMatch(
      match: MatchID(rawValue: 1), endedAt: noon,
      results: [players[0]: .won, players[1]: .lost, players[2]: .lost])
    let after = match.ratings { _ in .initial }
    #expect(try #require(after[players[0]]).rating.points > 1_662)
    #expect(after[players[1]] == after[players[2]])
    #expect(try #require(after[players[1]]).rating.points < 1_500)
  }
}

@Suite("Rated matches")
struct RatedMatchTests {
  let lab = MatchLab()

  @Test("A match that was played out, given up or lost in time is rated for both")
  func played() throws {
    let id = lab.finishedMatch()
    let match = try #require(lab.matches[id])
    let rated = try #require(match.rated)
    #expect(rated.endedAt == match.endedAt)
    #expect(Set(rated.results.keys) == Set(match.players))
    let given = lab.runningMatch()
    #expect(lab.matches[given]?.rated == nil)
    lab.act(lab.turn(given, fourFaces), by: .ann)
    lab.act(.matchForfeited(given), by: .bob)
    #expect(
      lab.matches[given]?.rated?.results
        == [TestPlayer.ann.id: .won, TestPlayer.bob.id: .lost])
  }

  @Test(
    "Who is left without having played a word wins nothing, whether the other gives up or stays away"
  )
  func unplayed() throws {
    for hasWord in [false, true] {
      for isForfeit in [false, true] {
        let id = lab.runningMatch()
        // Bob, who stays, plays a word or none.
        lab.act(lab.turn(id, fourFaces), by: .ann)
        lab.act(lab.turn(id, hasWord ? fiveFaces : twoRemovals), by: .bob)
        if isForfeit {
          lab.act(.matchForfeited(id), by: .ann)
        } else {
          lab.pass(seconds: 2 * day)
          let match = try #require(lab.matches[id])
          let deadline = try #require(match.deadline).at
          lab.act(.deadlinePassed(id, turn: match.turnNumber, deadline: deadline), by: .service)
        }
        let match = try #require(lab.matches[id])
        #expect(match.outcome?.results == [.lost, .won])
        #expect((match.rated != nil) == hasWord)
        #expect(match.ratedByOutcome != nil, "an older build has rated it")
      }
    }
  }

  @Test("Casual matches, games of one seat and matches that were not played are not rated")
  func unrated() throws {
    let casual = MatchRequest(opponent: .random, turnLimitSeconds: day, isCasual: true)
    let first = lab.request(casual, by: .ann)
    lab.act(.matchRequested(casual), by: .bob)
    lab.act(lab.turn(first, twoRemovals), by: .ann)
    lab.act(.matchForfeited(first), by: .bob)
    #expect(lab.matches[first]?.outcome?.reason == .forfeited)
    #expect(lab.matches[first]?.rated == nil)

    let solo = lab.request(.solo, by: .ann)
    lab.act(.matchForfeited(solo), by: .ann)
    #expect(lab.matches[solo]?.outcome?.reason == .finished)
    #expect(lab.matches[solo]?.rated == nil)

    let withdrawn = lab.request(.invite(.bob), by: .ann)
    lab.act(.requestWithdrawn(withdrawn), by: .ann)
    #expect(lab.matches[withdrawn]?.outcome?.reason == .withdrawn)
    #expect(lab.matches[withdrawn]?.rated == nil)

    let aborted = lab.runningMatch()
    lab.pass(seconds: 2 * day)
    let match = try #require(lab.matches[aborted])
    let deadline = try #require(match.deadline).at
    lab.act(.deadlinePassed(aborted, turn: match.turnNumber, deadline: deadline), by: .service)
    #expect(lab.matches[aborted]?.outcome?.reason == .aborted)
    #expect(lab.matches[aborted]?.rated == nil)

    let givenUp = lab.runningMatch()
    lab.act(.matchForfeited(givenUp), by: .ann)
    #expect(lab.matches[givenUp]?.outcome?.reason == .aborted)
    #expect(lab.matches[givenUp]?.rated == nil)
  }
}

import CubistBasics
import Testing

@testable import MatchCore

@Suite("Chance meetings")
struct PairingTests {
  private func seeker(
    _ number: UInt128, _ rating: Int, waited: Int64 = 0
  ) -> Pairing.Seeker {
    .init(
      player: PlayerID(rawValue: number), rating: rating,
      since: .noon.adding(seconds: -waited))
  }

  private func waiting(_ seeker: Pairing.Seeker, hasTurn: Bool = false) -> Pairing.Waiting {
    .init(match: MatchID(rawValue: seeker.player.rawValue), seeker: seeker, hasTurn: hasTurn)
  }

  private func chosen(
    for seeker: Pairing.Seeker, _ others: [Pairing.Seeker], met: Set<UInt128> = []
  ) -> UInt128? {
    Pairing.choose(
      for: seeker, among: others.map { waiting($0) },
      met: Set(met.map { PlayerID(rawValue: $0) }), at: .noon
    )?.waiting.match.rawValue
  }

  @Test(
    "The window begins at 100 points, widens by ten a second, and is open after a minute",
    arguments: [(-5, 100), (0, 100), (1, 110), (59, 690), (60, nil), (86_400, nil)]
      as [(Int64, Int?)])
  func window(seconds: Int64, window: Int?) {
    #expect(Pairing.window(afterSeconds: seconds) == window)
  }

  @Test("The nearest by rating is met, though one farther away has waited longer")
  func nearest() {
    let others = [seeker(2, 1_600, waited: 500), seeker(3, 1_460, waited: 1), seeker(4, 1_550)]
    #expect(chosen(for: seeker(1, 1_500), others) == 3)
  }

  @Test("The longer waiting of two equally near players is met")
  func longest() {
    let others = [seeker(2, 1_600, waited: 5), seeker(3, 1_400, waited: 6)]
    #expect(chosen(for: seeker(1, 1_500), others) == 3)
  }

  @Test("Players too far apart meet only once a wait has opened the window")
  func tooFar() {
    #expect(chosen(for: seeker(1, 1_500), [seeker(2, 1_611, waited: 1)]) == nil)
    #expect(chosen(for: seeker(1, 1_500), [seeker(2, 1_611, waited: 2)]) == 2)
    #expect(chosen(for: seeker(1, 1_500), [seeker(2, 4_000, waited: 59)]) == nil)
    #expect(chosen(for: seeker(1, 1_500), [seeker(2, 4_000, waited: 60)]) == 2)
    // The wait of either player counts.
    #expect(chosen(for: seeker(1, 1_500, waited: 60), [seeker(2, 4_000)]) == 2)
  }

  @Test("A recent opponent comes last, and is met where nobody else fits")
  func lately() {
    let others = [seeker(2, 1_500, waited: 50), seeker(3, 1_590)]
    #expect(chosen(for: seeker(1, 1_500), others, met: [2]) == 3)
    #expect(chosen(for: seeker(1, 1_500), others, met: [2, 3]) == 2)
  }

  @Test("Nobody meets oneself")
  func oneself() {
    #expect(chosen(for: seeker(1, 1_500), [seeker(1, 1_500, waited: 99)]) == nil)
  }

  @Test("The older of two matches goes on, unless only the younger one has a turn")
  func whichGoesOn() {
    func merged(_ older: Bool, _ younger: Bool) -> [[UInt128]] {
      let all = [
        waiting(seeker(1, 1_500, waited: 9), hasTurn: older),
        waiting(seeker(2, 1_500, waited: 3), hasTurn: younger),
      ]
      let movers = all.filter { !$0.hasTurn }.map { own in
        Pairing.Mover(own: own, others: all.filter { $0 != own }, met: [])
      }
      return Pairing.mergers(movers, at: .noon).map { [$0.kept.rawValue, $0.merged.rawValue] }
    }
    #expect(merged(false, false) == [[1, 2]])
    #expect(merged(true, false) == [[1, 2]])
    #expect(merged(false, true) == [[2, 1]])
    #expect(merged(true, true) == [])
  }

  @Test(
    "Nobody meets twice, meets oneself or a blocked player, or waits beside a fitting one",
    arguments: UInt64(0)..<300)
  func crowds(seed: UInt64) {
    var random = SplitMix64(state: seed &* SplitMix64.increment)
    let count = Int(random.next() % 12) + 1
    let crowd = (0..<count).map { number in
      // Several matches may be of one player.
      Pairing.Waiting(
        match: MatchID(rawValue: UInt128(number + 1)),
        seeker: .init(
          player: PlayerID(rawValue: UInt128(random.next() % 8)),
          rating: 1_000 + Int(random.next() % 1_500),
          since: .noon.adding(seconds: -Int64(random.next() % 80))),
        hasTurn: random.next() % 3 == 0)
    }
    let blocks = Set(
      (0..<8).map { _ in
        Block(
          PlayerID(rawValue: UInt128(random.next() % 8)),
          PlayerID(rawValue: UInt128(random.next() % 8))
        )
      })
    func mayMeet(_ one: PlayerID, _ other: PlayerID) -> Bool {
      one != other && !blocks.contains(Block(one, other)) && !blocks.contains(Block(other, one))
    }
    let movers = crowd.filter { !$0.hasTurn }.map { own in
      Pairing.Mover(
        own: own,
        others: crowd.filter {
          $0 != own && mayMeet(own.seeker.player, $0.seeker.player)
        }, met: [])
    }
    let mergers = Pairing.mergers(movers, at: .noon)
    let used = mergers.flatMap { [$0.kept, $0.merged] }
    #expect(Set(used).count == used.count, "seed \(seed)")
    let byID = Dictionary(uniqueKeysWithValues: crowd.map { ($0.match, $0) })
    for merger in mergers {
      guard let kept = byID[merger.kept], let merged = byID[merger.merged] else {
        Issue.record("seed \(seed): nobody waits there")
        continue
      }
      #expect(mayMeet(kept.seeker.player, merged.seeker.player), "seed \(seed)")
      #expect(!merged.hasTurn, "seed \(seed)")
      let why = Pairing.reason(kept.seeker, merged.seeker, at: .noon)
      #expect(why == merger.reason, "seed \(seed)")
    }
    let left = crowd.filter { !used.contains($0.match) }
    for one in left where !one.hasTurn {
      for other in left where mayMeet(one.seeker.player, other.seeker.player) {
        #expect(
          Pairing.reason(one.seeker, other.seeker, at: .noon) == nil,
          "seed \(seed): \(one.match) and \(other.match) are left")
      }
    }
  }
}

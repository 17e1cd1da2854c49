import CubistBasics
import MatchCore
import Testing

@testable import MatchService

@Suite("Places of waiting queries")
struct WatchersTests {
  private static func waiting(_ player: Int, _ number: Int, match: Int = 0) -> Watchers.Waiting {
    Watchers.Waiting(
      asker: Watchers.Asker(
        player: PlayerID(rawValue: UInt128(player)), query: EventID(rawValue: UInt128(number)),
        replyTo: "\(player)", correlationID: "\(number)"),
      match: MatchID(rawValue: UInt128(match)), version: 1, patience: .change, newerThan: 0,
      deadline: .max, retry: .max, pause: 1)
  }

  @Test("1,250 accounts with 16 watches each: somebody else's watch is still told of a change")
  func fullHouse() {
    var watchers = Watchers(limit: 20_000, limitPerPlayer: 16)
    for number in 0..<20_000 {
      #expect(watchers.park(Self.waiting(number % 1_250, number, match: number)) == nil)
    }
    for newcomer in 0..<40 {
      let entry = Self.waiting(5_000 + newcomer, 30_000 + newcomer, match: 99_999)
      // The longest wait of a player who has as many as allowed.
      #expect(watchers.park(entry)?.asker.query == EventID(rawValue: UInt128(newcomer)))
    }
    #expect(watchers.count == 20_000)
    let told = watchers.take(match: MatchID(rawValue: 99_999), reached: 1)
    #expect(told.count == 40)
  }

  @Test(
    "No coming and going loses a place, and none goes to the player with more", arguments: 0..<40)
  func property(seed: UInt64) {
    var random = SplitMix64(state: seed)
    func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let (limit, perPlayer) = (1 + number(below: 12), 1 + number(below: 4))
    var watchers = Watchers(limit: limit, limitPerPlayer: perPlayer)
    /// The waiting queries, the longest wait first.
    var model: [Watchers.Waiting] = []
    func held(_ player: PlayerID) -> Int { model.count { $0.asker.player == player } }
    for step in 0..<300 {
      switch number(below: 10) {
      case 0..<7:
        let entry = Self.waiting(number(below: 8), step, match: number(below: 3))
        let before = held(entry.asker.player)
        let most = Set(model.map(\.asker.player)).map(held).max() ?? 0
        let refused = watchers.park(entry)
        if before == perPlayer || model.count == limit && most <= before {
          #expect(refused == entry)
          continue
        }
        if model.count == limit {
          let evicted = model.first { waiting in held(waiting.asker.player) == most }
          #expect(refused == evicted)
          model.removeAll { $0 == refused }
        } else {
          #expect(refused == nil)
        }
        model.append(entry)
      case 7, 8:
        let match = MatchID(rawValue: UInt128(number(below: 3)))
        let told = watchers.take(match: match, reached: 1)
        #expect(told == model.filter { $0.match == match })
        model.removeAll { $0.match == match }
      default:
        if number(below: 5) == 0 {
          #expect(watchers.takeAll().count == model.count)
          model = []
        }
      }
      #expect(watchers.count == model.count)
    }
  }
}

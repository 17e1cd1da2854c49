import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Turns that come as one notification")
struct PushBundleTests {
  private func part(
    _ number: UInt128, _ player: UInt128 = 1, _ kind: PushJob.Kind = .yourTurn,
    isBundled: Bool = true, isSilent: Bool = false, expires seconds: Int64? = nil
  ) -> PushBundle.Part {
    PushBundle.Part(
      PushJob(
        id: PushJobID(rawValue: number), kind: kind, player: PlayerID(rawValue: player),
        match: MatchID(rawValue: number), turn: 3),
      PushStore.Details(
        preferences: PushPreferences(isBundled: isBundled),
        expiresAt: seconds.map { Instant.noon.adding(seconds: $0) }),
      isSilent: isSilent)
  }

  @Test("Turns of a player become one; other players and other kinds stay apart")
  func groups() {
    let parts = [
      part(1), part(2, 2), part(3, 1, .invited), part(4), part(5, 2), part(6, 3), part(7),
    ]
    let bundles = PushBundle.bundles(of: parts)
    #expect(
      bundles.map { $0.parts.map(\.job.id.rawValue) } == [[1, 4, 7], [2, 5], [3], [6]])
    #expect(bundles.map(\.isOfMany) == [true, true, false, false])
    #expect(bundles.map(\.reason) == [.bundled, .bundled, nil, nil])
    #expect(bundles[0].collapseKey == "turns")
    #expect(bundles[3].collapseKey == parts[5].job.collapseKey(opponent: nil))
  }

  @Test("The match that runs out first leads")
  func lead() {
    let bundles = PushBundle.bundles(of: [
      part(1), part(2, expires: 900), part(3, expires: 300), part(4, expires: 300),
    ])
    #expect(bundles.map(\.lead.job.id.rawValue) == [3])
    #expect(bundles.first?.parts.count == 4)
  }

  @Test("A player who wants each turn alone gets each alone")
  func alone() {
    let parts = (1...4).map { part($0, isBundled: false) }
    let bundles = PushBundle.bundles(of: parts)
    #expect(bundles.map(\.parts) == parts.map { [$0] })
    #expect(bundles.allSatisfy { $0.reason == nil && !$0.isOfMany })
  }

  @Test("A silent notification makes no other one silent")
  func silent() {
    let bundles = PushBundle.bundles(of: [
      part(1, isSilent: true), part(2), part(3, isSilent: true),
    ])
    #expect(bundles.map { $0.parts.map(\.job.id.rawValue) } == [[1, 3], [2]])
    #expect(bundles.map(\.reason) == [.silent, nil])
  }

  @Test("Every job is in one notification, once, also one that comes twice")
  func complete() {
    var random = SplitMix64(state: 23)
    for _ in 0..<500 {
      let parts = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        part(
          UInt128.random(in: 1...20, using: &random), UInt128.random(in: 1...3, using: &random),
          PushJob.Kind.allCases.randomElement(using: &random) ?? .yourTurn,
          isBundled: Bool.random(using: &random), isSilent: Bool.random(using: &random))
      }
      let bundles = PushBundle.bundles(of: parts)
      let ids = bundles.flatMap(\.parts).map(\.job.id)
      #expect(Set(ids).count == ids.count)
      #expect(Set(ids) == Set(parts.map(\.job.id)))
      for bundle in bundles {
        #expect(bundle.parts.contains(bundle.lead))
        #expect(Set(bundle.parts.map(\.job.player)).count == 1)
        #expect(!bundle.isOfMany || bundle.parts.allSatisfy { $0.job.kind == .yourTurn })
      }
    }
  }
}

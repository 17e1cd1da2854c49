import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Jobs that come as one notification")
struct PushBundleTests {
  private func part(
    _ number: UInt128, _ player: UInt128 = 1, _ kind: PushJob.Kind = .yourTurn,
    match: UInt128? = nil, isBundled: Bool = true, isSilent: Bool = false,
    expires seconds: Int64? = nil
  ) -> PushBundle.Part {
    PushBundle.Part(
      PushJob(
        id: PushJobID(rawValue: number), kind: kind, player: PlayerID(rawValue: player),
        match: MatchID(rawValue: match ?? number), turn: 3),
      PushStore.Details(
        preferences: PushPreferences(isBundled: isBundled),
        expiresAt: seconds.map { Instant.noon.adding(seconds: $0) }),
      isSilent: isSilent)
  }

  @Test("News of a player's matches become one; other players and other kinds stay apart")
  func groups() {
    let parts = [
      part(1), part(2, 2), part(3, 1, .dailyReady), part(4), part(5, 2, .invited), part(6, 3),
      part(7),
    ]
    let bundles = PushBundle.bundles(of: parts)
    #expect(
      bundles.map { $0.parts.map(\.job.id.rawValue) } == [[1, 4, 7], [2, 5], [3], [6]])
    #expect(bundles.map(\.isOfMany) == [true, true, false, false])
    #expect(bundles.map(\.reason) == [.bundled, .bundled, nil, nil])
    #expect(bundles[0].collapseKey == "turns")
    #expect(bundles[1].collapseKey == "news-\(parts[1].job.id)")
    #expect(bundles[3].collapseKey == parts[5].job.collapseKey(opponent: nil))
  }

  @Test("What waits has one key for all of it, and what has happened a key of its own")
  func keys() {
    func key(_ kind: PushJob.Kind, _ other: PushJob.Kind) -> String {
      PushBundle.bundles(of: [part(1, 1, kind), part(2, 1, other)]).map(\.collapseKey).joined()
    }
    #expect(key(.yourTurn, .nudged) == "turns")
    #expect(key(.rematchRequested, .rematchWaits) == "offers")
    #expect(key(.invited, .invited) == "invitations")
    let own = "news-\(PushJobID(rawValue: 1))"
    for kind in [PushJob.Kind.opponentJoined, .rematchDeclined, .matchEnded, .reacted] {
      #expect(key(kind, kind) == own && PushBundle.isOfMany(own))
    }
    #expect(key(.yourTurn, .invited) == own)
    #expect(!PushBundle.isOfMany(part(1).job.collapseKey(opponent: nil)))
  }

  @Test("Every kind about matches comes with others, and no other kind does")
  func kinds() {
    for kind in PushJob.Kind.allCases {
      let bundles = PushBundle.bundles(of: [part(1), part(2, 1, kind)])
      #expect(bundles.count == (kind.topic == nil ? 2 : 1), "\(kind)")
    }
    let alone: [PushJob.Kind] = [
      .account, .dailyReady, .dailyEndsSoon, .digest, .weekInReview, .test,
    ]
    #expect(
      PushJob.Kind.allCases.filter { $0.topic == nil }.sorted { "\($0)" < "\($1)" }
        == alone.sorted { "\($0)" < "\($1)" })
  }

  @Test("Of several jobs of one match the most important one is told, under the match's own key")
  func oneMatch() {
    let turn = part(2, match: 9)
    for parts in [
      [part(1, 1, .opponentJoined, match: 9), turn], [turn, part(1, 1, .opponentJoined, match: 9)],
    ] {
      let bundles = PushBundle.bundles(of: parts)
      #expect(bundles.map(\.shown) == [[turn]] && bundles.map(\.lead) == [turn])
      #expect(bundles.map(\.parts) == [parts] && bundles.map(\.reason) == [.bundled])
      #expect(bundles.map(\.collapseKey) == [turn.job.collapseKey(opponent: nil)])
    }
    // The later one of equals is the present state.
    let nudge = part(3, 1, .nudged, match: 9)
    #expect(PushBundle.bundles(of: [turn, nudge]).map(\.lead) == [nudge])
  }

  @Test("The match that runs out first leads")
  func lead() {
    let bundles = PushBundle.bundles(of: [
      part(1), part(2, expires: 900), part(3, expires: 300), part(4, expires: 300),
    ])
    #expect(bundles.map(\.lead.job.id.rawValue) == [3])
    #expect(bundles.first?.parts.count == 4)
    // A turn leads before any other news.
    #expect(
      PushBundle.bundles(of: [part(1, 1, .matchEnded, expires: 5), part(2), part(3, 1, .invited)])
        .map(\.lead.job.id.rawValue) == [2])
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
          match: UInt128.random(in: 1...6, using: &random),
          isBundled: Bool.random(using: &random), isSilent: Bool.random(using: &random))
      }
      let bundles = PushBundle.bundles(of: parts)
      let ids = bundles.flatMap(\.parts).map(\.job.id)
      #expect(Set(ids).count == ids.count)
      #expect(Set(ids) == Set(parts.map(\.job.id)))
      for bundle in bundles {
        #expect(bundle.parts.contains(bundle.lead))
        #expect(Set(bundle.parts.map(\.job.player)).count == 1)
        #expect(bundle.parts.count == 1 || bundle.parts.allSatisfy { $0.job.kind.topic != nil })
        #expect(Set(bundle.shown.map(\.job.match)) == Set(bundle.parts.map(\.job.match)))
        #expect(Set(bundle.shown.map(\.job.match)).count == bundle.shown.count)
      }
    }
  }
}

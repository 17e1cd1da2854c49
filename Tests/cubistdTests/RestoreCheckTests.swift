import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@testable import cubistd

@Suite("Players' receipts after a restore")
struct RestoreCheckTests {
  @Test("A receipt of a match that is gone is a loss, unless games are kept no longer than that")
  func gone() throws {
    try withFolder { folder in
      let now = Instant(microseconds: 1_800_000_000_000_000)
      let (service, player) = (ServiceID(rawValue: 1), PlayerID(rawValue: 2))
      let kept = ProfileStore.live(folder: folder)
      try kept.saveProfile(Profile(player: player, name: PlayerName("Ann"), service: service))
      for days: Int64 in [50, 30] {
        let at = now.adding(seconds: -days * 86_400)
        let event = EventID(at: at, random: 3)
        try kept.journal(
          JournalLine(
            at: at, event: event, type: "turnPlayed", what: .accepted,
            receipt: Receipt(
              match: MatchID(askedBy: player, event: event), version: 4, turn: 1, hash: .zero)))
      }
      var store = CheckStore.failing
      store.now.answer { now }
      store.playersByID.answer { $0.map { StoredPlayer(player: $0, registeredAt: now) } }
      store.replies.answer { _ in [:] }
      store.lacking.answer { Array($0.indices) }
      store.existing.answer { _ in [] }
      var check = RestoreCheck(store: store, service: service)
      #expect(try check.run(folder).losses.map(\.kind) == [.eventLost, .eventLost])
      check.retention.games = 40
      let report = try check.run(folder)
      #expect(report.losses.map(\.event?.time) == [now.adding(seconds: -30 * 86_400)])
      #expect(report.compared == 1 && report.unknown == 1)
    }
  }

  @Test("The queues' part says how many events wait, that none does, or that nobody looked")
  func queues() throws {
    var report = RestoreCheck.Report()
    #expect(report.text.hasSuffix("is not set: queues were not looked at."))
    report.waiting = .unanswered
    #expect(
      try report.json().contains(
        #""queuesUnseen":"RabbitMQ's management API could not be asked""#))
    #expect(report.text.hasSuffix("could not be asked: queues were not looked at."))
    report.waiting = .told(0)
    #expect(report.text.hasSuffix("\nNo event waits in the broker's queues."))
    report.waiting = .told(2)
    #expect(try !report.json().contains("queuesUnseen"))
    #expect(report.text.hasSuffix("2 events in the broker's queues: workers judge them now."))
  }
}

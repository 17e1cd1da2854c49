import Chaos
import CubistBasics
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("When something breaks", .serialized, .sharedService())
struct UnhappyTests {
  @Test("Broker gone before the confirm: resent later, the event counts once")
  func brokerGone() async throws {
    try await ServiceLab.shared { lab in
      let (proxy, url) = try TCPProxy.inFront(ofURL: lab.playersURL)
      defer { proxy.close() }
      let (profile, log) = (ProfileMemory(), SenderLog())
      let ann = try lab.client("Ann", log: log, profile: profile, url: url)
      ann.patience.reply = .milliseconds(500)

      // Gone before anything was sent: that is certain, and nothing happens unasked later.
      proxy.refuse()
      proxy.cut()
      #expect(try !isPending { _ = try ann.home() })
      #expect(try !isPending { _ = try ann.startMatch(UnhappyTests.solo) })
      #expect(profile.pending.isEmpty)
      try proxy.resume()
      try ann.resendPending()
      #expect(try lab.matches(of: ann.player) == [])

      // Gone while the event was on its way: nobody can tell, so it is kept.
      _ = try ann.home()
      proxy.stall()
      #expect(try isPending { _ = try ann.startMatch(UnhappyTests.solo) })
      let event = try #require(profile.pending.values.first)
      // Bytes on their way are lost with the connection.
      proxy.cut()
      try proxy.resume()
      #expect(try lab.matches(of: ann.player) == [])

      // Another run of the program: the same wish is the same event.
      let again = try lab.client("Ann", log: log, profile: profile, url: url)
      let match = try again.startMatch(UnhappyTests.solo).ticket.match
      #expect(match == MatchID(askedBy: ann.player, event: event.id))
      #expect(profile.pending.isEmpty)
      try again.resendPending()
      #expect(try lab.matches(of: ann.player) == [match])
      #expect(try lab.replies().keys.filter { $0.event == event.id }.count == 1)
    }
  }

  @Test("Reply lost and event resent: the first reply, byte for byte")
  func replyLost() async throws {
    try await ServiceLab.shared { lab in
      let (proxy, url) = try TCPProxy.inFront(ofURL: lab.playersURL)
      defer { proxy.close() }
      let (profile, log) = (ProfileMemory(), SenderLog())
      let ann = try lab.client("Ann", log: log, profile: profile, url: url)
      ann.patience.reply = .milliseconds(500)
      proxy.stall(.toClient)
      #expect(try isPending { _ = try ann.startMatch(UnhappyTests.solo) })
      let event = try #require(profile.pending.values.first)
      let key = EventKey(player: event.event.player, event: event.id)
      try waitUntil("the event is handled") { try lab.replies()[key] != nil }
      let first = try #require(try lab.replies()[key]).reply
      proxy.cut()
      try proxy.resume()

      let again = try lab.client("Ann", log: log, profile: profile, url: url)
      var notices: [ClientNotice] = []
      again.onNotice = { notices.append($0) }
      try again.resendPending()
      #expect(log.all.first { $0.key == key }?.replies == [first])
      #expect(try notices == [.answered(event, ReplyCodec.decode(first).reply)])
      #expect(profile.pending.isEmpty)
      #expect(try lab.matches(of: ann.player).count == 1)
      #expect(try lab.replies()[key]?.reply == first)
    }
  }

  private static let solo = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)

  /// Whether something ends with its answer pending, as against certainly not sent.
  private func isPending(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      throw LabFailure("it was answered")
    } catch ClientError.pending {
      return true
    } catch ClientError.unreachable {
      return false
    }
  }
}

/// On services of their own: every event in the store is one of the senders'.
@Suite("When the store breaks", .serialized)
struct StoreLossTests {
  @Test(
    "Store gone in mid-batch: every confirmed event is answered once",
    arguments: [StoreLoss.terminated, .cut, .answerLost])
  func storeGone(_ loss: StoreLoss) async throws {
    let seed = UInt64.random(in: .min ... .max)
    try await ServiceLab.run(.init(workers: 0)) { lab in
      let (proxy, database) = try TCPProxy.inFront(
        ofConnectionString: lab.database.connectionString)
      defer { proxy.close() }
      for _ in 0..<2 { try lab.start(.worker, lab.wiring(database: database)) }
      try lab.waitUntilWorking()
      let load = Load()
      async let played: Void = load.run(pairs: 4, in: lab, seed: seed)
      do {
        try loss.strike(load, proxy, lab, seed)
      } catch {
        throw LabFailure("seed \(seed): \(error)")
      }
      try await played
      try load.log.settle(in: lab)
      try load.log.verify(in: lab, seed: seed)
      #expect(try lab.deadEventCount() == 0, "seed \(seed)")
    }
  }
}

/// How workers lose their store.
enum StoreLoss: String, Sendable, CustomTestStringConvertible {
  /// The server ends their sessions.
  case terminated
  /// The connections break.
  case cut
  /// Their messages arrive, and the answers are lost, as may happen with a commit.
  case answerLost

  var testDescription: String { rawValue }

  /// Takes the store away four times while players play.
  func strike(_ load: Load, _ proxy: TCPProxy, _ lab: ServiceLab, _ seed: UInt64) throws {
    defer { load.stop.ask() }
    var random = SplitMix64(state: seed)
    for _ in 0..<4 {
      try load.awaitTurns(4)
      // Nothing is awaited: the store is to be lost at any point of the work.
      Patience.passAny(upTo: 0.2, random.next())
      try strike(proxy, lab)
    }
    try load.awaitTurns(4)
  }

  private func strike(_ proxy: TCPProxy, _ lab: ServiceLab) throws {
    switch self {
    case .terminated:
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'cubistd worker%'
        """)
    case .cut: proxy.cut()
    case .answerLost:
      proxy.stall(.toClient)
      // Time for a commit whose answer is held back; whether one was made is unknown.
      Patience.pause(0.1)
      proxy.cut()
      try proxy.resume()
    }
  }
}

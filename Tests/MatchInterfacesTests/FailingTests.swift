import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@Suite("Interfaces that nobody implemented")
struct FailingTests {
  @Test("A failing clock and failing randomness report their callers")
  func world() {
    withKnownIssue {
      _ = WallClock.failing.now()
    } matching: {
      "\($0)".contains("WallClock.now")
    }
    withKnownIssue {
      _ = Randomness.failing.next()
    } matching: {
      "\($0)".contains("Randomness")
    }
    withKnownIssue {
      let nobody = SignedPayload(
        key: PublicKey(bytes: Array(repeating: 7, count: 32))!, signature: [], payload: [])
      #expect(!SignatureVerifier.failing.isValid(nobody, .event))
    } matching: {
      "\($0)".contains("SignatureVerifier")
    }
  }

  // Failure: CheckStore.jobs: The command reports it.
  @Test("A failing store reports its use and is unavailable")
  func stores() {
    expectUnavailable("WorkerStore.lookUp", try WorkerStore.failing.lookUp(Lookup()))
    expectUnavailable(
      "WorkerStore.commit",
      try WorkerStore.failing.commit(BatchWrite(now: Instant(microseconds: 0))))
    expectUnavailable("SchedulerStore.lead", try SchedulerStore.failing.lead())
    expectUnavailable("RelayStore.claim", try RelayStore.failing.claim(.seconds(5), 1))
    expectUnavailable("RaterStore.take", try RaterStore.failing.take(1))
    expectUnavailable("PushStore.brief", try PushStore.failing.brief([]))
    expectUnavailable("CheckStore.orphans", try CheckStore.failing.orphans(nil, nil))
    expectUnavailable(
      "OperatorStore.keepAct", try OperatorStore.failing.keepAct(ActRow(act: "", detail: "")))
    expectUnavailable("ReaderStore.match", try ReaderStore.failing.match(MatchID(rawValue: 1)))
  }

  @Test("A failing bus reports its use and is disconnected")
  func buses() {
    expectDisconnected("WorkerBus.receive", try WorkerBus.failing.receive(1, .zero))
    expectDisconnected(
      "PlayerBus.request",
      try PlayerBus.failing.request(
        PlayerMessage(destination: .queries, body: []), .zero))
    expectDisconnected("DeadLetterBus.next", try DeadLetterBus.failing.next())
    expectDisconnected("SchedulerBus.publish", try SchedulerBus.failing.publish([]))
    expectDisconnected("RelayBus.publish", try RelayBus.failing.publish([]))
    expectDisconnected("ReaderBus.receive", try ReaderBus.failing.receive(1, .zero))
    expectDisconnected("GatewayBus.receive", try GatewayBus.failing.receive(.zero))
    expectDisconnected("NoticeBus.receive", try NoticeBus.failing.receive(1, .zero))
    expectDisconnected("PushBus.receive", try PushBus.failing.receive(1, .zero))
  }

  @Test("A value that does nothing reports nothing")
  func noops() throws {
    #expect(try WorkerStore.noop.lookUp(Lookup()).replies.isEmpty)
    try WorkerStore.noop.commit(BatchWrite(now: Instant(microseconds: 0)))
    #expect(try WorkerBus.noop.receive(10, .seconds(1)).isEmpty)
    #expect(try !SchedulerStore.noop.lead())
    #expect(try RaterStore.noop.take(1) == RatingWork())
    let message = PlayerMessage(destination: .queries, body: [])
    #expect(try PlayerBus.noop.request(message, .zero) == .confirmed)
    #expect(WallClock.noop.now() == Instant(microseconds: 0))
  }

  private func expectUnavailable<Value>(
    _ name: String, _ body: @autoclosure () throws(StoreError) -> Value
  ) {
    withKnownIssue {
      do throws(StoreError) {
        _ = try body()
        Issue.record("\(name) did not throw")
      } catch {
        guard case .unavailable(let text) = error, text.contains(name) else {
          Issue.record("\(name) threw \(error)")
          return
        }
      }
    } matching: { issue in
      "\(issue)".contains("Unimplemented: \(name)")
    }
  }

  private func expectDisconnected<Value>(
    _ name: String, _ body: @autoclosure () throws(BusError) -> Value
  ) {
    withKnownIssue {
      do throws(BusError) {
        _ = try body()
        Issue.record("\(name) did not throw")
      } catch {
        guard case .disconnected(let text) = error, text.contains(name) else {
          Issue.record("\(name) threw \(error)")
          return
        }
      }
    } matching: { issue in
      "\(issue)".contains("Unimplemented: \(name)")
    }
  }
}

import MatchCore
import MatchInterfaces

/// Checks that an honest player's event is answered soon wherever nothing had struck that may delay
/// an answer, and that no event was given up that had not been delivered often.
struct AnswerCheck {
  /// How long an answer may take from the event's arrival in its queue, in seconds.
  static let limitSeconds: Int64 = 30
  /// How long after a strike answers may still come late, in seconds: whoever stood still for long is
  /// given up, and its queues are taken over.
  static let recoverySeconds: Int64 = 90
  /// From this delivery on a worker gives an event up.
  private static let buryFromDelivery = 10

  private let world: World

  init(_ world: World) { self.world = world }

  func violations() -> [String] { late() + buried() }

  private func late() -> [String] {
    let delays = world.faults.delays.sorted()
    return world.senders.sent.compactMap { sent in
      guard let arrived = world.broker.arrivals.firstTime(of: sent.body),
        let answered = world.batches.answer(to: sent.key)?.since,
        answered > arrived.adding(seconds: AnswerCheck.limitSeconds),
        // Who was told to ask again later did so when it liked.
        !sent.wasRefusedForNow, !sent.isLimited,
        world.store.replies[sent.key]?.payloadHash == sent.payloadHash
      else { return nil }
      let quietSince = arrived.adding(seconds: -AnswerCheck.recoverySeconds)
      guard !delays.contains(where: { quietSince...answered ~= $0 }) else { return nil }
      let seconds = answered.microseconds(since: arrived) / 1_000_000
      return "event \(sent.key.event) was answered after \(seconds) s, and nothing delayed it"
    }
  }

  private func buried() -> [String] {
    world.store.deadEvents.compactMap { dead in
      let count = world.broker.arrivals.deliveries(of: dead.body)
      guard dead.reason.hasPrefix("delivered"), count < AnswerCheck.buryFromDelivery else {
        return nil
      }
      return
        "event \(dead.event) of player \(dead.player) was delivered \(count) times and given up"
    }
  }
}

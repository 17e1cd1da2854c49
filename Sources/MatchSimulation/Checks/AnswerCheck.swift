import MatchCore
import MatchInterfaces

/// Checks that an honest player's event is answered soon, unless a fault that may delay answers has
/// struck. Checks also that an event is given up only after many deliveries.
struct AnswerCheck {
  /// The longest time from an event's arrival in its queue to the answer, in seconds.
  static let limitSeconds: Int64 = 30
  /// The time after a strike in which answers may still be late, in seconds. A process that stood
  /// still for long is given up, and its queues are taken over.
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
        // A player who was told to ask again later could do so at any time.
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

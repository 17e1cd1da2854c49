import LibRabbitMQ
import Logging
import MatchInterfaces

/// The queues of a worker that the broker does not have, because somebody has deleted them.
///
/// The worker consumes its other queues meanwhile. It consumes each of these too as soon as setup
/// has made it anew.
final class MissingQueues {
  /// The time to wait before the broker is asked again.
  private static let pause: UInt64 = 5_000_000_000

  private let context: BusContext
  /// The names by the queues' numbers.
  private var names: [Int: String] = [:]
  private var nextLook: UInt64 = 0
  private var trouble = Incidents<Int>(
    Incident.Messages(
      began: "a queue of events is missing, and the others are served; run cubistd setup",
      lasts: "a queue of events is still missing; run cubistd setup",
      ended: "the queue of events is there again"))

  init(_ context: BusContext) { self.context = context }

  var isEmpty: Bool { names.isEmpty }

  func forget() { names = [:] }

  /// Finds the queues that are missing.
  /// - Returns: the others, in their order.
  func leaveOut(
    of queues: [Int], name: (Int) -> String
  ) throws(BusError) -> [Int] {
    names = [:]
    let visitor = Visitor(context.address, "cubist worker, looking for missing queues")
    defer { visitor.close() }
    var found: [Int] = []
    for queue in queues {
      if try visitor.status(of: name(queue)) != nil {
        found.append(queue)
      } else {
        names[queue] = name(queue)
      }
    }
    let now = context.clock.uptimeNanoseconds()
    nextLook = now &+ MissingQueues.pause
    guard !found.isEmpty else { return [] }
    for queue in names.keys.sorted() { note(queue, isThere: false, at: now) }
    return found
  }

  /// Consumes queues that have been made anew, if it is time to look.
  func takeUp(_ consumer: RabbitMQConnection) throws(BusError) {
    let now = context.clock.uptimeNanoseconds()
    guard now >= nextLook else { return }
    nextLook = now &+ MissingQueues.pause
    let visitor = Visitor(
      context.address, "cubist worker, looking for missing queues", within: .seconds(1))
    defer { visitor.close() }
    for (queue, name) in names.sorted(by: { $0.key < $1.key }) {
      let isThere: Bool
      // The consuming connection tells whether the broker itself is in trouble.
      do throws(BusError) { isThere = try visitor.status(of: name) != nil } catch { return }
      if isThere {
        _ = try onBroker(try consumer.consume(name, tag: String(queue)))
        names[queue] = nil
      }
      note(queue, isThere: isThere, at: now)
    }
  }

  private func note(_ queue: Int, isThere: Bool, at now: UInt64) {
    context.log.write(
      isThere ? trouble.wentWell(queue, at: now) : trouble.failed(queue, at: now),
      metadata: ["queue": .stringConvertible(queue)])
  }
}

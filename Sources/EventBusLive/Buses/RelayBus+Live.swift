import LibRabbitMQ
import MatchCore
package import MatchInterfaces
import MatchWire

extension RelayBus {
  /// The event bus of the outbox relay on RabbitMQ: one connection that publishes persistent,
  /// mandatory, confirmed messages of push jobs.
  ///
  /// `publish` waits 10 s at most and names the confirmed jobs. Jobs that a full queue refused are
  /// not among them. It throws `unroutable` if the queue of push jobs does not exist. A connection
  /// that broke between two calls is replaced.
  ///
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  package static func live(_ context: BusContext) throws(BusError) -> RelayBus {
    let line = try ConfirmedLine<Int>(context, name: "cubist relay", kind: .push)
    let queue = context.names.push
    var bus = RelayBus.failing
    bus.publish.answer { jobs throws(BusError) in
      let now = context.clock.now()
      let messages = PushJobMessage.messages(of: jobs)
      let results = try line.publish(
        messages.enumerated().map { number, message in
          ConfirmedLine<Int>.Message(
            id: number, routingKey: queue, properties: message.properties(at: now),
            body: message.body)
        })
      var confirmed: [PushJobID] = []
      for result in results {
        switch result.outcome {
        case .confirmed: confirmed += messages[result.id].jobs.map(\.id)
        case .returned:
          if let error = BusError(result.outcome, of: "push jobs") { throw error }
        case .refused, .unknown: break
        }
      }
      return confirmed
    }
    bus.close.answer { line.close() }
    return bus
  }
}

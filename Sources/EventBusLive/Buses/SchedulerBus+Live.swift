import LibRabbitMQ
public import MatchInterfaces
import MatchWire

extension SchedulerBus {
  /// The event bus of the scheduler on RabbitMQ: one connection that publishes persistent,
  /// mandatory, confirmed events.
  ///
  /// `publish` tries every event, waits 10 s at most, and throws the first failure: `refused` if a
  /// queue is full, `unroutable` if a slot is not bound. A connection that
  /// broke between two calls is replaced.
  ///
  /// - Throws: `disconnected` or `notPermitted` if there is no connection to be had.
  public static func live(_ context: BusContext) throws(BusError) -> SchedulerBus {
    let line = try ConfirmedLine<Int>(context, name: "cubist scheduler", kind: .event)
    let names = context.names
    return SchedulerBus(
      publish: { events throws(BusError) in
        let messages = events.enumerated().map { index, event in
          ConfirmedLine<Int>.Message(
            id: index, exchange: names.events, routingKey: event.slot.routingKey,
            properties: MessageProperties(), body: event.body)
        }
        let results = try line.publish(messages)
        for result in results {
          if let error = BusError(result.outcome, of: "slot \(events[result.id].slot)") {
            throw error
          }
        }
      },
      close: { line.close() })
  }
}

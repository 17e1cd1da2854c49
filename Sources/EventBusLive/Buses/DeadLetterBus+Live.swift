import LibRabbitMQ
import MatchCore
package import MatchInterfaces
import MatchWire

extension DeadLetterBus {
  /// The dead letters of former builds on RabbitMQ. One connection holds messages without
  /// acknowledging them. The other publishes persistent, mandatory, confirmed ones.
  ///
  /// There are none if the former queue of dead letters is gone.
  ///
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  package static func live(_ context: BusContext) throws(BusError) -> DeadLetterBus {
    let names = context.names
    let line = try ConfirmedLine<Int>(context, name: "cubist dead letters", kind: .event)
    let visitor = Visitor(context.address, "cubist dead letters in hand")
    var holding = try visitor.status(of: names.formerDead) == nil ? nil : visitor.connection
    var bus = DeadLetterBus.failing
    bus.next.answer { () throws(BusError) in
      guard let hand = holding else { return nil }
      do throws(RabbitMQError) {
        return try hand.get(names.formerDead).map {
          DeadLetter(tag: $0.tag, body: $0.body, deaths: $0.properties.deaths)
        }
      } catch {
        // The queue was deleted meanwhile. That happens only to an empty one.
        guard error.replyCode == 404 else { throw BusError(error) }
        holding = nil
        return nil
      }
    }
    bus.publish.answer { body, destination throws(BusError) in
      let message: ConfirmedLine<Int>.Message
      let what: String
      switch destination {
      case .events(let slot):
        what = "slot \(slot)"
        message = ConfirmedLine<Int>.Message(
          id: 0, exchange: names.events, routingKey: slot.routingKey,
          properties: MessageProperties(), body: body)
      case .push:
        what = "push jobs"
        message = ConfirmedLine<Int>.Message(
          id: 0, routingKey: names.push, properties: MessageProperties(), body: body)
      }
      // The held messages must not be lost because heartbeats are missing.
      try onBroker(try holding?.serveHeartbeats())
      for result in try line.publish([message]) {
        if let error = BusError(result.outcome, of: what) { throw error }
      }
    }
    bus.acknowledge.answer { letter throws(BusError) in
      try onBroker(try holding?.acknowledge(letter.tag))
    }
    bus.close.answer {
      line.close()
      visitor.close()
    }
    return bus
  }
}

extension MessageProperties {
  /// The deaths of the message, as the broker has written them.
  /// Source: https://www.rabbitmq.com/docs/dlx, header `x-death`
  var deaths: [DeadLetter.Death] {
    guard case .array(let deaths)? = headers["x-death"] else { return [] }
    return deaths.compactMap { death in
      guard case .table(let death) = death else { return nil }
      var at: Instant?
      if case .timestamp(let seconds)? = death["time"] {
        at = Instant(microseconds: 0).adding(seconds: Int64(clamping: seconds))
      }
      var routingKey: String?
      if case .array(let keys)? = death["routing-keys"] { routingKey = keys.first?.string }
      return DeadLetter.Death(
        queue: death["queue"]?.string ?? "", reason: death["reason"]?.string ?? "",
        count: Int(clamping: death["count"]?.integer ?? 0), at: at, routingKey: routingKey)
    }
  }
}

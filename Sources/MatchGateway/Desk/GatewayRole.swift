package import Logging
package import MatchInterfaces
package import MatchService
import MatchWire

/// Carries messages between the desk and the broker, on the thread that has the connection.
package final class GatewayRole: Role {
  /// How long a step waits at most. The desk wakes it earlier.
  static let wait: Duration = .milliseconds(200)
  /// How often it looks for waits that are over, in nanoseconds.
  private static let look: UInt64 = 200_000_000

  private let bus: GatewayBus
  private let desk: GatewayDesk
  private let service: ServiceKnowledge
  private let life: GatewayLife
  private let clock: WallClock
  private let log: Logger
  private var isBroken = false
  private var silence = Incident(
    Incident.Messages(
      began: "no reader answers", lasts: "still no reader answers", ended: "readers answer again"))
  private var expiredAt: UInt64 = 0

  /// A role with a bus of its own.
  package init(
    bus: GatewayBus, desk: GatewayDesk, service: ServiceKnowledge, life: GatewayLife,
    clock: WallClock, log: Logger
  ) {
    self.bus = bus
    self.desk = desk
    self.service = service
    self.life = life
    self.clock = clock
    self.log = log
    service.began(at: clock.uptimeNanoseconds())
    desk.connected()
  }

  /// Sends what waits, and takes in what has come.
  package func step() throws(Interruption) -> Int {
    let now = clock.uptimeNanoseconds()
    // The listener does it too, but it may not be there.
    if now &- expiredAt >= GatewayRole.look {
      expiredAt = now
      desk.expire(at: now)
    }
    service.askIfDue(desk)
    logTrouble()
    let (outgoing, forgotten) = desk.take()
    do throws(BusError) {
      if !forgotten.isEmpty { bus.forget(forgotten) }
      if !outgoing.isEmpty { try bus.send(outgoing) }
      let incoming = try bus.receive(GatewayRole.wait)
      desk.handle(incoming)
      return outgoing.count + incoming.count
    } catch {
      isBroken = true
      throw .bus(error)
    }
  }

  private func logTrouble() {
    let now = clock.uptimeNanoseconds()
    if let trouble {
      log.write(silence.failed(at: now), metadata: ["reason": "\(trouble)"])
    } else if silence.isOpen {
      log.write(silence.wentWell(at: now))
    }
  }

  /// The readers are part of what a gateway needs.
  package var trouble: Interruption? {
    service.isFresh(at: clock.uptimeNanoseconds())
      ? nil
      : .bus(
        .timedOut(
          "no reader has answered for 10 s: look at RabbitMQ and PostgreSQL, then at `cubistd run "
            + "reader`")
      )
  }

  /// Answers whoever waits. A gateway that was asked to go first lets its open requests end.
  package func leave() {
    while !isBroken, life.isDraining(at: clock.uptimeNanoseconds()) {
      do throws(Interruption) { _ = try step() } catch { break }
    }
    desk.disconnected()
    bus.close()
  }
}

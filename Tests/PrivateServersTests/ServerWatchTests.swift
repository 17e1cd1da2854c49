import CustomDump
import Testing

@testable import PrivateServers

@Suite("The decision to start servers again")
struct ServerWatchTests {
  private static let death = "RabbitMQ has died. It is started again …"
  private static let life = "RabbitMQ runs again: nothing is lost."

  private static func step(_ lines: [String] = [], starts: Bool = false) -> ServerWatch.Step {
    var step = ServerWatch.Step()
    (step.lines, step.starts) = (lines, starts)
    return step
  }

  @Test("A server that has died is started without a pause, and the operator is told of both")
  func first() {
    var watch = ServerWatch()
    expectNoDifference(watch.looked(ended: [], at: .seconds(10)), Self.step())
    expectNoDifference(
      watch.looked(ended: ["RabbitMQ"], at: .seconds(12)), Self.step([Self.death], starts: true))
    // Nothing else is begun meanwhile, whatever a look finds.
    expectNoDifference(
      watch.looked(ended: ["PostgreSQL", "RabbitMQ"], at: .seconds(14)), Self.step())
    expectNoDifference(watch.looked(ended: [], at: .seconds(15)), Self.step())
    expectNoDifference(watch.started(failure: nil, at: .seconds(16)), Self.step([Self.life]))
    expectNoDifference(watch.looked(ended: [], at: .seconds(18)), Self.step())
  }

  @Test("Servers that have died together are started together")
  func both() {
    var watch = ServerWatch()
    let step = watch.looked(ended: ["PostgreSQL", "RabbitMQ"], at: .zero)
    expectNoDifference(
      step,
      Self.step(["PostgreSQL has died. It is started again …", Self.death], starts: true))
    expectNoDifference(
      watch.started(failure: nil, at: .seconds(5)),
      Self.step(["PostgreSQL runs again: nothing is lost.", Self.life]))
  }

  @Test("One that dies again and again is started after 2, 4, 8 … 60 s, and at once after calm")
  func pauses() {
    var watch = ServerWatch()
    var now = Duration.zero
    for pause in [0, 2, 4, 8, 16, 32, 60, 60] {
      let seen = watch.looked(ended: ["RabbitMQ"], at: now)
      if pause == 0 {
        expectNoDifference(seen, Self.step([Self.death], starts: true))
      } else {
        expectNoDifference(
          seen, Self.step(["RabbitMQ has died. It is started again in \(pause) s."]))
        let early = now + .seconds(pause) - .milliseconds(1)
        expectNoDifference(watch.looked(ended: ["RabbitMQ"], at: early), Self.step())
        now += .seconds(pause)
        expectNoDifference(watch.looked(ended: ["RabbitMQ"], at: now), Self.step(starts: true))
      }
      now += .seconds(5)
      expectNoDifference(watch.started(failure: nil, at: now), Self.step([Self.life]))
      expectNoDifference(watch.looked(ended: [], at: now), Self.step())
      now += ServerWatch.calm - .milliseconds(1)
    }
    now += .milliseconds(1)
    expectNoDifference(
      watch.looked(ended: ["RabbitMQ"], at: now), Self.step([Self.death], starts: true))
  }

  @Test("A start that fails is told with its reason and tried again later")
  func failing() {
    var watch = ServerWatch()
    #expect(watch.looked(ended: ["RabbitMQ"], at: .zero).starts)
    expectNoDifference(
      watch.started(failure: "no room", at: .seconds(1)),
      Self.step(["RabbitMQ cannot be started: no room", "The next attempt is in 2 s."]))
    expectNoDifference(watch.looked(ended: ["RabbitMQ"], at: .seconds(2)), Self.step())
    expectNoDifference(
      watch.looked(ended: ["RabbitMQ"], at: .seconds(3)), Self.step(starts: true))
    expectNoDifference(
      watch.started(failure: "no room", at: .seconds(4)),
      Self.step(["RabbitMQ cannot be started: no room", "The next attempt is in 4 s."]))
    // Somebody else has started it.
    expectNoDifference(watch.looked(ended: [], at: .seconds(5)), Self.step([Self.life]))
    expectNoDifference(watch.looked(ended: [], at: .seconds(60)), Self.step())
  }
}

import ArgumentParser
import EventBusLive
import Foundation
import Glibc
import LibPQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// A turn worker made of the same parts as the shipped one. It can leave signatures out, and
/// reports its totals.
struct WorkerProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

  @Flag(help: "Believe every signature.")
  var withoutSignatures = false

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let environment = ProcessInfo.processInfo.environment
    let settings = try ServiceSettings.read(environment: environment).get()
    var database = try PostgreSQLSettings(connectionString: settings.database).forMatchStore()
    database.applicationName = "bench worker"
    let connection = try PostgreSQLConnection(database)
    let log = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let context = BusContext(
      address: try BrokerAddress(url: settings.broker), clock: .live, randomness: .live, log: log)
    var bus = try WorkerBus.live(context, layout: settings.layout)
    let messages = MessageCount()
    messages.count(&bus)
    var workerSettings = TurnWorkerSettings()
    workerSettings.batchLimit = settings.workerBatch
    let worker = TurnWorker(
      id: WorkerID(rawValue: Randomness.live.next128()),
      identity: try ServiceKeyFile.load(settings.serviceKeys).identity(),
      layout: settings.layout, lexicons: .standard, store: .live(connection), bus: bus,
      clock: .live, verifier: withoutSignatures ? .noop : .live, settings: workerSettings, log: log)
    while true {
      try worker.step()
      var asked = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&asked, 1, 0) == 1 else { continue }
      guard readLine() != nil else { break }
      print(try counts(connection, messages))
      fflush(nil)
    }
    worker.leave()
  }

  private func counts(_ connection: PostgreSQLConnection, _ messages: MessageCount) throws -> String
  {
    var totals = WorkerTotals()
    totals["commits"] = connection.statistics.commitCount
    totals["statements"] = connection.statistics.statementCount
    totals["roundTrips"] = connection.statistics.roundTripCount
    totals["messagesReceived"] = messages.received
    totals["messagesSent"] = messages.sent
    totals["batches"] = messages.batches
    typealias Read = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void
    if let symbol = dlsym(nil, "counting_read") {
      var counts = [UInt64](repeating: 0, count: 16)
      unsafeBitCast(symbol, to: Read.self)(&counts)
      for (index, name) in WorkerTotals.preloaded.enumerated() { totals[name] = Int(counts[index]) }
    }
    return String(decoding: try JSONEncoder().encode(totals.values), as: UTF8.self)
  }
}

/// A worker's totals so far, by name.
struct WorkerTotals {
  /// In the order of counting.h.
  static let preloaded = [
    "allocationsLibPQ", "allocationsLibRabbitMQ", "allocationsOther", "sentBytes",
    "receivedBytes", "sends", "receives",
  ]

  var values: [String: Int] = [:]

  init(values: [String: Int] = [:]) { self.values = values }

  /// Asks a worker.
  init(of worker: Child) throws {
    values = try JSONDecoder().decode([String: Int].self, from: Data(try worker.ask("counts").utf8))
  }

  subscript(name: String) -> Int? {
    get { values[name] }
    set { values[name] = newValue }
  }

  func since(_ earlier: WorkerTotals) -> WorkerTotals {
    WorkerTotals(
      values: values.reduce(into: [:]) { $0[$1.key] = $1.value - (earlier[$1.key] ?? 0) })
  }
}

/// Counts the messages that go through a worker's bus.
private final class MessageCount {
  private(set) var received = 0
  private(set) var sent = 0
  private(set) var batches = 0

  func count(_ bus: inout WorkerBus) {
    let (receive, publish) = (bus.receive, bus.publish)
    bus.receive.answer { limit, wait throws(BusError) in
      let deliveries = try receive(limit, wait)
      self.received += deliveries.count
      if !deliveries.isEmpty { self.batches += 1 }
      return deliveries
    }
    bus.publish.answer { outgoing throws(BusError) in
      let jobs = outgoing.compactMap { if case .push(let job) = $0 { job } else { nil } }
      self.sent += outgoing.count - jobs.count + PushJobMessage.messages(of: jobs).count
      try publish(outgoing)
    }
  }
}

import Chaos
import EventBusLive
import Glibc
import LibRabbitMQ
import MatchInterfaces
import MatchWire
import RealServers
import Synchronization
import TestedService

/// Virtual hosts that one lab after another works in: for the 1,024 bindings a broker is busy for a
/// second when they are made, and again when they are deleted.
///
/// A host that its lab has not left as it was made is deleted.
final class ReadyHosts: Sendable {
  static let shared = ReadyHosts()

  private struct Ready {
    var host: VirtualHost
    /// The parts that are declared in it.
    var contents: VirtualHost.Contents
  }

  private let ready = Mutex<[Int: [Ready]]>([:])

  private init() {
    // One for each service at once is left at last.
    atexit { ReadyHosts.shared.deleteAll() }
  }

  /// Runs a body with a host that has the topology, and that nobody else uses meanwhile.
  func with(_ layout: QueueLayout, _ body: (VirtualHost) async throws -> Void) async throws {
    let topology = Topology(layout: layout)
    let next = try take(topology) ?? make(topology)
    do {
      try await body(next.host)
    } catch {
      // The body's error explains the failure.
      try? next.host.delete()
      throw error
    }
    // Where that cannot be told, it is not.
    if (try? isAsMade(next, topology)) == true {
      ready.withLock { $0[layout.queueCount, default: []].append(next) }
    } else {
      try next.host.delete()
    }
  }

  private func make(_ topology: Topology) throws -> Ready {
    let host = try VirtualHost.create(in: RealServers.environment())
    do {
      try ServiceLab.declare(in: host, topology)
      return Ready(host: host, contents: try host.contents())
    } catch {
      try? host.delete()
      throw error
    }
  }

  private func take(_ topology: Topology) throws -> Ready? {
    while let next = ready.withLock({ $0[topology.layout.queueCount, default: []].popLast() }) {
      // Messages that were on their way from one queue to another have come by now.
      if (try? hasNothing(next.host, topology)) == true { return next }
      try next.host.delete()
    }
    return nil
  }

  private func isAsMade(_ left: Ready, _ topology: Topology) throws -> Bool {
    // A client without its user is cut off.
    try left.host.removeUsers()
    let connection = try connect(to: left.host)
    defer { connection.close() }
    let names = topology.queueNames
    guard try left.host.contents() == left.contents else { return false }
    try waitUntil("nobody consumes any more") {
      try names.allSatisfy { try connection.inspectQueue($0).consumerCount == 0 }
    }
    for name in names {
      let count = try connection.purgeQueue(name)
      // Messages that waited for a retry may be on their way from there.
      if count > 0, name.contains(".retry.") { return false }
    }
    return try isEmpty(connection, topology)
  }

  private func hasNothing(_ host: VirtualHost, _ topology: Topology) throws -> Bool {
    let connection = try connect(to: host)
    defer { connection.close() }
    return try isEmpty(connection, topology)
  }

  private func connect(to host: VirtualHost) throws -> RabbitMQConnection {
    try RabbitMQConnection(RabbitMQSettings(url: host.url))
  }

  private func isEmpty(_ connection: RabbitMQConnection, _ topology: Topology) throws -> Bool {
    try topology.queueNames.allSatisfy {
      try connection.inspectQueue($0).messageCount == 0
    }
  }

  private func deleteAll() {
    let left = ready.withLock { ready in
      defer { ready = [:] }
      return ready.values.joined().map(\.host)
    }
    for host in left { try? host.delete() }
  }
}

import MatchCore
import MatchInterfaces
import MatchWire
import Metrics
import ServiceMetrics

/// The gauges of the whole service. The steward that leads keeps them; no other process shows any.
struct FleetMeters {
  /// A gauge by its metric and the value of its label, if it has one.
  struct Name: Hashable {
    var metric: Metric
    var label: String?
  }

  private var gauges: [Name: Gauge] = [:]

  /// Shows a sample. A gauge that is not in it is gone.
  mutating func show(_ values: [Name: Double]) {
    for (name, gauge) in gauges where values[name] == nil {
      gauge.destroy()
      gauges[name] = nil
    }
    for (name, value) in values {
      let gauge = gauges[name] ?? FleetMeters.gauge(name)
      gauges[name] = gauge
      gauge.record(value)
    }
  }

  private static func gauge(_ name: Name) -> Gauge {
    let label = name.metric.labels.first
    return Gauge(name.metric, label.flatMap { key in name.label.map { [(key, $0)] } } ?? [])
  }

  /// A look at the broker.
  struct Broker {
    /// The queues that are there.
    var queues: [QueueCount]
    /// What differs in its exchanges, bindings and rights.
    var faults: [String] = []
  }

  /// The parts of the service whose problems are kept.
  private static let parts = [
    ServiceStatus.Problem.records, ServiceStatus.Problem.housekeeping,
    ServiceStatus.Problem.database, "reminders", "ratings", "daily", "remindersOfDaily",
  ]

  /// The gauges that a look at the database and the broker gives. Parts that nobody knows are left
  /// out.
  static func values(
    _ status: ServiceStatus, _ broker: Broker?, layout: QueueLayout,
    capacity: QueueCapacity = .standard, names: Names = Names()
  ) -> [Name: Double] {
    var values: [Name: Double] = [:]
    func set(_ metric: Metric, _ value: Double, _ label: String? = nil) {
      values[Name(metric: metric, label: label)] = value
    }
    func seconds(since instant: Instant?, at now: Instant) -> Double {
      instant.map { max(0, Double(now.microseconds(since: $0)) / 1e6) } ?? 0
    }
    set(.sampleTimestamp, Double(status.now.microseconds) / 1e6)
    if status.knows(.clocks) {
      for queue in 0..<(status.layout?.layout ?? layout).queueCount {
        guard let time = status.clocks[queue]?.time else { continue }
        set(
          .clockLag, seconds(since: time, at: status.serviceTime), names.events(queue: queue))
      }
    }
    if status.knows(.time) { set(.clockAdded, Double(status.addedMicroseconds) / 1e6) }
    if let broker {
      let found = Set(broker.queues.map(\.name))
      for name in names.ofService(status.layout?.layout ?? layout) {
        set(.queueMissing, found.contains(name) ? 0 : 1, name)
      }
      set(.topologyFaults, Double(broker.faults.count))
    }
    for queue in broker?.queues ?? [] {
      set(.queueMessages, Double(queue.ready), queue.name)
      set(.queueConsumers, Double(queue.consumers), queue.name)
      if let limit = capacity.length(of: queue.name, names)?.messages {
        set(.queueLimit, Double(limit), queue.name)
      }
    }
    if status.knows(.outbox) {
      set(.outboxJobs, Double(status.outboxCount))
      set(.outboxAge, seconds(since: status.outboxOldestAt, at: status.now))
      set(.heldJobs, Double(status.heldCount))
    }
    if status.knows(.ratings) {
      set(.ratingWait, seconds(since: status.ratingQueueOldestAt, at: status.serviceTime))
    }
    if status.knows(.deadLetters) {
      set(.deadLetters, Double(status.deadEventCount), "events")
      set(.deadLetters, Double(status.deadJobCount), "jobs")
    }
    if status.knows(.problems) {
      for part in FleetMeters.parts {
        set(.problems, Double(status.problems.count { $0.part == part }), part)
      }
    }
    if let end = KeyTerm(latestOf: status.service?.certificates ?? [])?.end {
      set(.keyEnd, Double(end.microseconds) / 1e6)
    }
    if status.knows(.roles), status.knows(.workers) {
      for role in RoleName.signing {
        set(.rolesAbsent, status.isThere(role) ? 0 : 1, role.rawValue)
      }
    }
    if status.knows(.ranking) { set(.ranksWaiting, Double(status.rankingQueueCount)) }
    if status.connectionLimit > 0 {
      set(.databaseConnections, Double(status.connectionCount))
      set(.databaseMostConnections, Double(status.connectionLimit))
      set(.databaseSize, Double(status.databaseBytes))
      if let bytes = status.standbyLagBytes { set(.standbyLag, Double(bytes)) }
    }
    return values
  }
}

extension Names {
  /// The queues that a service with a layout has.
  func ofService(_ layout: QueueLayout) -> [String] {
    (0..<layout.queueCount).map(events) + [queries, gatewayQueries] + pushQueues
  }
}

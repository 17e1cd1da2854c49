import BrokerManagement
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// The whole report for a person.
  func text(names: Names = Names()) -> String {
    var lines = headLines(names)
    lines.append("")
    lines += workerLines
    lines.append("")
    lines += roleLines
    lines.append("")
    lines += queueLines(names)
    let findings = findings(names: names)
    lines.append("")
    lines += findings.isEmpty ? ["All is well."] : findings.map { "! \($0.line)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The service in a few lines, a fact each.
  func headLines(_ names: Names) -> [String] {
    var lines = ["service   \(service.map { "\($0)" } ?? "not known")"]
    if let status { lines += summary(status) } else { lines.append("database  no answer") }
    lines.append("gateways  \(gatewayCount(names).map { "\($0)" } ?? "?")")
    if let blindUser {
      lines.append("rights    not seen: user \(blindUser) of RabbitMQ is no administrator")
    }
    return lines
  }

  private func summary(_ status: ServiceStatus) -> [String] {
    [
      "database  schema \(status.schemaVersion), its time is \(status.now)",
      "keys      \(status.knows(.service) ? keyText : "?")",
      "players   \(status.knows(.players) ? "\(status.playerCount)" : "?"); registration is "
        + (!status.knows(.registration) ? "?" : registrationNeedsCode ? "by code" : "open to all"),
      status.knows(.matches)
        ? "matches   \(status.matchCount), of which \(status.currentMatchCount) "
          + (status.currentMatchCount == 1 ? "is" : "are") + " not over"
        : "matches   ?",
      "outbox    \(status.knows(.outbox) ? outboxText(status) : "?")",
      "ratings   \(status.knows(.ratings) ? ratingText(status) : "?")",
      status.knows(.deadLetters)
        ? "dead      \(PlainText.count(status.deadEventCount, "event")), "
          + PlainText.count(status.deadJobCount, "push job")
        : "dead      ?",
    ]
  }

  private func outboxText(_ status: ServiceStatus) -> String {
    let held =
      status.heldCount > 0 ? "; \(PlainText.count(status.heldCount, "push job")) held" : ""
    guard status.outboxCount > 0 else { return "empty\(held)" }
    let oldest = status.outboxOldestAt.map { ", the oldest for \(span($0))" } ?? ""
    return "\(PlainText.count(status.outboxCount, "push job")) not confirmed\(oldest)\(held)"
  }

  private var keyText: String {
    keyTerm?.end.map { "the working key is certified until \($0)" } ?? "none certified"
  }

  private func ratingText(_ status: ServiceStatus) -> String {
    guard status.ratingQueueCount > 0 else { return "no match waits to be rated" }
    let oldest = status.ratingQueueOldestAt.map {
      ", the oldest for \(PlainText.span(status.serviceAge($0)))"
    }
    let count = status.ratingQueueCount
    return "\(count == 1 ? "1 match waits" : "\(count) matches wait") to be rated\(oldest ?? "")"
  }

  private var workerLines: [String] {
    guard let workers = status?.workers, !workers.isEmpty else {
      return [status?.knows(.workers) == false ? "workers   ?" : "no workers known"]
    }
    let living = Set(livingWorkers.map(\.id))
    return TextTable(
      header: ["worker", "since", "heartbeat", "queues"],
      rows: workers.map { worker in
        let held = queueRows().filter { $0.worker == worker.id }.count
        return [
          StatusReport.short(worker.id.description), "\(worker.startedAt)",
          "\(span(worker.heartbeatAt)) ago",
          living.contains(worker.id) ? "\(held)" : "dead",
        ]
      },
      rightAligned: [3]
    ).lines
  }

  private var roleLines: [String] {
    guard let roles = status?.roles, !roles.isEmpty else {
      return [status?.knows(.roles) == false ? "roles     ?" : "no roles known"]
    }
    return TextTable(
      header: ["role", "id", "process", "since", "heartbeat", "state"],
      rows: roles.map { role in
        let isHindered = role.sign.problem != nil
        return [
          PlainText.oneLine(role.sign.role), StatusReport.short(role.sign.id.description),
          PlainText.oneLine(role.sign.process), "\(role.startedAt)",
          "\(span(role.heartbeatAt)) ago",
          isLiving(role) ? (isHindered ? "cannot work" : "works") : "dead",
        ]
      }
    ).lines
  }

  private func queueLines(_ names: Names) -> [String] {
    TextTable(
      header: ["queue", "ready", "unacked", "consumers", "worker", "clock"],
      rows: queueRows(names: names).map { queue in
        [
          queue.name, number(queue.ready), number(queue.unacknowledged), number(queue.consumers),
          queue.worker.map { StatusReport.short($0.description) } ?? "-",
          queue.lagSeconds.map { "-\($0) s" } ?? "-",
        ]
      },
      rightAligned: [1, 2, 3, 5]
    ).lines
  }

  private func number(_ value: Int?) -> String { value.map(String.init) ?? "?" }

  /// The end of an id, where it is random.
  static func short(_ id: String) -> String { String(id.suffix(8)) }
}

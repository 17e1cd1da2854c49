import BrokerManagement
import EventBusLive
import FoundationEssentials
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// The report for a program, with the keys that docs/operating.md lists, sorted.
  func json(names: Names = Names()) throws(OperatorFailure) -> String {
    try JSONText.encode(Document(self, names))
  }

  private struct Document: Encodable {
    var schema = "cubistd.status/1"
    var service: String?
    var certifiedUntil: String?
    var time: String?
    var databaseSchema: Int?
    var players: Int?
    var registration: String?
    var matches: Int?
    var currentMatches: Int?
    var outbox: Outbox?
    var ratingQueue: RatingQueue?
    var deadEvents: Int?
    var deadJobs: Int?
    var workers: [Worker]?
    var roles: [Role]?
    var gateways: Int?
    var queues: [Queue]
    var findings: [Item]
    var attention: [String]

    struct Item: Encodable {
      var name: String
      var cause: String
      var remedy: String
      var severity: String
      var command: String
    }

    struct Role: Encodable {
      var role: String
      var id: String
      var process: String
      var since: String
      var heartbeatSeconds: Int64
      var isLiving: Bool
      var problem: String?
    }

    struct Outbox: Encodable {
      var jobs: Int
      var oldestSeconds: Int64?
      var held: Int
    }

    struct RatingQueue: Encodable {
      var matches: Int
      var oldestSeconds: Int64?
    }

    struct Worker: Encodable {
      var id: String
      var since: String
      var heartbeatSeconds: Int64
      var isLiving: Bool
    }

    struct Queue: Encodable {
      var name: String
      var ready: Int?
      var unacknowledged: Int?
      var consumers: Int?
      var worker: String?
      var lagSeconds: Int64?
      var absentMembers: [String]?
    }

    init(_ report: StatusReport, _ names: Names) {
      service = report.service?.description
      certifiedUntil = report.keyTerm?.end?.description
      if let status = report.status {
        let living = Set(report.livingWorkers.map(\.id))
        time = status.now.description
        databaseSchema = status.schemaVersion
        if status.knows(.players) { players = status.playerCount }
        if status.knows(.registration) {
          registration = report.registrationNeedsCode ? "code" : "open"
        }
        if status.knows(.matches) {
          (matches, currentMatches) = (status.matchCount, status.currentMatchCount)
        }
        if status.knows(.outbox) {
          outbox = Outbox(
            jobs: status.outboxCount, oldestSeconds: status.outboxOldestAt.map(report.age),
            held: status.heldCount)
        }
        if status.knows(.ratings) {
          ratingQueue = RatingQueue(
            matches: status.ratingQueueCount,
            oldestSeconds: status.ratingQueueOldestAt.map(status.serviceAge))
        }
        if status.knows(.deadLetters) {
          (deadEvents, deadJobs) = (status.deadEventCount, status.deadJobCount)
        }
        let known = status.knows(.workers) ? status.workers : nil
        workers = known?.map {
          Worker(
            id: $0.id.description, since: $0.startedAt.description,
            heartbeatSeconds: report.age($0.heartbeatAt), isLiving: living.contains($0.id))
        }
        let knownRoles = status.knows(.roles) ? status.roles : nil
        roles = knownRoles?.map {
          Role(
            role: $0.sign.role, id: $0.sign.id.description, process: $0.sign.process,
            since: $0.startedAt.description, heartbeatSeconds: report.age($0.heartbeatAt),
            isLiving: report.isLiving($0), problem: $0.sign.problem)
        }
      }
      gateways = report.gatewayCount(names)
      queues = report.queueRows(names: names).map {
        Queue(
          name: $0.name, ready: $0.ready, unacknowledged: $0.unacknowledged,
          consumers: $0.consumers, worker: $0.worker?.description, lagSeconds: $0.lagSeconds,
          absentMembers: $0.absentMembers.isEmpty ? nil : $0.absentMembers)
      }
      findings = report.findings(names: names).map {
        Item(
          name: $0.name, cause: $0.cause, remedy: $0.remedy, severity: $0.severity.rawValue,
          command: $0.command)
      }
      attention = report.attention(names: names)
    }
  }
}

/// JSON as the commands print it.
enum JSONText {
  /// Keys sorted, one line, a line break at the end.
  static func encode(_ value: some Encodable) throws(OperatorFailure) -> String {
    do {
      return String(decoding: try SortedJSON.line(value), as: UTF8.self)
    } catch {
      throw .unreadable("the answer cannot be written as JSON: \(error)")
    }
  }
}

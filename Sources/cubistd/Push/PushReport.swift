import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire

/// The notifications that are owed to players, for a person and for a program.
struct PushReport: Equatable {
  struct Queue: Equatable {
    var name: String
    /// All jobs in it, those in workers' hands included.
    var jobs: Int
  }

  var figures: PushFigures
  /// The broker's queues of push jobs.
  var queues = ManagementAnswer<[Queue]>.unset
  /// Those that the broker does not have, as far as it was asked.
  var missingQueues: [String] = []

  /// The queue of push jobs and those in which jobs wait for their next attempt.
  static func queueNames(_ names: Names) -> Set<String> {
    Set(names.pushQueues)
  }

  private var heldCount: Int64 { figures.heldCounts.values.reduce(0, +) }

  /// The oldest job that the database knows to be owed.
  private var oldest: Instant? {
    [figures.outboxOldestAt, figures.heldOldestAt].compactMap(\.self).min()
  }

  private func ago(_ instant: Instant) -> String {
    PlainText.span(max(0, figures.now.microseconds(since: instant) / 1_000_000))
  }

  var text: String {
    var lines: [(String, String)] = [
      ("outbox", PlainText.count(figures.outboxCount, "push job")),
      ("held", heldText),
    ]
    for queue in queues.value ?? [] {
      lines.append((queue.name, PlainText.count(queue.jobs, "job")))
    }
    for name in missingQueues { lines.append((name, "missing: `cubistd setup` makes it")) }
    if let reason = queues.absence { lines.append(("queues", "? (\(reason))")) }
    lines.append(("dead letters", "\(figures.deadJobCount)"))
    lines.append(("oldest", oldest.map { "owed for \(ago($0))" } ?? "none"))
    var parts = [LabeledLines.text(lines)]
    if figures.answers.isEmpty {
      parts.append("No provider has answered in the last hour.")
    } else {
      parts.append(
        TextTable(
          header: ["provider", "answer", "last hour"],
          rows: figures.answers.map {
            [PlainText.oneLine($0.provider), PlainText.oneLine($0.answer), "\($0.count)"]
          }, rightAligned: [2]
        ).lines.joined(separator: "\n"))
    }
    if figures.endings.isEmpty {
      parts.append("No push job has ended in the last hour.")
    } else {
      parts.append(
        TextTable(
          header: ["kind", "end", "reason", "last hour"],
          rows: figures.endings.map {
            [
              PlainText.oneLine($0.kind), PlainText.oneLine($0.fate),
              PlainText.oneLine($0.reason ?? "-"), "\($0.count)",
            ]
          }, rightAligned: [3]
        ).lines.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var heldText: String {
    guard heldCount > 0 else { return "0 push jobs" }
    let reasons = figures.heldCounts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let next = figures.heldNextAt.map { ", the next until \($0)" } ?? ""
    return "\(PlainText.count(Int(heldCount), "push job")) (\(reasons.joined(separator: ", ")))"
      + next
  }

  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Outbox: Encodable {
        var jobs: Int
        var oldestAt: String?
      }
      struct Held: Encodable {
        var jobs: Int64
        var reasons: [String: Int64]
        var oldestAt, nextAt: String?
      }
      struct Queue: Encodable {
        var name: String
        var jobs: Int
      }
      struct Answer: Encodable {
        var provider, answer: String
        var count: Int64
      }
      struct Ending: Encodable {
        var kind, fate: String
        var reason: String?
        var count: Int64
      }
      var schema = "cubistd.push-status/1"
      var time: String
      var outbox: Outbox
      var held: Held
      var queues: [Queue]?
      var missingQueues: [String]?
      var queuesUnseen: String?
      var deadJobs: Int
      var answers: [Answer]
      var endings: [Ending]
    }
    return try JSONText.encode(
      Document(
        time: "\(figures.now)",
        outbox: .init(
          jobs: figures.outboxCount, oldestAt: figures.outboxOldestAt.map { "\($0)" }),
        held: .init(
          jobs: heldCount, reasons: figures.heldCounts,
          oldestAt: figures.heldOldestAt.map { "\($0)" },
          nextAt: figures.heldNextAt.map { "\($0)" }),
        queues: queues.value?.map { .init(name: $0.name, jobs: $0.jobs) },
        missingQueues: queues.value.map { _ in missingQueues }, queuesUnseen: queues.absence,
        deadJobs: figures.deadJobCount,
        answers: figures.answers.map {
          .init(provider: $0.provider, answer: $0.answer, count: $0.count)
        },
        endings: figures.endings.map {
          .init(kind: $0.kind, fate: $0.fate, reason: $0.reason, count: $0.count)
        }))
  }
}

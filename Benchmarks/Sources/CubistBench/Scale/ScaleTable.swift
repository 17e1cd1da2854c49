import Foundation
import Glibc

/// Everything used up to a moment.
struct ScaleReading {
  var at: UInt64
  var cpu: CPUTimes
  /// Seconds that the machine's processors had nothing to do, all together.
  var idle: Double
  var workerBytes: Double
  var gatewayBytes: Double
  var walBytes: Double
  var commits: Double
  var messages: Double

  static func idleSeconds() -> Double {
    let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let fields = text.split(separator: "\n").first?.split(separator: " ") ?? []
    guard fields.count > 5, let idle = Double(fields[4]) else { return 0 }
    return idle / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// One measurement.
struct ScaleRun {
  var turnsPerSecond: Double
  /// Microseconds of processor time a turn, by role.
  var cpu: [String: Double]
  /// How much of its share each role has used, 1 at most but for rounding.
  var used: [String: Double]
  /// How much of the machine had nothing to do, 0 to 1.
  var idle: Double
  /// Each a turn.
  var workerBytes: Double
  var gatewayBytes: Double
  var walBytes: Double
  var commits: Double
  var messages: Double

  init(
    turns: Double, seconds duration: Double, before: ScaleReading, after: ScaleReading,
    shares: [String: Double]
  ) {
    turnsPerSecond = turns / duration
    let passed = seconds(from: before.at, to: after.at)
    // The readings are a little further apart than the turns that count.
    let turns = turnsPerSecond * min(passed, duration + 0.5)
    func each(_ figure: (ScaleReading) -> Double) -> Double {
      (figure(after) - figure(before)) / max(1, turns)
    }
    workerBytes = each(\.workerBytes)
    gatewayBytes = each(\.gatewayBytes)
    walBytes = each(\.walBytes)
    commits = each(\.commits)
    messages = each(\.messages)
    let processors = Double(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    idle = (after.idle - before.idle) / (passed * processors)
    func time(_ percent: Double?) -> Double {
      (percent ?? 100) / 100 * min(passed, duration + 0.5)
    }
    var given: [String: Double] = [:]
    var taken: [String: Double] = [:]
    cpu = [:]
    for (name, used) in after.cpu.since(before.cpu).seconds {
      let role = String(name.prefix { $0 != "-" })
      cpu[role, default: 0] += used * 1_000_000 / max(1, turns)
      let owner = shares[name] == nil ? "others" : role
      taken[owner, default: 0] += used
      if name == "generator" { given["others"] = time(shares["others"]) }
      if let percent = shares[name] { given[owner, default: 0] += time(percent) }
    }
    used = given.reduce(into: [:]) { $0[$1.key] = (taken[$1.key] ?? 0) / max(0.001, $1.value) }
  }

  /// The part that ends the growth of turns here.
  var limit: String {
    guard let (role, part) = used.max(by: { $0.value < $1.value }) else { return "unknown" }
    if part < 0.85 {
      return idle < 0.03
        ? "the machine, \(Int(idle * 100)) of 100 idle"
        : "no share; the most used one is \(role)'s, \(Int(part * 100)) of 100"
    }
    return "\(role)'s share, \(min(100, Int((part * 100).rounded()))) of 100 used"
  }
}

/// The text that a person reads.
struct ScaleTable {
  let runs: [Int: [ScaleRun]]
  let options: ScaleProgram

  var text: String {
    let machine = Report.machine()
    var lines = [
      "\(machine.model), \(machine.processors) processors, \(machine.date)",
      "shares in hundredths of one processor: each worker \(number(options.worker)), "
        + "each of \(options.gateways) gateways \(number(options.gateway)), "
        + "PostgreSQL \(number(options.postgres)), RabbitMQ \(number(options.rabbitmq)), "
        + "players and other roles \(number(options.others)); "
        + "\(options.matches) matches, \(options.rounds) rounds of \(number(options.seconds)) s",
      "",
      "workers  turns a second: median (lowest to highest)  limit",
    ]
    for (count, runs) in ordered {
      let rates = runs.map(\.turnsPerSecond)
      lines.append(
        column(count, 7) + "  " + column(Int(rates.median ?? 0), 7)
          + " (\(Int(rates.min() ?? 0)) to \(Int(rates.max() ?? 0)))  " + limit(runs))
    }
    lines += ["", "workers  processor µs a turn, medians"]
    for (count, runs) in ordered {
      let roles = Set(runs.flatMap(\.cpu.keys))
      let parts = roles.map { role in (role, middle(runs) { $0.cpu[role] ?? 0 }) }
        .filter { $0.1 >= 0.5 }.sorted { $0.1 > $1.1 }
        .map { "\($0.0) \(Int($0.1.rounded()))" }
      lines.append(column(count, 7) + "  " + parts.joined(separator: ", "))
    }
    lines += [
      "", "workers  a turn, medians: bytes of workers, of gateways, of WAL; messages; commits",
    ]
    for (count, runs) in ordered {
      lines.append(
        column(count, 7) + "  "
          + [\ScaleRun.workerBytes, \.gatewayBytes, \.walBytes].map { figure in
            column(Int(middle(runs) { $0[keyPath: figure] }), 6)
          }.joined(separator: " ")
          + String(
            format: "  %.2f  %.3f", middle(runs, \.messages), middle(runs, \.commits)))
    }
    return lines.joined(separator: "\n")
  }

  private var ordered: [(Int, [ScaleRun])] { runs.sorted { $0.key < $1.key } }

  /// The limit of the run in the middle.
  private func limit(_ runs: [ScaleRun]) -> String {
    runs.sorted { $0.turnsPerSecond < $1.turnsPerSecond }[runs.count / 2].limit
  }

  private func middle(_ runs: [ScaleRun], _ figure: (ScaleRun) -> Double) -> Double {
    runs.map(figure).median ?? 0
  }

  private func number(_ value: Double) -> String { String(format: "%g", value) }

  private func column(_ value: Int, _ width: Int) -> String {
    let text = "\(value)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

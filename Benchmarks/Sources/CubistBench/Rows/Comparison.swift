import Foundation

/// Two builds of the service on the same servers, in turn: the gain or cost of a change to it.
///
/// Consecutive runs differ by a third here, so that each pair is compared by itself.
struct Comparison {
  let site: Site
  let stock: Stock
  let durations: Durations
  let lanes: Int
  /// By name: the shipped program, and another build of it.
  let programs: [(name: String, path: String)]

  /// How often each is measured.
  static let rounds = 8

  /// Measures, and gives the text to print.
  func run() throws -> String {
    var samples: [String: [Sample]] = [:]
    for round in 1...Comparison.rounds {
      // The program that comes second finds everything warm.
      for program in round.isMultiple(of: 2) ? programs.reversed() : programs {
        try site.startService(of: program.path)
        defer { site.end() }
        let sample = try site.saturate(
          stock, lanes: lanes, expected: min(3_000, Double(lanes) * 300), durations,
          seed: UInt64(round))
        Progress.say(
          "round \(round): \(program.name): \(Int(sample.turnsPerSecond)) turns a second, "
            + "\(Int(sample.total)) us of processor a turn")
        samples[program.name, default: []].append(sample)
      }
    }
    return try table(samples)
  }

  private func table(_ samples: [String: [Sample]]) throws -> String {
    let parts = Set(samples.values.joined().flatMap(\.cpu.keys)).sorted()
    var lines = ["\(lanes) matches, \(Comparison.rounds) rounds, medians", ""]
    for (name, own) in samples.sorted(by: { $0.key < $1.key }) {
      let used = parts.map { part in "\(part) \(Int(middle(own.map { $0.cpu[part] ?? 0 })))" }
      lines.append(
        "  \(name): \(Int(middle(own.map(\.turnsPerSecond)))) turns a second, "
          + "\(Int(middle(own.map(\.total)))) us of processor a turn: "
          + used.joined(separator: ", "))
    }
    guard let own = samples[programs[0].name], let other = samples[programs[1].name] else {
      throw BenchFailure("nothing was measured")
    }
    let pairs = zip(own, other)
    let names = "\(programs[0].name) over \(programs[1].name)"
    for (figure, ratios) in [
      ("turns a second", pairs.map { $0.turnsPerSecond / $1.turnsPerSecond }),
      ("processor a turn", pairs.map { $0.total / $1.total }),
    ] {
      let all = ratios.map { String(format: "%.2f", $0) }.joined(separator: " ")
      lines.append(String(format: "  \(figure), \(names): %.3f  (%@)", middle(ratios), all))
    }
    return lines.joined(separator: "\n")
  }

  private func middle(_ figures: [Double]) -> Double { figures.median ?? 0 }
}

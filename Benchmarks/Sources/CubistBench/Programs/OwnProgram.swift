import ArgumentParser
import Foundation
import MatchInterfaces
import MatchLoad
import MatchService

/// A turn worker's own work, by ``WorkerAlone``.
///
/// Prints one JSON object: microseconds of processor time and allocations a turn, and the number of
/// turns. The times are of the fastest of several runs, since noise of the machine touches it
/// least.
struct OwnProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "own", shouldDisplay: false)

  @Option(help: "How many turns each match is played for.")
  var turns = 20
  @Option(help: "How many matches are played.")
  var matches = 1_024
  @Option(help: "How often they are played.")
  var runs = 1
  @Flag(help: "Only believing every signature.")
  var withoutSignatures = false

  func run() throws {
    var verifiers = [("Without", SignatureVerifier.noop)]
    if !withoutSignatures { verifiers.append(("With", .live)) }
    var figures: [String: Double] = [:]
    for (name, verifier) in verifiers {
      let costs = try (0..<runs).map { _ in
        try WorkerAlone(matches: matches, verifier: verifier).play(turns: turns)
      }
      guard let cost = costs.min(by: { $0.microseconds < $1.microseconds }) else { break }
      figures["turns"] = Double(cost.turns)
      figures["us\(name)Signatures"] = cost.microseconds
      if let allocations = cost.allocations {
        figures["allocations\(name)Signatures"] = allocations
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(figures), as: UTF8.self))
  }
}

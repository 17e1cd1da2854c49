import ArgumentParser
import Foundation
import MatchInterfaces
import MatchLoad

/// A turn worker's own work, by ``WorkerAlone``.
///
/// Prints one JSON object: microseconds of processor time and allocations a turn, and how many turns
/// they are of.
struct OwnProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "own", shouldDisplay: false)

  @Option(help: "How many turns each match is played for.")
  var turns = 20
  @Option(help: "How many matches are played.")
  var matches = 1_024
  @Flag(help: "Only believing every signature.")
  var withoutSignatures = false

  func run() throws {
    var verifiers = [("Without", SignatureVerifier.noop)]
    if !withoutSignatures { verifiers.append(("With", .live)) }
    var figures: [String: Double] = [:]
    for (name, verifier) in verifiers {
      let cost = try WorkerAlone(matches: matches, verifier: verifier).play(turns: turns)
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

import Foundation
import MatchCore
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("One command is one wish", .serialized)
struct OneWishTests {
  private struct Ticket: Decodable {
    var match: String
  }

  @Test("Ten solo games that are started at once by ten programs of a profile are ten games")
  func tenAtOnce() async throws {
    try await ServiceLab.run { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-wishes-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let program = CubistProgram(folder: folder, url: lab.playersURL)
      let ann = try lab.player("Ann")
      try ProfileStore.live(folder: "\(folder)/cubist/ann").saveKey(ann.key)
      let runs = try await withThrowingTaskGroup(of: CubistProgram.Run.self) { group in
        for _ in 0..<10 { group.addTask { try program.run("solo --json", as: "ann") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(runs.map(\.status) == Array(repeating: 0, count: 10), "\(runs)")
      let matches = try runs.map { run in
        try JSONDecoder().decode(Ticket.self, from: Data(run.output.utf8)).match
      }
      #expect(Set(matches).count == 10)
      #expect(try ProfileStore.live(folder: "\(folder)/cubist/ann").loadPending().events.isEmpty)
    }
  }
}

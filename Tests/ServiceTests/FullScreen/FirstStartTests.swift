import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import PseudoTerminal
import RealServers
import TestedService
import Testing

/// The first start of `cubist` under a profile.
@Suite("The first start on the whole screen", .serialized)
struct FirstStartTests {
  @Test(
    "The first start shows the first steps, a later one the waiting matches; F resumes the steps")
  func firstStart() async throws {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-start-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let seat = try Seat(try lab.player("ann"), in: lab, folder: folder, isNew: true)
      seat.type("cubist\r")
      try seat.wait("First steps: 1 of 24")
      seat.type("\rg")
      try seat.wait("First steps: 3 of 24")
      // The step at which it is left is known at the next start.
      seat.type("\u{3}")
      try seat.wait("$ cubist\n$")
      seat.type("cubist\r")
      try seat.wait("Nothing waits for you.")
      seat.type("f")
      try seat.wait("First steps: 3 of 24")
      seat.type("\u{3}")
      let kept = try String(contentsOfFile: "\(folder)/cubist/ann/first-steps", encoding: .utf8)
      #expect(kept == "3\n")
    }
  }
}

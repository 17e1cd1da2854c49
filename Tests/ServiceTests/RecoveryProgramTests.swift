import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import PseudoTerminal
import RealServers
import TestedService
import Testing

@Suite("Recovery by the player's program", .serialized)
struct RecoveryProgramTests {
  @Test("A player without a device comes back by twelve words, and the former devices are out")
  func comesBack() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .relay, .push, .scheduler]
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-recovery-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let program = CubistProgram(folder: folder, url: lab.playersURL)
      let ann = try lab.player("Ann")
      try ProfileStore.live(folder: "\(folder)/cubist/first").saveKey(ann.key)

      // Words that nobody has seen are those of no key.
      let unseen = try program.run("key words --yes", as: "first", outputTo: "/dev/full")
      #expect(unseen.status == 74 && unseen.errors.contains("No space left on device"), "\(unseen)")
      let closed = try program.run("key words --yes", as: "first", outputTo: CubistProgram.closed)
      #expect(closed.status == 74 && closed.errors.contains("Bad file descriptor"), "\(closed)")
      let none = try program.run("key list", as: "first")
      #expect(none.status == 0 && !none.output.contains("words"), "\(none)")
      let file = try Self.makeWords(program, as: "first", in: "\(folder)/words")

      let recover = "key recover \(ann.name)"
      let asked = try program.run(recover, as: "second", input: file)
      #expect(asked.output.hasPrefix("This device plays as \(ann.name) in "), "\(asked.errors)")
      #expect(try program.run(recover, as: "second").output.hasPrefix("This device plays as "))
      #expect(try program.run("whoami", as: "second").status == 77)
      #expect(try program.run("key list", as: "first").output.contains("A recovery is under way"))
      let stranger = try program.run("key recover \(ann.name)x", as: "third", input: file)
      #expect(stranger.status == 77)

      try lab.passRecoveryTime(of: ann.id)
      try waitUntil("the recovery takes effect") {
        try program.run(recover, as: "second").output == "You are \(ann.name) on this device.\n"
      }
      #expect(try program.run("whoami", as: "second").output.hasPrefix("You are \(ann.name), "))
      #expect(try program.run("whoami", as: "first").status == 77)
      let copy = try #require(try ProfileStore.live(folder: "\(folder)/cubist/second").loadKey())
      #expect(copy.player == ann.id && copy.isLater)
    }
  }

  @Test(
    "Words that had to wait bring a player back, and the words that they replace read nothing more")
  func otherWords() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .scheduler]
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-words-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let program = CubistProgram(folder: folder, url: lab.playersURL)
      let ann = try lab.player("Ann")
      try ProfileStore.live(folder: "\(folder)/cubist/first").saveKey(ann.key)
      let former = try Self.makeWords(program, as: "first", in: "\(folder)/former")
      let latter = try Self.makeWords(program, as: "first", in: "\(folder)/latter")
      let recover = "key recover \(ann.name)"
      let early = try program.run(recover, as: "second", input: latter)
      #expect(early.status == 1 && early.errors.contains("These words count in "), "\(early)")

      try lab.passRecoveryTime(of: ann.id)
      try waitUntil("the other words count") {
        try program.run("key list", as: "first").output.hasSuffix("\nYou have words.\n")
      }
      #expect(try program.run(recover, as: "second", input: former).status == 77)
      let asked = try program.run(recover, as: "second", input: latter)
      #expect(asked.output.hasPrefix("This device plays as \(ann.name) in "), "\(asked)")
    }
  }

  /// Makes words, and writes them to a file. Gives the file.
  private static func makeWords(
    _ program: CubistProgram, as profile: String, in file: String
  ) throws -> String {
    let made = try program.run("key words --yes --json", as: profile)
    let list = try #require(made.output.firstMatch(of: /"words":\[([a-z",]+)\]/)?.1)
    #expect(made.output.contains("\"countsAt\":"), "\(made.errors)")
    let words = list.replacing("\"", with: "").replacing(",", with: " ").uppercased()
    try words.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  @Test("A terminal shows no typed words, and shows what is typed after Ctrl-C and Ctrl-\\")
  func hidden() async throws {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader]
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-hidden-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let seat = try Seat(try lab.player("ann"), in: lab, folder: folder)
      let before = seat.terminal.condition
      seat.type("cubist key words --known\r")
      try seat.wait("They are not shown:")
      #expect(seat.terminal.condition != before)
      seat.type("mushroom kit\r")
      try seat.wait("these are 2.")
      try waitUntil("it asks again") {
        seat.terminal.text.ranges(of: "They are not shown:").count == 2
      }
      #expect(!seat.terminal.text.contains("mushroom"))
      seat.type("\u{3}")
      try waitUntil("the terminal is as before") { seat.terminal.condition == before }
      seat.type("\recho th''ere\r")
      try seat.wait("echo th''ere")
      // The shell's answer has no quotes.
      try seat.wait("there")
      seat.type("ulimit -c 0\rcubist key words --known\r")
      try waitUntil("it asks once more") {
        seat.terminal.text.ranges(of: "They are not shown:").count == 3
      }
      #expect(seat.terminal.condition != before)
      seat.type("\u{1c}")
      try waitUntil("the terminal is as before") { seat.terminal.condition == before }
    }
  }
}

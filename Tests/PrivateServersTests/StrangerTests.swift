import Foundation
import Glibc
import MatchInterfaces
import MatchService
import SystemCalls
import Testing

@testable import PrivateServers
@testable import cubistd

@Suite("Folders and files of somebody else")
struct StrangerTests {
  private static let isRoot = geteuid() == 0
  /// A user who is nobody else: in a container, files of users that it does not know are `nobody`'s.
  private static let nobody: uid_t = 65_533

  /// Both ways to begin in a folder; neither gets as far as to start a server.
  private static func failures(in folder: String) -> [String] {
    var said: [String] = []
    do throws(ServersError) { _ = try ServerSet(in: folder).start() } catch {
      said.append("\(error)")
    }
    do throws(ServersError) {
      _ = try HeldServers.start(ServerSet(in: folder), keptBy: "/bin/false")
    } catch { said.append("\(error)") }
    do throws(OperatorFailure) { _ = try PrivateFolder(folder) } catch { said.append("\(error)") }
    return said
  }

  private static func content(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  @Test(
    "A folder to which others may write is refused by name, with the folders above it",
    arguments: [0o777, 0o775, 0o757], [false, true])
  func open(mode: mode_t, isAbove: Bool) async throws {
    try await inFolder { top in
      let folder = "\(top)/open/own"
      try Disk.makeFolder(folder)
      let open = isAbove ? "\(top)/open" : folder
      // A group of others, if one may choose it.
      if Self.isRoot { try #require(chown(open, 0, 65_534) == 0) }
      try #require(chmod(open, mode) == 0)
      // The group of somebody else alone is no danger.
      guard Self.isRoot || mode & 0o002 != 0 else { return }
      let said = Self.failures(in: folder)
      #expect(said.count == 3, "\(said)")
      let reason = "others may write to \(open) (its mode is \(String(mode, radix: 8)))"
      #expect(said.allSatisfy { $0.contains(reason) && $0.contains("choose a folder") })
      #expect(try Self.content(folder) == [])
    }
  }

  @Test("Below a sticky folder one's own is good, and the sticky folder itself is not")
  func sticky() async throws {
    try await inFolder { top in
      let folder = "\(top)/own"
      try Disk.makeFolder(folder)
      try #require(chmod(top, 0o1777) == 0)
      for path in [folder, "\(top)/absent/deeper"] {
        #expect(TrustedOwners.live.place(of: path) == .own(path))
      }
      #expect(try PrivateFolder(folder).path == folder)
      #expect(Self.failures(in: top).count == 3)
    }
  }

  @Test(
    "Root takes nothing over from another user's folder, and makes nothing in it",
    .enabled(if: StrangerTests.isRoot), arguments: ["", "/own", "/absent/deeper"])
  func foreign(below: String) async throws {
    try await inFolder { top in
      let theirs = "\(top)/theirs"
      try Disk.makeFolder("\(theirs)/own")
      try #require(chown(theirs, Self.nobody, Self.nobody) == 0)
      let said = Self.failures(in: theirs + below)
      #expect(said.count == 3, "\(said)")
      #expect(said.allSatisfy { $0.contains("\(theirs) belongs to user \(Self.nobody)") })
      #expect(try Self.content(theirs) == ["own"])
      #expect(try Self.content("\(theirs)/own") == [])
      // A link leads there as well, and one of theirs is not followed to a folder of root's.
      try #require(symlink(theirs, "\(top)/link") == 0)
      #expect(Self.failures(in: "\(top)/link\(below)").count == 3)
      try Disk.makeFolder("\(top)/own")
      try #require(symlink("\(top)/own", "\(top)/bait") == 0)
      try #require(lchown("\(top)/bait", Self.nobody, Self.nobody) == 0)
      let bait = Self.failures(in: "\(top)/bait\(below)")
      #expect(bait.count == 3 && bait.allSatisfy { $0.contains("\(top)/bait is a link of user") })
      #expect(try Self.content("\(top)/own") == [])
    }
  }

  @Test("A link in the place of a file of ours is refused by name, and leads nowhere")
  func links() async throws {
    try await inFolder { top in
      let victim = "\(top)/victim"
      try Disk.write("kept", to: victim)
      let paths = ServerPaths(folder: "\(top)/servers")
      let up = try PrivateFolder("\(top)/up")
      try Disk.makeFolder(paths.folder)
      for path in paths.ownFiles {
        try #require(symlink(victim, path) == 0)
        let said = #expect(throws: ServersError.self) { try ServerSet(in: paths.folder).start() }
        #expect(said?.description.contains("\(path) is not yours: it is a link") == true)
        unlink(path)
      }
      for path in [
        up.keys, up.settings, up.url, up.httpPort, up.log, up.pushKey, up.pushLog, up.lock,
      ] {
        try #require(symlink(victim, path) == 0)
        let said = #expect(throws: OperatorFailure.self) { try PrivateFolder(up.path) }
        #expect(said?.description.contains(path) == true)
        unlink(path)
      }
      // Neither does one that comes later.
      try #require(symlink(victim, up.log) == 0)
      #expect(throws: LineSinkError.self) { try LineSink.file(up.log, followingLinks: false) }
      #expect(throws: ServersError.self) {
        try Tool(words: ["/bin/echo", "more"], log: up.log).run()
      }
      #expect(throws: ServersError.self) { try Disk.read(up.log) }
      #expect(throws: SystemError.self) { try TrustedOwners.live.read(up.log, atMost: 100) }
      #expect(Disk.text(victim) == "kept")
      // A pipe keeps nobody waiting.
      try #require(mkfifo(up.url, 0o600) == 0)
      #expect(throws: SystemError.self) { try TrustedOwners.live.read(up.url, atMost: 100) }
    }
  }

  @Test(
    "Root takes over no password, port or key that another user has written",
    .enabled(if: StrangerTests.isRoot))
  func planted() async throws {
    try await inFolder { top in
      let paths = ServerPaths(folder: "\(top)/servers")
      let up = try PrivateFolder("\(top)/up")
      try Disk.makeFolder(paths.folder)
      func plant(_ path: String) throws {
        try Disk.write("known", to: path)
        try #require(chown(path, Self.nobody, Self.nobody) == 0)
      }
      for path in paths.ownFiles {
        try plant(path)
        let said = #expect(throws: ServersError.self) { try ServerSet(in: paths.folder).start() }
        #expect(
          said?.description.contains("\(path) is not yours: it belongs to user \(Self.nobody)")
            == true)
        unlink(path)
      }
      try plant(paths.variables)
      #expect(throws: ServersError.self) { try ServerSet(in: paths.folder).shellLines() }
      for path in [up.keys, up.settings, up.pushKey] {
        try plant(path)
        #expect(throws: OperatorFailure.self) { try PrivateFolder(up.path) }
        unlink(path)
      }
      try plant("\(up.path)/password-player")
      #expect(throws: OperatorFailure.self) {
        try up.password(of: "player", randomness: .live)
      }
      // The file of another user is read where that is the servers' one.
      let owners = TrustedOwners.live
      #expect(throws: SystemError.self) { try owners.read(paths.variables, atMost: 9) }
      let bytes = try owners.read(paths.variables, orOf: Self.nobody, atMost: 9)
      #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == "known")
      // Neither is a folder brought home that somebody else's link leads to.
      unlink(paths.variables)
      try #require(symlink(up.path, paths.data) == 0)
      try #require(lchown(paths.data, Self.nobody, Self.nobody) == 0)
      let said = #expect(throws: ServersError.self) { try ServerSet(in: paths.folder).start() }
      #expect(said?.description.contains("\(paths.data) is a link of user") == true)
      #expect(Disk.exists(up.path))
    }
  }
}

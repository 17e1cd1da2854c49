import Chaos
import Foundation
import RealServers

/// Servers of a test's own, whose PostgreSQL has no room for tables and indexes that grow while the
/// test says so: the file system answers ENOSPC, see Tests/CFullDisk.
struct FullDisk: Sendable {
  private let servers: DeployedServers
  /// Where they are.
  let environment: ServerEnvironment

  /// Starts servers, which takes some seconds, runs a body, and stops them, even where the tests are
  /// killed meanwhile.
  static func with(_ body: @Sendable (FullDisk) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-full-\(UUID().uuidString)").path
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    let library = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("libfulldisk.so").path
    let servers = try DeployedServers(root: root, folder: folder)
    // The data is elsewhere where the servers' user may not pass through the folder.
    let group = try ProcessGroup(
      atEnd: [
        "/bin/bash", "-c",
        #""$@" >/dev/null 2>&1 && rm -rf -- "$(readlink -f -- "$0/data")" "$0""#, folder,
      ] + servers.stopCommand)
    let result: Result<Void, any Error>
    do {
      let environment = try await onThreads {
        try servers.run("start", "--full-disk", library)
        return try ServerEnvironment(servers.variables())
      }
      result = .success(try await body(FullDisk(servers: servers, environment: environment)))
    } catch { result = .failure(error) }
    try await onThreads { group.end() }
    try result.get()
  }

  /// Takes the room away, or gives it back.
  func isFull(_ isFull: Bool) throws { try servers.run("full-disk", isFull ? "on" : "off") }
}

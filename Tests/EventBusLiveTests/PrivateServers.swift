import Chaos
import Foundation
import RealServers

/// Servers of a test's own, for what would disturb others.
struct PrivateServers: Sendable {
  private let servers: DeployedServers
  /// Where they are.
  let environment: ServerEnvironment

  /// Starts servers, which takes some seconds, runs a body, and stops them, even where the tests are
  /// killed meanwhile.
  static func with(_ body: (PrivateServers) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-\(UUID().uuidString)").path
    let servers = try DeployedServers(root: root, folder: folder)
    // The data is elsewhere where the servers' user may not pass through the folder.
    let group = try ProcessGroup(
      atEnd: [
        "/bin/bash", "-c",
        #""$@" >/dev/null 2>&1 && rm -rf -- "$(readlink -f -- "$0/data")" "$0""#, folder,
      ] + servers.stopCommand)
    let result: Result<Void, any Error>
    do {
      let environment = try await onThread {
        try servers.run("start")
        return try ServerEnvironment(servers.variables())
      }
      result = .success(
        try await body(PrivateServers(servers: servers, environment: environment)))
    } catch { result = .failure(error) }
    try await onThread { group.end() }
    try result.get()
    guard !FileManager.default.fileExists(atPath: folder) else {
      throw ChaosFailure("the servers in \(folder) do not stop", isAboutServers: true)
    }
  }

  /// Has the broker run out of memory, or be well again.
  func alarm(_ isOn: Bool) throws { try servers.run("memory-alarm", isOn ? "on" : "off") }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
}

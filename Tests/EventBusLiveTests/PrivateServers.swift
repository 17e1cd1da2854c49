import Chaos
import Foundation
import RealServers

/// Servers of a test's own, for tests that would disturb others.
struct PrivateServers: Sendable {
  private let servers: RunServers
  /// Where they are.
  let environment: ServerEnvironment

  /// Starts servers, which takes some seconds, runs a body, and stops them. They stop even if the
  /// tests are killed meanwhile.
  static func with(_ body: (PrivateServers) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-\(UUID().uuidString)").path
    let servers = RunServers(folder: folder)
    let result: Result<Void, any Error>
    do {
      let environment = try await onThread { try servers.startForTest() }
      result = .success(
        try await body(PrivateServers(servers: servers, environment: environment)))
    } catch { result = .failure(error) }
    try await onThread { try servers.stop() }
    try result.get()
    guard !FileManager.default.fileExists(atPath: folder) else {
      throw ChaosFailure("the servers in \(folder) do not stop", isAboutServers: true)
    }
  }

  /// Has the broker run out of memory, or be well again.
  func alarm(_ isOn: Bool) throws { try servers.setAlarm(isOn) }
}

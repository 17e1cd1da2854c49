import Chaos
import Foundation
import RealServers

/// Servers of a test's own, whose disks can be filled: while the test says so, PostgreSQL has no
/// room for growing tables and indexes, or RabbitMQ has less room than it wants. PostgreSQL's file
/// system answers ENOSPC, see Tests/CFullDisk.
struct FullDisk: Sendable {
  private let servers: RunServers
  /// Where they are.
  let environment: ServerEnvironment

  /// Starts servers, which takes some seconds, runs a body, and stops them. They stop even if the
  /// tests are killed meanwhile.
  static func with(_ body: @Sendable (FullDisk) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-full-\(UUID().uuidString)").path
    let library = URL(fileURLWithPath: try RoleProcess.binaryBesideThisProgram())
      .deletingLastPathComponent().appendingPathComponent("libfulldisk.so").path
    let servers = RunServers(folder: folder, fullDiskLibrary: library)
    let result: Result<Void, any Error>
    do {
      let environment = try await onThreads { try servers.startForTest() }
      result = .success(try await body(FullDisk(servers: servers, environment: environment)))
    } catch { result = .failure(error) }
    try await onThreads { try servers.stop() }
    try result.get()
  }

  /// Takes PostgreSQL's room away, or gives it back.
  func isFull(_ isFull: Bool) throws { try servers.setDisk(full: isFull) }

  /// Takes RabbitMQ's room away, or gives it back.
  func isBrokerFull(_ isFull: Bool) throws { try servers.setAlarm(isFull, of: .disk) }
}

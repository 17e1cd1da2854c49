import Foundation

/// Runs blocking work on a thread of its own, with a folder that other users can reach.
func inFolder(_ body: @escaping @Sendable (String) throws -> Void) async throws {
  let folder = "/tmp/cubist-servers-\(UUID().uuidString)"
  try FileManager.default.createDirectory(
    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body(folder) }) }
  }
}

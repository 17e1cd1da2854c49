import Foundation
import RealServers
import Synchronization

/// Does something on a thread of its own with an empty database that nobody else uses.
func onDatabase(_ body: @Sendable @escaping (Database) throws -> Void) async throws {
  try await onThreads { try RealServers.withDatabase(body) }
}

/// Does two things on two threads, as nearly at the same moment as threads allow.
func atOnce<First: Sendable, Second: Sendable>(
  _ first: @escaping @Sendable () throws -> First,
  _ second: @escaping @Sendable () throws -> Second
) async throws -> (First, Second) {
  let line = StartLine(2)
  async let one = { () async throws -> First in
    line.wait()
    return try first()
  }()
  async let other = { () async throws -> Second in
    line.wait()
    return try second()
  }()
  return try await (one, other)
}

/// Holds threads back until all of them are there.
// SAFETY: `missing` is only touched under `condition`.
final class StartLine: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int

  init(_ count: Int) { missing = count }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    if missing <= 0 { condition.broadcast() }
    while missing > 0 { condition.wait() }
  }
}

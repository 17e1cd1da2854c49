import Foundation
import MatchInterfaces
import Synchronization

/// A folder that is gone afterwards, where servers that run as another user can reach it.
func withFolder<T>(_ body: (String) throws -> T) throws -> T {
  let folder = "/tmp/cubistd-test-\(String(UInt64.random(in: .min ... .max), radix: 36))"
  try FileManager.default.createDirectory(
    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

/// Runs blocking work on a thread of its own, so that other tests go on.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// The mode of a file, without its type.
func mode(_ path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.posixPermissions] as? Int ?? 0) & 0o7777
}

/// Counts calls, and gives out the given numbers in order; the last one is repeated.
final class Counter: Sendable {
  private let numbers: [UInt64]
  private let taken = Atomic(0)

  init(_ numbers: [UInt64]) { self.numbers = numbers }

  var counted: Int { taken.load(ordering: .relaxed) }

  func count() { taken.wrappingAdd(1, ordering: .relaxed) }

  var randomness: Randomness {
    Randomness {
      let index = self.taken.wrappingAdd(1, ordering: .relaxed).oldValue
      return self.numbers[min(index, self.numbers.count - 1)]
    }
  }
}

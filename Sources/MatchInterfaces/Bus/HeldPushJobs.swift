package import MatchCore
import MatchWire

/// The jobs of the messages that a push worker holds, each a delivery with a tag of its own.
///
/// A message may hold several jobs; the broker hears of it once the last of them is finished. Until
/// then all of them come again if the worker dies.
package struct HeldPushJobs: Sendable {
  /// The message that each job came with.
  private var messages: [UInt64: UInt64] = [:]
  /// How many jobs of a message are left.
  private var left: [UInt64: Int] = [:]
  private var ready: ArraySlice<PushBus.Delivery> = []
  private var lastTag: UInt64 = 0

  /// Holds nothing.
  package init() {}

  /// How many jobs have not been taken yet.
  package var readyCount: Int { ready.count }

  /// Adds a message that the broker delivered under a tag.
  package mutating func add(
    _ tag: UInt64, body: [UInt8], attempts: Int, deliveryCount: Int,
    reached: Set<DeviceName> = [], refused: Set<DeviceName> = [], publishedAt: Instant? = nil,
    isInDoubt: Bool = false
  ) {
    let parts = PushJobMessage.parts(of: body)
    left[tag] = parts.count
    for part in parts {
      lastTag += 1
      messages[lastTag] = tag
      ready.append(
        PushBus.Delivery(
          tag: lastTag, job: part.job, attempts: attempts, deliveryCount: deliveryCount,
          body: part.body, reached: reached, refused: refused, publishedAt: publishedAt,
          isInDoubt: isInDoubt))
    }
  }

  /// Takes jobs in the order of their messages, at most so many.
  package mutating func take(_ limit: Int) -> [PushBus.Delivery] {
    defer { ready = ready.dropFirst(limit) }
    return Array(ready.prefix(limit))
  }

  /// Finishes jobs.
  /// - Returns: the tags of the messages that have no job left now.
  package mutating func finish(_ tags: [UInt64]) -> [UInt64] {
    tags.compactMap { tag in
      guard let message = messages.removeValue(forKey: tag) else { return nil }
      left[message]? -= 1
      guard left[message] == 0 else { return nil }
      left[message] = nil
      return message
    }
  }
}

import MatchWire

/// The jobs of the messages that a push worker holds, each a delivery with a tag of its own.
///
/// A message may hold several jobs; the broker hears of it once the last of them is finished. Until
/// then all of them come again if the worker dies.
public struct HeldPushJobs: Sendable {
  private struct Held {
    var message: UInt64
    var body: [UInt8]
  }

  private struct Message {
    var size: Int
    var left: Int
  }

  private var jobs: [UInt64: Held] = [:]
  private var messages: [UInt64: Message] = [:]
  private var ready: ArraySlice<PushBus.Delivery> = []
  private var lastTag: UInt64 = 0

  /// Holds nothing.
  public init() {}

  /// How many jobs have not been taken yet.
  public var readyCount: Int { ready.count }

  /// Adds a message that the broker delivered under a tag.
  public mutating func add(_ tag: UInt64, body: [UInt8], attempts: Int) {
    let parts = PushJobMessage.parts(of: body)
    messages[tag] = Message(size: parts.count, left: parts.count)
    for part in parts {
      lastTag += 1
      jobs[lastTag] = Held(message: tag, body: part.body)
      ready.append(
        PushBus.Delivery(tag: lastTag, job: part.job, attempts: attempts, body: part.body))
    }
  }

  /// Takes jobs in the order of their messages, at most so many.
  public mutating func take(_ limit: Int) -> [PushBus.Delivery] {
    defer { ready = ready.dropFirst(limit) }
    return Array(ready.prefix(limit))
  }

  /// Finishes jobs.
  /// - Returns: the tags of the messages of which no job is left now.
  public mutating func finish(_ tags: [UInt64]) -> [UInt64] {
    tags.compactMap { tag in
      guard let job = jobs.removeValue(forKey: tag) else { return nil }
      messages[job.message]?.left -= 1
      guard messages[job.message]?.left == 0 else { return nil }
      messages[job.message] = nil
      return job.message
    }
  }

  /// The tag of the message of which a job is the only one; nil if it came with others.
  public func message(ofLoneJob tag: UInt64) -> UInt64? {
    guard let job = jobs[tag], messages[job.message]?.size == 1 else { return nil }
    return job.message
  }

  /// The bytes of a job.
  public func body(of tag: UInt64) -> [UInt8]? { jobs[tag]?.body }
}

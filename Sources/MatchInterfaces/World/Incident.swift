package import Logging

/// A trouble as the log tells it, however often it is met: one line at its beginning, one `error`
/// once it has lasted for a minute, and one line at its end. What repeats in between is counted.
package struct Incident: Hashable, Sendable {
  /// The messages of its lines.
  package struct Messages: Hashable, Sendable {
    package var began: String
    package var lasts: String
    package var ended: String

    package init(began: String, lasts: String, ended: String) {
      (self.began, self.lasts, self.ended) = (began, lasts, ended)
    }
  }

  /// A line for the log.
  package struct Line: Hashable, Sendable {
    package var level: Logger.Level
    package var message: String
    /// How often the trouble was met, this time included.
    package var failures: Int
    /// How long it has lasted, or had lasted when it ended.
    package var seconds: UInt64
  }

  /// When an incident has lasted long enough to be an error, in nanoseconds.
  package static let lastsAfter: UInt64 = 60_000_000_000

  private struct Open: Hashable {
    var began: UInt64
    var failures: Int
    /// Whether an error says that it goes on.
    var isError: Bool
    /// Since when the trouble has not been met any more.
    var wellSince: UInt64?
  }

  private let messages: Messages
  private let calm: UInt64
  /// Nil: all is well.
  private var open: Open?

  /// - Parameter calm: How long all has to go well before the incident is over. A trouble that
  ///   comes back sooner is the same one.
  package init(_ messages: Messages, calm: Duration = .zero) {
    self.messages = messages
    self.calm = UInt64(max(0, calm / .nanoseconds(1)))
  }

  package var isOpen: Bool { open != nil }

  /// The trouble was met, by a clock that only goes forward. A severe one is an error at once.
  package mutating func failed(at uptime: UInt64, isSevere: Bool = false) -> Line? {
    guard var open else {
      self.open = Open(began: uptime, failures: 1, isError: isSevere)
      return Line(
        level: isSevere ? .error : .warning, message: messages.began, failures: 1, seconds: 0)
    }
    open.failures += 1
    open.wellSince = nil
    defer { self.open = open }
    let lasted = uptime &- open.began
    guard !open.isError, isSevere || lasted >= Incident.lastsAfter else { return nil }
    open.isError = true
    return Line(
      level: .error, message: messages.lasts, failures: open.failures,
      seconds: lasted / 1_000_000_000)
  }

  /// The trouble was not met where it would have been.
  package mutating func wentWell(at uptime: UInt64) -> Line? {
    guard var open else { return nil }
    let since = open.wellSince ?? uptime
    guard uptime &- since >= calm else {
      open.wellSince = since
      self.open = open
      return nil
    }
    self.open = nil
    return Line(
      level: .notice, message: messages.ended, failures: open.failures,
      seconds: (since &- open.began) / 1_000_000_000)
  }
}

/// Incidents that are told apart, such as one for each queue.
package struct Incidents<Key: Hashable & Sendable>: Sendable {
  private let messages: @Sendable (Key) -> Incident.Messages
  private let calm: Duration
  private var open: [Key: Incident] = [:]

  /// - Parameters:
  ///   - calm: As of an ``Incident``.
  ///   - messages: Those of each key.
  package init(
    calm: Duration = .zero, _ messages: @escaping @Sendable (Key) -> Incident.Messages
  ) {
    (self.calm, self.messages) = (calm, messages)
  }

  /// - Parameters:
  ///   - messages: The same for all keys.
  ///   - calm: As of an ``Incident``.
  package init(_ messages: Incident.Messages, calm: Duration = .zero) {
    self.init(calm: calm) { _ in messages }
  }

  /// The keys of those that are not over.
  package var keys: Set<Key> { Set(open.keys) }

  /// The trouble was met.
  package mutating func failed(_ key: Key, at uptime: UInt64) -> Incident.Line? {
    open[key, default: Incident(messages(key), calm: calm)].failed(at: uptime)
  }

  /// The trouble was not met.
  package mutating func wentWell(_ key: Key, at uptime: UInt64) -> Incident.Line? {
    let line = open[key]?.wentWell(at: uptime)
    if open[key]?.isOpen == false { open[key] = nil }
    return line
  }
}

extension Logger {
  /// Writes the line of an incident, if there is one, with its extent beside the metadata.
  package func write(
    _ line: Incident.Line?, metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    guard let line else { return }
    var all = metadata()
    all["failures"] = .stringConvertible(line.failures)
    all["seconds"] = .stringConvertible(line.seconds)
    log(level: line.level, "\(line.message)", metadata: all)
  }
}

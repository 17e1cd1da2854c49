/// Reads the events of a `text/event-stream` from its bytes, as they come.
///
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
package struct EventStreamParser: Sendable {
  /// One event. Fields that a gateway does not send are ignored.
  package struct Event: Hashable, Sendable {
    package var name: String
    package var data: [UInt8]

    package init(name: String, data: [UInt8]) { (self.name, self.data) = (name, data) }
  }

  /// The most bytes of one event: the largest overview, and room to spare.
  package static let eventLimit = 256 * 1_024

  private var line: [UInt8] = []
  private var name: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var isAfterReturn = false
  private var isAtStart = true

  package init() {}

  /// Takes bytes in.
  /// - Returns: The events that they complete; nil if one is larger than the limit: nothing more
  ///   can be read then.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [Event]? {
    var events: [Event] = []
    for byte in bytes {
      let isSecondHalf = isAfterReturn && byte == UInt8(ascii: "\n")
      isAfterReturn = byte == UInt8(ascii: "\r")
      if isSecondHalf { continue }
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        guard line.count + data.count < EventStreamParser.eventLimit else { return nil }
        line.append(byte)
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch line[..<colon] {
    case let field where field.elementsEqual("event".utf8): name = Array(value)
    case let field where field.elementsEqual("data".utf8):
      if hasData { data.append(UInt8(ascii: "\n")) }
      data += value
      hasData = true
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> Event? {
    defer { (name, data, hasData) = ([], [], false) }
    guard hasData else { return nil }
    return Event(
      name: name.isEmpty ? "message" : String(decoding: name, as: UTF8.self), data: data)
  }
}

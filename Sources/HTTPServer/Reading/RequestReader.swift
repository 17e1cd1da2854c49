/// Reads the requests of a connection: a pure value, bytes → events or a refusal.
///
/// It takes one form of everything: lines end with CR and LF, a head has one `Host`, a body has one
/// length or is in chunks. What another reader could understand otherwise is refused.
package struct RequestReader: Sendable {
  package struct Limits: Hashable, Sendable {
    /// The bytes of a head, and of the fields behind a body in chunks.
    package var headBytes: Int
    /// The fields of a head.
    package var fieldCount: Int
    package var bodyBytes: Int

    package init(headBytes: Int, fieldCount: Int, bodyBytes: Int) {
      (self.headBytes, self.fieldCount, self.bodyBytes) = (headBytes, fieldCount, bodyBytes)
    }
  }

  package enum Event: Sendable {
    /// A head is read; its body follows.
    case head(expectsContinue: Bool)
    case request(HTTPRequest)
  }

  private enum Stage {
    case head
    case body(RequestHead, length: Int)
    case chunks(RequestHead, Chunk)
    /// Nothing more is read.
    case ended
  }

  /// The part of a body in chunks that is read next.
  private enum Chunk {
    case size
    case data(count: Int)
    case dataEnd
    case trailer
    case end
  }

  /// The most bytes of the line before a chunk.
  static let chunkLineBytes = 256

  private let limits: Limits
  private var stage = Stage.head
  /// Bytes that came. Those before `start` belong to what was read already.
  private var bytes: [UInt8] = []
  private var start = 0
  /// The beginning of the line that is read, and the bytes that were looked at, both from `start`.
  private var (line, looked) = (0, 0)
  private var requestLine: RequestLine?
  private var places: [HTTPFields.Place] = []
  /// The content of chunks.
  private var content: [UInt8] = []
  /// Whether the client still waits for a word before it sends the body.
  private var isExpecting = false

  package init(_ limits: Limits) { self.limits = limits }

  /// Whether a part of a head is there.
  var isInHead: Bool {
    if case .head = stage { start < bytes.count || requestLine != nil } else { false }
  }

  /// Whether the head of a request is read, and its body is not.
  var isInBody: Bool {
    switch stage {
    case .body, .chunks: true
    case .head, .ended: false
    }
  }

  /// Whether the client waits for a word before it sends the body that is read next; only once. One
  /// that sends its body already needs no word. Source: RFC 9110, 10.1.1.
  mutating func takeExpectation() -> Bool {
    defer { isExpecting = false }
    return isExpecting && isInBody && content.isEmpty && start == bytes.count
  }

  private var isEnded: Bool {
    if case .ended = stage { true } else { false }
  }

  /// Takes bytes in. `next` reads them.
  package mutating func append(_ new: UnsafeRawBufferPointer) {
    guard !isEnded else { return }
    if start > 0 { (bytes, start) = (Array(bytes[start...]), 0) }
    bytes.append(contentsOf: new)
  }

  /// Reads nothing more.
  package mutating func end() {
    (stage, bytes, start, content) = (.ended, [], 0, [])
  }

  /// The next event; nil: more bytes are needed.
  package mutating func next() throws(HTTPRefusal) -> Event? {
    let event: Event?
    switch stage {
    case .head: event = try readHead()
    case .body(let head, let length): event = readBody(head, length)
    case .chunks(let head, let chunk): event = try readChunks(head, chunk)
    case .ended: event = nil
    }
    // A connection that waits keeps no memory.
    if start == bytes.count || isEnded { (bytes, start) = ([], 0) }
    return event
  }

  // MARK: Heads

  private mutating func readHead() throws(HTTPRefusal) -> Event? {
    while let line = try readLine(upTo: limits.headBytes, else: .headTooLarge) {
      if requestLine == nil {
        // Empty lines in front of a request mean nothing. Source: RFC 9112, 2.2.
        if line.isEmpty { pass() } else { requestLine = try RequestLine(bytes[line]) }
      } else if line.isEmpty {
        return try endHead()
      } else {
        guard places.count < limits.fieldCount else { throw .headTooLarge }
        places.append(try place(of: line))
      }
    }
    return nil
  }

  private mutating func endHead() throws(HTTPRefusal) -> Event? {
    guard let requestLine else { throw .malformed }
    let fields = HTTPFields(bytes[start..<(start + line)], places)
    let head = try RequestHead(requestLine, fields, bodyLimit: limits.bodyBytes)
    (self.requestLine, places) = (nil, [])
    pass()
    isExpecting = head.expectsContinue
    switch head.framing {
    case .length(let length): stage = .body(head, length: length)
    case .chunked: stage = .chunks(head, .size)
    }
    return .head(expectsContinue: head.expectsContinue)
  }

  /// Where a field is in the head.
  private func place(of line: Range<Int>) throws(HTTPRefusal) -> HTTPFields.Place {
    guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound,
      bytes[line.lowerBound..<colon].allSatisfy(\.isOfToken)
    else { throw .malformed }
    var value = (colon + 1)..<line.upperBound
    while let first = bytes[value].first, first.isBlank {
      value = (value.lowerBound + 1)..<value.upperBound
    }
    while let last = bytes[value].last, last.isBlank {
      value = value.lowerBound..<(value.upperBound - 1)
    }
    return HTTPFields.Place(
      name: (line.lowerBound - start)..<(colon - start),
      value: (value.lowerBound - start)..<(value.upperBound - start))
  }

  /// The next line without its end; nil: it is not all there.
  /// - Parameters:
  ///   - limit: The most bytes from `start` to the line's end.
  ///   - excess: The refusal of a longer one.
  private mutating func readLine(
    upTo limit: Int, else excess: HTTPRefusal
  ) throws(HTTPRefusal) -> Range<Int>? {
    while start + looked < bytes.count {
      guard looked < limit else { throw excess }
      let byte = bytes[start + looked]
      let isAfterReturn = looked > line && bytes[start + looked - 1] == .carriageReturn
      looked += 1
      guard isAfterReturn || byte == .lineFeed else {
        guard byte.isOfLine || byte == .carriageReturn else { throw .malformed }
        continue
      }
      guard isAfterReturn, byte == .lineFeed else { throw .malformed }
      defer { line = looked }
      return (start + line)..<(start + looked - 2)
    }
    return nil
  }

  /// Is done with the lines that were read.
  private mutating func pass() {
    start += line
    (line, looked) = (0, looked - line)
  }

  // MARK: Bodies

  private mutating func readBody(_ head: RequestHead, _ length: Int) -> Event? {
    guard bytes.count - start >= length else { return nil }
    defer { start += length }
    return end(HTTPRequest(head, body: Array(bytes[start..<(start + length)])))
  }

  private mutating func readChunks(
    _ head: RequestHead, _ first: Chunk
  ) throws(HTTPRefusal) -> Event? {
    var chunk = first
    while let next = try readChunk(chunk) {
      guard case .end = next else {
        chunk = next
        continue
      }
      defer { content = [] }
      return end(HTTPRequest(head, body: content))
    }
    stage = .chunks(head, chunk)
    return nil
  }

  /// Reads a part of a body in chunks, and gives the one behind it; nil: more bytes are needed.
  private mutating func readChunk(_ chunk: Chunk) throws(HTTPRefusal) -> Chunk? {
    switch chunk {
    case .size:
      let limit = RequestReader.chunkLineBytes
      guard let line = try readLine(upTo: limit, else: .malformed) else { return nil }
      let size = try size(bytes[line])
      pass()
      guard size <= limits.bodyBytes - content.count else { throw .bodyTooLarge }
      return size == 0 ? .trailer : .data(count: size)
    case .data(let count):
      let part = bytes[start...].prefix(count)
      guard !part.isEmpty else { return nil }
      content += part
      start += part.count
      return part.count == count ? .dataEnd : .data(count: count - part.count)
    case .dataEnd:
      guard try readLine(upTo: 2, else: .malformed) != nil else { return nil }
      pass()
      return .size
    case .trailer:
      // The fields behind a body are read and mean nothing.
      while let line = try readLine(upTo: limits.headBytes, else: .headTooLarge) {
        guard !line.isEmpty else {
          pass()
          return .end
        }
        _ = try place(of: line)
      }
      return nil
    case .end: return nil
    }
  }

  /// The size of a chunk: hexadecimal digits, and perhaps an extension, which means nothing.
  private func size(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    guard 1...15 ~= digits.count else { throw .malformed }
    var size = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 | Int(digit & 0xf)
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        size = size << 4 | Int(digit & 0xf + 9)
      default: throw .malformed
      }
    }
    return size
  }

  private mutating func end(_ request: HTTPRequest) -> Event {
    // Bytes behind the last request are nobody's.
    stage = request.isLast ? .ended : .head
    isExpecting = false
    return .request(request)
  }
}

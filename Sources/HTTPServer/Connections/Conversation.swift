/// One connection from its first byte to its end: a pure value, (state, what happened, now) →
/// effects. It passes on one request at a time, enforces all limits of the connection, and buffers
/// its output.
struct Conversation {
  struct Limits: Sendable {
    /// The most requests that wait for the answer to an earlier one.
    static let pipeline = 16
    /// The most requests that wait behind a stream, which may last for an hour.
    static let behindStream = 1

    var request: RequestReader.Limits
    var times: ConnectionTimes.Limits

    /// Requests that wait take no other one once they have so many bytes: as many as one request.
    var waitingBytes: Int { request.headBytes + request.bodyBytes }
  }

  enum Effect {
    case respond(HTTPRequest)
    /// Reading ends here; `explain` takes the response.
    case refuse(HTTPRefusal)
    /// The client has closed its side and waits for no further answer.
    case gone
    /// The stream's output is drained; `append` takes the next piece.
    case pull
    /// All output is written: shut down the sending side.
    case endSending
    /// The time-out, or nil at an orderly end.
    case close(ConnectionTimes.Expiry?)
  }

  /// The answer to the request whose turn it is.
  private enum Answer {
    case none
    case awaited
    case stream
    /// All of it is on its way.
    case whole
  }

  private enum Refusal {
    case none
    case found
    /// Sent after the answers to all earlier requests.
    case explained(HTTPResponse)
  }

  private static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  private(set) var times: ConnectionTimes
  private(set) var output = Output()
  private let limits: Limits
  private let date: @Sendable () -> String
  private var reader: RequestReader
  private var waiting: [HTTPRequest] = []
  private var answer = Answer.none
  private var refusal = Refusal.none
  /// Whether the request that is being answered asks for a head alone.
  private var isHead = false
  /// Whether the client waits for a word before it sends the body that is read next. One that sends
  /// it already needs no word.
  private var isBodyHeld = false
  /// Whether the connection ends with the answer that is made or written.
  private var isLast = false
  private(set) var isInputEnded = false
  private var isOutputEnded = false
  private var isLeaving = false

  /// - Parameter date: The field `Date`, now.
  init(_ limits: Limits, date: @escaping @Sendable () -> String, at now: UInt64) {
    (self.limits, self.date) = (limits, date)
    reader = RequestReader(limits.request)
    times = ConnectionTimes(limits.times, at: now)
  }

  /// Whether to read from the socket. Bytes behind a refused request are read and discarded, because
  /// a client that is reset while it sends may lose the answer. Behind a stream, which may last for
  /// an hour, they are left to back-pressure.
  var wantsInput: Bool {
    guard !isInputEnded else { return false }
    if case .stream = answer, case .explained = refusal { return false }
    return true
  }

  /// Whether the next piece of a stream is needed.
  var wantsPiece: Bool {
    if case .stream = answer { output.isEmpty } else { false }
  }

  // MARK: Requests

  mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: UInt64) -> [Effect] {
    guard case .none = refusal, times.phase != .closing else { return [] }
    times.bytes(at: now)
    isBodyHeld = false
    reader.append(bytes)
    var effects: [Effect] = []
    do throws(HTTPRefusal) {
      while let event = try reader.next() {
        switch event {
        case .head: try begin(now)
        case .request(let request):
          isBodyHeld = false
          waiting.append(request)
          times.endEarlyBody()
          if case .none = answer { effects.append(forward(now)) }
        }
      }
      askForBody(now)
    } catch { effects += refuse(error) }
    return effects
  }

  private mutating func begin(_ now: UInt64) throws(HTTPRefusal) {
    let limit = if case .stream = answer { Limits.behindStream } else { Limits.pipeline }
    guard waiting.count < limit else { throw .pipelining }
    // Those that wait are few.
    guard waiting.reduce(0, { $0 + $1.byteCount }) < limits.waitingBytes else { throw .pipelining }
    isBodyHeld = reader.takeExpectation()
    if case .none = answer { return times.enter(.body, now) }
    times.beginEarlyBody(isHeld: isBodyHeld, now)
  }

  /// Asks for the body of the request whose turn has come, if the client waits for that.
  private mutating func askForBody(_ now: UInt64) {
    guard case .none = answer, isBodyHeld, reader.isInBody else { return }
    isBodyHeld = false
    send(Conversation.goOn, now)
  }

  /// Passes the next request on.
  private mutating func forward(_ now: UInt64) -> Effect {
    let next = waiting.removeFirst()
    answer = .awaited
    (isHead, isLast) = (next.method == "HEAD", next.isLast)
    times.enter(.answering, now)
    return .respond(next)
  }

  /// The client has closed its side.
  mutating func endInput(at now: UInt64) -> [Effect] {
    guard !isInputEnded else { return [] }
    isInputEnded = true
    reader.end()
    times.endEarlyBody()
    var isOver = output.isEmpty
    switch answer {
    case .none: isOver = isOver && waiting.isEmpty
    case .awaited, .stream: isOver = false
    case .whole: break
    }
    return isOver ? [.gone, .close(nil)] : [.gone]
  }

  /// A deadline of `times` has passed.
  mutating func expire(_ why: ConnectionTimes.Expiry) -> [Effect] {
    switch why {
    case .head: refuse(.headTimeout)
    case .body: refuse(.bodyTimeout)
    case .idle, .slowReader, .closing: [.close(why)]
    }
  }

  /// Reads nothing more.
  private mutating func refuse(_ why: HTTPRefusal) -> [Effect] {
    guard case .none = refusal else { return [] }
    refusal = .found
    reader.end()
    times.endEarlyBody()
    return [.refuse(why)]
  }

  /// Takes the response to a refused request. It is sent after the answers to earlier requests.
  mutating func explain(_ response: HTTPResponse, at now: UInt64) {
    refusal = .explained(response)
    if case .none = answer, waiting.isEmpty { tell(response, now) }
  }

  /// Graceful shutdown: closes an idle connection now, and any other after its answer.
  mutating func leave() -> [Effect] {
    isLeaving = true
    guard case .none = answer, times.phase == .idle else { return [] }
    return [.close(nil)]
  }

  // MARK: Answers

  mutating func respond(_ response: HTTPResponse, at now: UInt64) {
    guard case .awaited = answer else { return }
    isLast = isLast || response.isLast || isLeaving
    send(response.head(date: date(), isLast: isLast), now)
    if !isHead, ![204, 304].contains(response.status) { output.append(response.body) }
    end(now)
  }

  /// Begins a stream. Its head is sent, and `pull` asks for pieces.
  mutating func stream(_ response: HTTPResponse, at now: UInt64) -> [Effect] {
    guard case .awaited = answer else { return [] }
    answer = .stream
    send(response.head(date: date(), isLast: isLast, isStream: true), now)
    // What waits behind it may wait long.
    guard waiting.count + (reader.isInBody ? 1 : 0) > Limits.behindStream else { return [] }
    waiting.removeLast(max(0, waiting.count - Limits.behindStream))
    return refuse(.pipelining)
  }

  /// Sends a piece of a stream; nil: its end.
  mutating func append(_ piece: [UInt8]?, at now: UInt64) {
    guard case .stream = answer else { return }
    guard let piece else {
      send(Array("0\r\n\r\n".utf8), now)
      isLast = isLast || isLeaving
      return end(now)
    }
    guard !piece.isEmpty else { return }
    send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8), now)
  }

  /// The last byte of an answer is on its way.
  private mutating func end(_ now: UInt64) {
    answer = .whole
    guard isLast else { return }
    waiting = []
    times.enter(.closing, now)
  }

  /// Tells why nothing more is read, and ends the connection.
  private mutating func tell(_ response: HTTPResponse, _ now: UInt64) {
    send(response.head(date: date(), isLast: true), now)
    output.append(response.body)
    isLast = true
    end(now)
  }

  private mutating func send(_ bytes: [UInt8], _ now: UInt64) {
    if output.isEmpty { times.writing(at: now) }
    output.append(bytes)
  }

  /// The system took bytes of the output.
  mutating func wrote(_ count: Int, at now: UInt64) -> [Effect] {
    output.remove(count)
    times.wrote(count, isAll: output.isEmpty, at: now)
    guard output.isEmpty else { return [] }
    if times.phase == .closing {
      if isInputEnded { return [.close(nil)] }
      defer { isOutputEnded = true }
      return isOutputEnded ? [] : [.endSending]
    }
    switch answer {
    case .none: return isInputEnded ? [.close(nil)] : []
    case .awaited: return []
    case .stream: return [.pull]
    case .whole:
      answer = .none
      return goOn(now)
    }
  }

  /// The client has yet to read `count` of the bytes that the system took.
  mutating func unread(_ count: Int, at now: UInt64) { times.unread(count, at: now) }

  /// An answer is written, and others may follow.
  private mutating func goOn(_ now: UInt64) -> [Effect] {
    if !waiting.isEmpty { return [forward(now)] }
    if case .explained(let response) = refusal {
      tell(response, now)
      return []
    }
    if isInputEnded { return [.close(nil)] }
    if reader.isInBody {
      times.enter(.body, now)
      askForBody(now)
    } else if reader.isInHead {
      times.enter(.head, now)
    } else if isLeaving {
      return [.close(nil)]
    } else {
      times.enter(.idle, now)
    }
    return []
  }
}

extension Conversation {
  /// A connection that is refused from the start: it tells why, and reads nothing.
  init(
    refusing response: HTTPResponse, _ limits: Limits, date: @escaping @Sendable () -> String,
    at now: UInt64
  ) {
    var limits = limits
    limits.times.closing = limits.times.refused
    self.init(limits, date: date, at: now)
    tell(response, now)
  }
}

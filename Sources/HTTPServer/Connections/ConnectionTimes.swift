/// How long a connection may stay as it is. A pure value: the clock is the caller's.
package struct ConnectionTimes: Hashable, Sendable {
  /// What is awaited of the client.
  enum Phase: Hashable, Sendable {
    /// A request.
    case idle
    /// The rest of a head.
    case head
    /// The rest of a body.
    case body
    /// Nothing: a request is being answered.
    case answering
    /// The end of what was sent before a connection closes.
    case closing
  }

  /// Why a connection has to close.
  package enum Expiry: Hashable, Sendable {
    case idle
    case head
    case body
    case slowReader
    case closing
  }

  /// The body of a request that was sent before the answer to an earlier one.
  private enum EarlyBody: Hashable, Sendable {
    case none
    /// Its client asked to be told when to send it. The first byte begins it.
    case held
    case begun(at: UInt64)
  }

  /// The time that a byte gives to a client that has read it: 250 bytes a second are the least.
  private static let byteTime: UInt64 = 4_000_000

  private(set) var phase = Phase.idle
  private var earlyBody = EarlyBody.none
  private var since: UInt64
  /// Whether the system has taken all bytes.
  private(set) var isWritten = true
  /// When it took the last ones. While others are left: when the time to read them began.
  private var writtenAt: UInt64 = 0
  /// The bytes that the system has taken since the connection began.
  private var taken: UInt64 = 0
  /// The ones of these that the client had read when that was asked last.
  private var read: UInt64 = 0
  private let limits: Limits

  /// The nanoseconds that each phase may last; nil: for ever.
  package struct Limits: Hashable, Sendable {
    package var idle: UInt64?
    package var head: UInt64?
    package var body: UInt64?
    /// How long a client may read nothing of what was sent. A byte that it reads gives it four
    /// milliseconds more, and all of them together never more than this time from then.
    package var write: UInt64?
    /// How long a client may take to close its side once the system has all of the last answer.
    package var closing: UInt64 = 2_000_000_000
    /// The same for a connection that was refused. Refusals have to be cheap: the client has a moment
    /// to read why.
    var refused: UInt64 = 200_000_000

    package init(idle: Duration?, head: Duration?, body: Duration?, write: Duration?) {
      func nanoseconds(_ time: Duration?) -> UInt64? { time.map { UInt64($0 / .nanoseconds(1)) } }
      (self.idle, self.head) = (nanoseconds(idle), nanoseconds(head))
      (self.body, self.write) = (nanoseconds(body), nanoseconds(write))
    }
  }

  init(_ limits: Limits, at now: UInt64) {
    self.limits = limits
    since = now
  }

  /// Bytes came. The first one of a head begins it, and of a body that was held.
  mutating func bytes(at now: UInt64) {
    if phase == .idle { enter(.head, now) }
    if earlyBody == .held { earlyBody = .begun(at: now) }
  }

  /// The head of a request came while an earlier one is answered. Its body has its time from now on,
  /// or from its first byte if the client waits for a word.
  mutating func beginEarlyBody(isHeld: Bool, _ now: UInt64) {
    earlyBody = isHeld ? .held : .begun(at: now)
  }

  /// That body is whole, or nobody waits for it any more.
  mutating func endEarlyBody() { earlyBody = .none }

  mutating func enter(_ phase: Phase, _ now: UInt64) {
    guard self.phase != .closing else { return }
    (self.phase, since) = (phase, now)
    // Its turn has come: its time begins anew.
    if phase == .body { earlyBody = .none }
  }

  /// Bytes are on their way out.
  mutating func writing(at now: UInt64) {
    if isWritten { (isWritten, writtenAt) = (false, now) }
  }

  /// The system took some of them, or all. While others are left, what is read counts, and not what is
  /// taken: the system takes nothing before a third of its room is free, some 40 KB. A slow client that
  /// reads all the time may need half a minute for them.
  mutating func wrote(_ count: Int, isAll: Bool, at now: UInt64) {
    taken &+= UInt64(count)
    isWritten = isAll
    if isAll { writtenAt = now }
  }

  /// The client has yet to read `count` of the bytes that the system took. Few bytes give little time:
  /// nobody keeps a long answer for ever by reading it bit by bit.
  mutating func unread(_ count: Int, at now: UInt64) {
    guard !isWritten else { return }
    let newest = max(read, taken - min(taken, UInt64(max(0, count))))
    let news = newest - read
    read = newest
    let past = now - min(now, writtenAt)
    writtenAt =
      news > past / ConnectionTimes.byteTime ? now : writtenAt + news * ConnectionTimes.byteTime
  }

  /// The next time at which the connection may have to close, and why. Nil: it may stay as it is.
  var deadline: (at: UInt64, why: Expiry)? {
    var first: (at: UInt64, why: Expiry)?
    func consider(_ start: UInt64, _ limit: UInt64?, _ why: Expiry) {
      guard let limit else { return }
      let at = start &+ limit
      if first.map({ at < $0.at }) ?? true { first = (at, why) }
    }
    switch phase {
    case .idle: consider(since, limits.idle, .idle)
    case .head: consider(since, limits.head, .head)
    case .body: consider(since, limits.body, .body)
    case .answering:
      if case .begun(let start) = earlyBody { consider(start, limits.body, .body) }
    case .closing where isWritten:
      consider(max(since, writtenAt), limits.closing, .closing)
    case .closing: break
    }
    if !isWritten { consider(writtenAt, limits.write, .slowReader) }
    return first
  }
}

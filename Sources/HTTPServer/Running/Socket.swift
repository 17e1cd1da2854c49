import CEpoll
import Glibc
import SystemCalls

/// The system's calls on sockets. None of them blocks.
enum Socket {
  /// The bytes that the system keeps for a slow reader.
  private static let sendBytes: Int32 = 65_536
  /// A peer that acknowledges nothing for so long is gone: what is sent to a phone without network
  /// must not be kept for a quarter of an hour.
  private static let silentMilliseconds: Int32 = 60_000

  /// A socket that listens at the first address of a name.
  static func listen(
    at host: String, port: Int, backlog: Int32
  ) throws(SystemError) -> (socket: Int32, port: Int) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let first = list?.pointee else {
      throw code == EAI_SYSTEM ? .last(host) : SystemError(code: EADDRNOTAVAIL, path: host)
    }
    defer { freeaddrinfo(list) }
    let type = first.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let made = socket(first.ai_family, type, first.ai_protocol)
    guard made >= 0 else { throw .last() }
    set(made, SOL_SOCKET, SO_REUSEADDR, 1)
    guard bind(made, first.ai_addr, first.ai_addrlen) == 0, Glibc.listen(made, backlog) == 0 else {
      let error = SystemError.last()
      close(made)
      throw error
    }
    return (made, self.port(of: made) ?? port)
  }

  private static func port(of socket: Int32) -> Int? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    // The port is at the same place in an address of IPv4.
    return result == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
  }

  /// The next connection; nil: there is none.
  static func accept(
    _ listener: Int32
  ) throws(SystemError) -> (socket: Int32, peer: UInt128?)? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let made = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        accept4(listener, $0, &length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
    }
    guard made >= 0 else {
      // A client that is gone already, or a signal: the next one may be well.
      if [EAGAIN, EINTR, ECONNABORTED, EPROTO].contains(errno) { return nil }
      throw .last()
    }
    return (made, bits(of: address))
  }

  private static func bits(of address: sockaddr_storage) -> UInt128? {
    withUnsafeBytes(of: address) { bytes in
      switch Int32(address.ss_family) {
      case AF_INET:
        let four = bytes.loadUnaligned(as: sockaddr_in.self)
        return 0xffff << 32 | UInt128(UInt32(bigEndian: four.sin_addr.s_addr))
      case AF_INET6:
        var six = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: &six) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
      default: return nil
      }
    }
  }

  /// Sets what can be set: a client may be gone already.
  static func prepare(_ socket: Int32) {
    set(socket, SOL_SOCKET, SO_SNDBUF, sendBytes)
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, silentMilliseconds)
  }

  private static func set(_ socket: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  enum Result {
    /// Bytes received or sent; of bytes received 0 is the end.
    case count(Int)
    /// Not now.
    case later
    /// The connection is broken.
    case broken

    fileprivate init(_ count: Int) {
      self =
        switch (count, errno) {
        case (0..., _): .count(count)
        case (_, EAGAIN), (_, EINTR): .later
        default: .broken
        }
    }
  }

  static func receive(_ socket: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Result {
    Result(recv(socket, buffer.baseAddress, buffer.count, 0))
  }

  /// - Parameter isMore: Whether other bytes follow, so that a packet may wait for them.
  static func send(_ socket: Int32, _ bytes: ArraySlice<UInt8>, isMore: Bool) -> Result {
    let flags = Int32(isMore ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL)
    return bytes.withUnsafeBytes { Result(Glibc.send(socket, $0.baseAddress, $0.count, flags)) }
  }

  /// The bytes that were sent and that the peer has not acknowledged; nil: the system does not say.
  static func unreadCount(_ socket: Int32) -> Int? {
    var count: Int32 = 0
    return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
  }

  static func close(_ socket: Int32) { Glibc.close(socket) }

  static func endSending(_ socket: Int32) { shutdown(socket, Int32(SHUT_WR)) }
}

/// The sockets that a thread waits for.
struct Poll: ~Copyable {
  struct Event {
    var id: UInt64
    var isReadable: Bool
    var isWritable: Bool
    /// Both sides are closed, or the connection is broken.
    var isOver: Bool
  }

  /// What is awaited of a socket.
  struct Interest: Hashable {
    var isReading = true
    /// The client's end, while nothing is read.
    var isWatching = false
    var isWriting = false

    fileprivate var bits: UInt32 {
      (isReading ? EPOLLIN.rawValue : 0) | (isWatching ? EPOLLRDHUP.rawValue : 0)
        | (isWriting ? EPOLLOUT.rawValue : 0)
    }
  }

  private let descriptor: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: 256)

  static func open() throws(SystemError) -> Int32 {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw .last() }
    return descriptor
  }

  /// Closes what `open` gave, if it became no value.
  static func close(_ descriptor: Int32) { Glibc.close(descriptor) }

  /// - Parameter descriptor: What `open` gave. It is closed with this value.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { Poll.close(descriptor) }

  /// - Returns: Whether the system has taken it.
  @discardableResult
  func add(_ socket: Int32, _ id: UInt64, _ interest: Interest = Interest()) -> Bool {
    control(EPOLL_CTL_ADD, socket, id, interest)
  }

  func change(_ socket: Int32, _ id: UInt64, _ interest: Interest) {
    _ = control(EPOLL_CTL_MOD, socket, id, interest)
  }

  func remove(_ socket: Int32) { _ = control(EPOLL_CTL_DEL, socket, 0, Interest()) }

  private func control(_ what: Int32, _ socket: Int32, _ id: UInt64, _ interest: Interest) -> Bool {
    var event = epoll_event(events: interest.bits, data: epoll_data_t(u64: id))
    return epoll_ctl(descriptor, what, socket, &event) == 0
  }

  /// Waits until something has happened; nil: for ever.
  mutating func wait(nanoseconds: UInt64?) -> [Event] {
    // Rounded up: an alarm does not ring too early.
    let milliseconds = nanoseconds.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
    let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
    return events.prefix(max(0, Int(count))).map { event in
      let has = { (flag: EPOLL_EVENTS) in event.events & flag.rawValue != 0 }
      return Event(
        id: event.data.u64, isReadable: has(EPOLLIN) || has(EPOLLRDHUP), isWritable: has(EPOLLOUT),
        isOver: has(EPOLLHUP) || has(EPOLLERR))
    }
  }
}

import CRabbitMQ
import Glibc
import SystemCalls

/// The reasons that no connection comes about, for a person.
enum ConnectFailure {
  /// The reason of a failed attempt to open a socket.
  /// - Parameters:
  ///   - status: librabbitmq's status. Of a failed `connect(2)` it says only that it failed.
  ///   - cause: The system's error; nil where nobody knows it.
  static func reason(
    _ status: Int32, cause: SystemError?, settings: RabbitMQSettings
  ) -> String {
    switch (status, cause?.code) {
    case (AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue, _):
      "the host \(settings.host) is unknown, or no name server answers"
    case (AMQP_STATUS_TIMEOUT.rawValue, _), (_, ETIMEDOUT):
      "timed out after \(settings.connectTimeout): that machine is down, hangs, or a firewall drops "
        + "the packets"
    case (_, ECONNREFUSED): "connection refused: nothing listens there"
    default: reason(status, cause: cause)
    }
  }

  /// librabbitmq's words, and the system's where librabbitmq names only its call.
  static func reason(_ status: Int32, cause: SystemError?) -> String {
    let text = String(cString: amqp_error_string2(status))
    let hidesCause =
      [AMQP_STATUS_SOCKET_ERROR, AMQP_STATUS_TCP_ERROR, AMQP_STATUS_SSL_ERROR]
      .contains { $0.rawValue == status }
    // Errors of a call that would have had to wait are no reason.
    guard hidesCause, let cause, ![0, EAGAIN, EINPROGRESS, EINTR].contains(cause.code) else {
      return text
    }
    return "\(text): \(cause)"
  }

  /// The system's error of a second attempt to connect, which librabbitmq does not tell of the first.
  /// - Returns: Nil where it succeeds or takes more than a second.
  static func cause(host: String, port: UInt16) -> SystemError? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &first) == 0, let first else { return nil }
    defer { freeaddrinfo(first) }
    var cause: SystemError?
    for address in sequence(first: first, next: { $0.pointee.ai_next }) {
      guard let error = error(of: address.pointee) else { return nil }
      cause = error
    }
    return cause
  }

  /// The error of an attempt to connect to an address; nil: it succeeds or takes too long.
  private static func error(of address: addrinfo) -> SystemError? {
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = socket(
      address.ai_family, address.ai_socktype | flags, address.ai_protocol)
    guard socket >= 0 else { return .last() }
    defer { close(socket) }
    if connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return nil }
    guard errno == EINPROGRESS else { return .last() }
    var state = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, 1_000) == 1 else { return nil }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .last() }
    return code == 0 ? nil : SystemError(code: code)
  }
}

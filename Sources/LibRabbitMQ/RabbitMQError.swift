/// An operational error of a RabbitMQ connection: the failure, its place, and a possible remedy.
///
/// The description names host and port and never a password, a body or a header.
package struct RabbitMQError: Error, Hashable, Sendable {
  /// The kind of failure.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String, Sendable {
      case connectFailed, tlsRefused, authenticationRefused, virtualHostRefused, handshake
      case closedByServer, channelClosed, timedOut, socket, heartbeatMissed, blocked
      case protocolViolation, watchdogFired, consumerCancelled, closed, invalidArgument
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// No TCP connection could be made: name not resolved, refused or unreachable.
    package static let connectFailed = Self(.connectFailed)
    /// The TLS handshake failed: wrong certificate authority, wrong host name, no common version.
    package static let tlsRefused = Self(.tlsRefused)
    /// The broker refused user and password.
    package static let authenticationRefused = Self(.authenticationRefused)
    /// The broker has no such virtual host, or this user may not enter it.
    package static let virtualHostRefused = Self(.virtualHostRefused)
    /// The AMQP handshake broke off for another reason.
    package static let handshake = Self(.handshake)
    /// The broker closed the connection; see ``RabbitMQError/replyCode``.
    package static let closedByServer = Self(.closedByServer)
    /// The broker closed the channel; see ``RabbitMQError/replyCode``.
    package static let channelClosed = Self(.channelClosed)
    /// No answer came in time.
    package static let timedOut = Self(.timedOut)
    /// The connection broke.
    package static let socket = Self(.socket)
    /// Nothing was heard from the broker for two heartbeat intervals.
    package static let heartbeatMissed = Self(.heartbeatMissed)
    /// The broker accepts no messages for now: a memory or disk alarm.
    package static let blocked = Self(.blocked)
    /// The broker sent something that AMQP 0-9-1 or the limits do not allow.
    package static let protocolViolation = Self(.protocolViolation)
    /// A call made no progress for three heartbeat intervals and its socket was shut down.
    package static let watchdogFired = Self(.watchdogFired)
    /// The broker cancelled a consumer, mostly because its queue was deleted.
    package static let consumerCancelled = Self(.consumerCancelled)
    /// The connection was closed by its owner.
    package static let closed = Self(.closed)
    /// An argument can't be sent: a name over 255 bytes, a table too deep or too large, a bad URL.
    package static let invalidArgument = Self(.invalidArgument)

    /// The code as a stable word.
    package var description: String { kind.rawValue }
  }

  /// The kind of failure.
  package let code: Code
  /// `host:port` of the broker; empty where no broker is involved yet.
  package let endpoint: String
  /// The failed operation, as a verb phrase: "publish", "declare queue x".
  package let operation: String
  /// The broker's reply code, for example 404 or 406.
  package let replyCode: Int?
  /// The broker's or the library's words.
  package let reason: String

  init(
    _ code: Code, endpoint: String = "", operation: String, replyCode: Int? = nil, reason: String
  ) {
    self.code = code
    self.endpoint = endpoint
    self.operation = operation
    self.replyCode = replyCode
    self.reason = reason
  }

  /// Whether a new connection may succeed without a change of settings, topology or code.
  package var isRetryable: Bool {
    switch code {
    case .connectFailed, .handshake, .timedOut, .socket, .heartbeatMissed, .blocked,
      .watchdogFired, .consumerCancelled:
      true
    case .closedByServer:
      // 320 forced by an operator, 506 resource error, 541 internal error.
      replyCode == 320 || replyCode == 506 || replyCode == 541 || isAtLimit
    case .channelClosed:
      // 405 locked by another connection; 406 by consumer_timeout, which a new channel cures.
      replyCode == 405 || replyCode == 506 || replyCode == 541
        || (replyCode == 406 && reason.contains("timed out"))
    default:
      false
    }
  }

  /// Whether the user, the virtual host or the node has as many connections or channels as it may
  /// have.
  private var isAtLimit: Bool {
    code == .closedByServer && replyCode == 530 && Self.isAboutLimit(reason)
  }

  /// Source: `rabbit_reader.erl` of RabbitMQ 3.10.8 and 4.0.5
  static func isAboutLimit(_ reason: String) -> Bool {
    reason.contains("limit (") || reason.contains("limit of (")
  }

  private var advice: String? {
    switch code {
    case .connectFailed:
      "Check that RabbitMQ runs there (`systemctl status rabbitmq-server`), and that host and port "
        + "are right."
    case .tlsRefused:
      "Check the CA certificate, the host's name in the broker's certificate, and the port."
    case .authenticationRefused: "Check the user name and the password."
    case .virtualHostRefused: "Check that the virtual host exists and the user may enter it."
    case .blocked: "RabbitMQ is short of memory or disk; send again later."
    case .heartbeatMissed, .watchdogFired: "The broker or the network hangs; connect again."
    case .closedByServer where isAtLimit:
      "Try again later, or close connections: `rabbitmqctl list_connections user peer_host`."
    case .consumerCancelled: "Declare the queue again, then connect again."
    default: nil
    }
  }
}

extension RabbitMQError: CustomStringConvertible {
  /// One line for a log: place, operation, reason and remedy.
  package var description: String {
    var line = "RabbitMQ"
    if !endpoint.isEmpty { line += " at \(endpoint)" }
    line += ": \(operation) failed (\(code)"
    if let replyCode { line += " \(replyCode)" }
    line += "): \(reason)"
    if let advice { line += "\(reason.hasSuffix(".") ? "" : ".") \(advice)" }
    return line
  }
}

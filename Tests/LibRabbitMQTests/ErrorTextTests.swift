import CRabbitMQ
import Glibc
import SystemCalls
import Testing

@testable import LibRabbitMQ

@Suite("Texts of errors")
struct ErrorTextTests {
  @Test("The broker's words end with one full stop, whether they bring it or not")
  func fullStops() {
    for reason in ["see the logfile", "see the logfile."] {
      let error = RabbitMQError(
        .authenticationRefused, endpoint: "host:5672", operation: "log in", reason: reason)
      #expect(
        error.description
          == "RabbitMQ at host:5672: log in failed (authenticationRefused): see the logfile. "
          + "Check the user name and the password.")
    }
  }

  @Test(
    "As many connections as a user may have: that passes, unlike a forbidden virtual host",
    arguments: [
      ("connection refused for user 'a': user connection limit (2) is reached", true),
      ("access to vhost '/' refused for user 'a': connection limit (7) is reached", true),
      (
        "number of channels opened for user 'a' has reached the maximum allowed user limit of (2)",
        true
      ),
      ("access to vhost 'limit' refused for user 'a'", false),
    ])
  func limits(reason: String, isLimit: Bool) {
    #expect(RabbitMQError.isAboutLimit(reason) == isLimit)
    let error = RabbitMQError(
      .closedByServer, operation: "log in", replyCode: 530, reason: "NOT_ALLOWED - \(reason)")
    #expect(error.isRetryable == isLimit)
    #expect(error.description.contains("list_connections") == isLimit)
  }

  @Test("A failed connect has the system's reason, and not librabbitmq's “a socket error occurred”")
  func reasons() {
    let settings = RabbitMQSettings(host: "broker.example")
    func reason(_ status: amqp_status_enum, _ code: Int32?) -> String {
      ConnectFailure.reason(
        status.rawValue, cause: code.map { SystemError(code: $0) }, settings: settings)
    }
    #expect(reason(AMQP_STATUS_SOCKET_ERROR, ECONNREFUSED).hasPrefix("connection refused"))
    #expect(reason(AMQP_STATUS_SOCKET_ERROR, ETIMEDOUT).hasPrefix("timed out after 5.0 seconds"))
    #expect(reason(AMQP_STATUS_TIMEOUT, nil).hasPrefix("timed out after 5.0 seconds"))
    #expect(reason(AMQP_STATUS_SOCKET_ERROR, EHOSTUNREACH).hasSuffix(": No route to host"))
    #expect(
      reason(AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED, nil).hasPrefix("the host broker.example is"))
    // Where nobody knows it, librabbitmq's words stay; an error that only asks to wait is no reason.
    for code in [nil, 0, EAGAIN, EINPROGRESS] {
      #expect(reason(AMQP_STATUS_SOCKET_ERROR, code) == "a socket error occurred")
    }
  }

  @Test("A connection that breaks has the system's reason")
  func broken() {
    let cause = SystemError(code: ECONNRESET)
    #expect(
      ConnectFailure.reason(AMQP_STATUS_SOCKET_ERROR.rawValue, cause: cause)
        == "a socket error occurred: Connection reset by peer")
    #expect(
      !ConnectFailure.reason(AMQP_STATUS_CONNECTION_CLOSED.rawValue, cause: cause).contains("reset")
    )
  }
}

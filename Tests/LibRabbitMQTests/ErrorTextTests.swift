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
}

package import SystemCalls

/// What a server asks of its program, always on the server's threads.
package protocol HTTPHandler: Sendable {
  /// Admits a new connection, or returns the response that refuses it; then `left` is not called.
  func admit(_ client: ClientConnection) -> HTTPResponse?
  /// An admitted connection has closed.
  func left(_ client: ClientConnection)
  func respond(to request: HTTPRequest, from client: ClientConnection) async -> HTTPAnswer
  /// The last response of a connection that is read no further; asked for once.
  func explain(_ refusal: HTTPRefusal, to client: ClientConnection) -> HTTPResponse
  /// A connection closes after a time-out.
  func gaveUp(_ client: ClientConnection, _ why: ConnectionTimes.Expiry)
  /// `accept` failed. It is called again within 100 ms.
  func failed(_ error: SystemError)
  /// Called ten times a second.
  func tick()
  /// The field `Date`, now.
  func date() -> String
}

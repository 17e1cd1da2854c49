import Foundation
import Synchronization

/// A TCP proxy on a loopback port that can break connections in the ways a network does.
///
/// Give the tested code ``port`` instead of the server's. One thread forwards; every method may be
/// called from any thread and takes effect before it returns. The proxy ends when it is released:
/// a test that does not mention it to the end has to call ``close()`` in a `defer`.
package final class TCPProxy: Sendable {
  /// A way through the proxy.
  package struct Directions: OptionSet, Sendable {
    /// The bits.
    package let rawValue: Int

    /// Makes a set of the bits.
    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// From the client to the server.
    package static let toServer = Directions(rawValue: 1)
    /// From the server to the client.
    package static let toClient = Directions(rawValue: 2)
    /// Both ways.
    package static let both: Directions = [.toServer, .toClient]
  }

  /// The loopback port that the proxy listens on.
  package let port: UInt16

  private let forwarder: TCPForwarder

  /// Starts a proxy in front of a server.
  ///
  /// - Throws: ``RealServersError`` when there is no port to listen on.
  package init(toHost host: String = "127.0.0.1", port serverPort: UInt16) throws {
    let listener = try Socket.listening(port: 0)
    port = listener.localPort
    do {
      forwarder = try TCPForwarder(listener: listener, host: host, port: serverPort)
    } catch {
      listener.close()
      throw error
    }
    Thread.detachNewThread { [forwarder] in forwarder.run() }
  }

  /// Starts a proxy in front of the server that a URL such as `amqps://user@localhost:5671/` names.
  ///
  /// The host stays as it is, so that the server's certificate fits.
  ///
  /// - Returns: the proxy, and the same URL with the proxy in the server's place.
  package static func inFront(ofURL url: String) throws -> (proxy: TCPProxy, url: String) {
    let authority = url.lastIndex(of: "@").map(url.index(after:)) ?? url.startIndex
    let ending = url[authority...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex
    // Of several nodes the first: behind the others a test could slip past its proxy.
    let first = url[authority..<ending].firstIndex(of: ",") ?? ending
    guard let colon = url[authority..<first].lastIndex(of: ":"),
      let serverPort = UInt16(url[url.index(after: colon)..<first])
    else { throw RealServersError("the URL has no port") }
    let proxy = try TCPProxy(port: serverPort)
    return (proxy, url[...colon] + String(proxy.port) + url[ending...])
  }

  /// Starts a proxy in front of the server that a conninfo names.
  ///
  /// - Returns: the proxy, and the conninfo with the proxy's port.
  package static func inFront(
    ofConnectionString connectionString: String
  ) throws -> (proxy: TCPProxy, connectionString: String) {
    let words = connectionString.split(separator: " ")
    guard let word = words.last(where: { $0.hasPrefix("port=") }),
      let serverPort = UInt16(word.dropFirst(5))
    else { throw RealServersError("the conninfo has no port") }
    let proxy = try TCPProxy(port: serverPort)
    return (proxy, connectionString + " port=\(proxy.port)")
  }

  deinit {
    forwarder.close()
  }

  /// Connections that are open at this moment.
  package var connectionCount: Int {
    forwarder.connectionCount
  }

  /// Ends all connections: with a reset as when a host dies, or in order as when a process ends.
  ///
  /// Bytes that were read and not yet passed on are lost. New connections are served.
  package func cut(resetting: Bool = true) {
    forwarder.cut(resetting: resetting)
  }

  /// Stops forwarding and keeps connections open, as a cable pulled out does.
  ///
  /// Stalling only ``Directions/toClient`` lets a request through and loses its answer.
  package func stall(_ directions: Directions = .both) {
    forwarder.setStalled(directions)
  }

  /// Resumes stalled directions where they stopped, and listens again after ``refuse()``.
  ///
  /// - Throws: ``RealServersError`` when another process has taken the port meanwhile.
  package func resume() throws {
    try forwarder.listen(port: port)
    forwarder.setStalled([])
  }

  /// Refuses new connections as if nothing listened; those that are open live on.
  package func refuse() {
    forwarder.refuse()
  }

  /// Ends everything; the proxy cannot be used any more.
  package func close() {
    forwarder.close()
  }
}

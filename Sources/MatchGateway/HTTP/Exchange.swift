import HTTPServer
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Synchronization

/// The event that a request carries, once it has been read.
final class CarriedEvent: Sendable {
  private let known = Mutex<EventID?>(nil)

  var id: EventID? { known.withLock { $0 } }

  func remember(_ id: EventID) { known.withLock { $0 = id } }
}

/// One request, as far as everything that answers it needs to know.
struct Exchange: Sendable {
  let method: String
  /// Without the query.
  let path: Substring
  /// The text after the question mark.
  private let query: Substring
  private let fields: HTTPFields
  /// The address whose limits count: the client's, by the word of believed proxies.
  let address: InternetAddress?
  /// The peer, if it writes like a proxy and is none that is named.
  let unnamedProxy: InternetAddress?
  let trace: RequestTrace
  let event = CarriedEvent()
  let connection: ClientConnection
  let isHead: Bool

  init(
    _ request: HTTPRequest, _ connection: ClientConnection, randomness: Randomness,
    isProxy: (InternetAddress) -> Bool
  ) {
    let target = request.target.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = target[0]
    query = target.count > 1 ? target[1] : ""
    method = request.method
    isHead = method == "HEAD"
    fields = request.fields
    self.connection = connection
    let peer = connection.address
    let forwarded = fields.values("forwarded")
    let xForwardedFor = fields.values("x-forwarded-for")
    address = Forwarding.client(
      peer: peer, forwarded: forwarded, xForwardedFor: xForwardedFor, isProxy: isProxy)
    let isForwarded = !forwarded.isEmpty || !xForwardedFor.isEmpty
    unnamedProxy = isForwarded ? peer.flatMap { isProxy($0) ? nil : $0 } : nil
    trace = Exchange.trace(fields, randomness)
  }

  /// The values of a field, one for each time that it stands there.
  /// - Parameter name: In lower case.
  func values(_ name: String) -> [String] { fields.values(name) }

  /// No route knows as many parameters.
  private static let parameterLimit = 16

  /// The parameters after the question mark, the first of each name.
  var parameters: [Substring: Substring] {
    let pairs = query.split(separator: "&", maxSplits: Exchange.parameterLimit).map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { first, _ in first }
  }

  /// The client's marks as far as they have their form, else new ones. The gateway is a span of its
  /// own in the client's trace.
  private static func trace(_ fields: HTTPFields, _ randomness: Randomness) -> RequestTrace {
    let given = fields.values(RequestTrace.requestIDHeader)
    let id =
      given.count == 1 && RequestTrace.isRequestID(given[0])
      ? given[0] : hex(randomness.next128())
    let parents = fields.values(RequestTrace.parentHeader)
    let span = hex(randomness.next() | 1)
    let isGiven = parents.count == 1 && RequestTrace.isParent(parents[0])
    let parent =
      isGiven
      ? "\(parents[0].prefix(36))\(span)\(parents[0].suffix(3))"
      : "00-\(hex(randomness.next128() | 1))-\(span)-00"
    return RequestTrace(made: id, parent: parent)
  }

  private static func hex(_ number: UInt128) -> String {
    hex(UInt64(truncatingIfNeeded: number >> 64)) + hex(UInt64(truncatingIfNeeded: number))
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

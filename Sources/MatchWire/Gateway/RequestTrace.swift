/// The marks of one request, by which it is found in the logs of every role that handled it.
///
/// They travel as headers of a message. A stranger may set them too, so only these forms are read;
/// they decide nothing.
public struct RequestTrace: Hashable, Sendable {
  /// 1 to 64 of A–Z a–z 0–9 _ - . and not more.
  public let requestID: String
  /// A `traceparent` of W3C Trace Context, version 00: 55 characters.
  public let parent: String?

  /// Nil if `requestID` has another form. A parent of another form is left out.
  /// Source: https://www.w3.org/TR/trace-context/#traceparent-header
  public init?(requestID: String, parent: String?) {
    guard RequestTrace.isRequestID(requestID) else { return nil }
    self.requestID = requestID
    self.parent = parent.flatMap { RequestTrace.isParent($0) ? $0 : nil }
  }

  /// The id of the trace, which is the same in every role.
  public var traceID: String? {
    parent.map { String($0.dropFirst(3).prefix(32)) }
  }

  /// Marks that a gateway has made: both have their form.
  package init(made requestID: String, parent: String) {
    (self.requestID, self.parent) = (requestID, parent)
  }

  /// The header of a message with the request's id.
  public static let requestIDHeader = "x-request-id"
  /// The header of a message, and of HTTP, with the trace's parent.
  public static let parentHeader = "traceparent"

  /// Whether a text has the form of a request's id.
  public static func isRequestID(_ text: String) -> Bool {
    let bytes = text.utf8
    return 1...64 ~= bytes.count
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// Whether a text is a `traceparent`: `00-` trace `-` span `-` flags, neither id all zeros.
  public static func isParent(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2], parts[0].elementsEqual("00".utf8) else {
      return false
    }
    return parts.allSatisfy { $0.allSatisfy(isHexDigit) }
      && parts[1...2].allSatisfy { !$0.allSatisfy { $0 == UInt8(ascii: "0") } }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}

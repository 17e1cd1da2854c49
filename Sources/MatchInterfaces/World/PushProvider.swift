package import MatchCore

/// A way to devices. It makes requests of a notification and judges the answers; it sends nothing
/// itself.
package struct PushProvider: Sendable {
  /// The name in logs, metrics and `cubistd push status`.
  package var name: String
  /// The devices that it reaches. `app` includes players without any device.
  package var service: Device.Route.Service
  /// The parcels that bring a notification to the devices of this service among its own, one a
  /// device, or one for all. A device that cannot be reached has a finished parcel.
  package var parcels: @Sendable (PushNotification, _ now: Instant) -> [PushParcel]

  package init(
    name: String, service: Device.Route.Service,
    parcels: @escaping @Sendable (PushNotification, _ now: Instant) -> [PushParcel]
  ) {
    self.name = name
    self.service = service
    self.parcels = parcels
  }
}

/// A part of a notification's way: one request, or a verdict that needs none.
package struct PushParcel: Sendable {
  package enum Work: Sendable {
    /// A request, and the meaning of its answer.
    case request(PushRequest, verdict: @Sendable (PushResponse) -> PushVerdict)
    case finished(PushVerdict)
  }

  /// The device that it is for. Nil: for all of the player.
  package var device: Device?
  package var work: Work

  package init(device: Device?, work: Work) {
    self.device = device
    self.work = work
  }
}

/// The meaning of an answer for a parcel.
package enum PushVerdict: Hashable, Sendable {
  /// The push service has it, and answers for the rest.
  case taken
  /// The device is not there any more: it is forgotten.
  case gone(String)
  /// The push service will never take it.
  case refused(String, fault: PushFault = .service)
  /// It may take it later; after some time, if it says so.
  case later(String, after: Duration?, fault: PushFault = .service)
}

/// The side that a refusal is about.
package enum PushFault: Hashable, Sendable {
  /// The service, its settings, the operator's receiver or the push service that the operator named.
  case service
  /// The device's address, which a client chose. No operator can mend it, so it makes no dead
  /// letters.
  case device
}

/// A `POST` to a push service.
package struct PushRequest: Hashable, Sendable {
  package var url: String
  /// Names and values, each name once.
  package var headers: [String: String]
  /// The body, byte for byte.
  package var body: [UInt8]
  /// HTTP/2, which has many requests on one connection, or 1.1.
  package var isHTTP2: Bool
  /// Whether a client chose the address. Then it must not lead into the operator's networks.
  package var isForeign: Bool
  /// The path of a file with authorities that may vouch for the server; nil: the system's.
  package var certificateAuthority: String?

  package init(
    url: String, headers: [String: String], body: [UInt8], isHTTP2: Bool = false,
    isForeign: Bool, certificateAuthority: String? = nil
  ) {
    self.url = url
    self.headers = headers
    self.body = body
    self.isHTTP2 = isHTTP2
    self.isForeign = isForeign
    self.certificateAuthority = certificateAuthority
  }
}

/// The answer of a push service.
package struct PushResponse: Hashable, Sendable {
  /// The status, such as 201.
  package var status: Int
  /// The beginning of the body.
  package var body: [UInt8]
  /// For how long the push service wants to be left alone; nil if it does not say.
  package var retryAfter: Duration?

  package init(status: Int, body: [UInt8] = [], retryAfter: Duration? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}

/// Sends parcels' requests, many at a time, and gives the answers as they come. Confined to one
/// thread.
package struct PushExchange {
  /// Takes a request; the answer comes by `answers`, with this number.
  package var send: (_ number: UInt64, PushRequest) -> Void
  /// The answers and failures so far; waits for the first one for so long. A failure's text is for a
  /// person; the push service may have the request all the same.
  package var answers:
    (_ wait: Duration) -> [(number: UInt64, answer: Result<PushResponse, PushFailure>)]

  package init(
    send: @escaping (_ number: UInt64, PushRequest) -> Void,
    answers:
      @escaping (_ wait: Duration) -> [(
        number: UInt64, answer: Result<PushResponse, PushFailure>
      )]
  ) {
    self.send = send
    self.answers = answers
  }
}

extension PushExchange {
  /// Sends nothing: for providers that need no requests.
  package static var none: PushExchange { PushExchange(send: { _, _ in }, answers: { _ in [] }) }
}

/// Why there is no answer. Another attempt may go better. An address that must not be reached is
/// tried again like an unreachable one: a client who chose it must not learn the difference.
package struct PushFailure: Error, Hashable, Sendable {
  /// The reason, for a person.
  package var reason: String
  /// Whether the push service may have the request.
  package var mayHaveArrived: Bool

  package init(reason: String, mayHaveArrived: Bool = true) {
    (self.reason, self.mayHaveArrived) = (reason, mayHaveArrived)
  }
}

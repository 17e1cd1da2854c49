import MatchCore
import MatchInterfaces

/// A notification that is being handed over, and the jobs that it does.
struct OpenPush {
  /// A parcel that has a verdict, or waits for one.
  struct Parcel {
    var provider: String
    /// The devices that it is for. None: the operator's receiver knows them.
    var devices: [Device]
    var verdictOf: @Sendable (PushResponse) -> PushVerdict
    var isForeign = false
    /// Whether its origin may be a client's own server, whose answers tell nothing of the provider.
    var isStrange = false
    /// Whether its origin is no maker's, whether that answers or not.
    var isOfClient = false
    /// Nil: it is on its way.
    var result: Result?
  }

  /// The end of a parcel.
  struct Result {
    var verdict: PushVerdict
    /// Nil: nothing was sent, or nothing came back.
    var status: Int?
    /// The text for the devices' owner.
    var text: String
    /// Whether nothing was sent since its origin had no room.
    var isCrowded = false
    /// Whether the device may have it, though no answer said so.
    var isInDoubt = false

    /// The end of a parcel whose origin has no room.
    static func crowded(_ fault: PushFault) -> Result {
      Result(
        verdict: .later("its push service has no room", after: .seconds(10), fault: fault),
        status: nil, text: "not now", isCrowded: true)
    }
  }

  /// A delivery with its job.
  struct Part {
    var delivery: PushBus.Delivery
    var job: PushJob
  }

  let parts: [Part]
  /// The reason that is kept with a job that was delivered.
  let reason: PushReason?
  /// Whether the player has any device.
  let hasDevices: Bool
  private(set) var parcels: [Parcel] = []

  init(parts: [Part], reason: PushReason?, hasDevices: Bool) {
    self.parts = parts
    self.reason = reason
    self.hasDevices = hasDevices
  }

  var isFinished: Bool { parcels.allSatisfy { $0.result != nil } }

  /// Adds a parcel. One for a full origin has to wait.
  /// - Returns: its place, and the request that is to be sent for it, with its origin.
  mutating func add(
    _ parcel: PushParcel, of provider: PushProvider, to devices: [Device],
    full: Set<PushOrigin>, isStrange: (PushOrigin) -> Bool
  ) -> (place: Int, sent: (request: PushRequest, origin: PushOrigin)?) {
    var added = Parcel(
      provider: provider.name, devices: devices, verdictOf: { _ in .later("", after: nil) })
    var sent: (PushRequest, PushOrigin)?
    switch parcel.work {
    case .request(let request, let verdict):
      let origin = PushOrigin(of: request.url)
      (added.verdictOf, added.isForeign) = (verdict, request.isForeign)
      added.isStrange = request.isForeign && isStrange(origin)
      added.isOfClient = added.isStrange && !origin.isOfMaker
      if full.contains(origin) {
        added.result = .crowded(request.isForeign ? .device : .service)
      } else {
        sent = (request, origin)
      }
    case .finished(let verdict):
      added.result = Result(verdict: verdict, status: nil, text: verdict.textWithoutAnswer)
    }
    parcels.append(added)
    return (parcels.count - 1, sent)
  }

  /// Takes the answer about a parcel.
  mutating func take(_ answer: Swift.Result<PushResponse, PushFailure>, at place: Int) {
    let result: Result
    switch answer {
    case .success(let response):
      let verdict = parcels[place].verdictOf(response)
      result = Result(verdict: verdict, status: response.status, text: verdict.text)
    case .failure(let failure):
      let fault: PushFault = parcels[place].isForeign ? .device : .service
      // A client that chose the address learns nothing about it.
      result = Result(
        verdict: .later(failure.reason, after: nil, fault: fault), status: nil, text: "no answer",
        isInDoubt: parcels[place].isStrange || failure.mayHaveArrived)
    }
    parcels[place].result = result
  }

  /// The names of devices that have it now.
  var reached: Set<DeviceName> {
    Set(
      parcels.filter { $0.result?.verdict == .taken }.flatMap { $0.devices.map(\.name) })
  }

  /// The names of devices that have refused it for good. A refusal that an operator may mend is left
  /// out: it may go well with the next attempt.
  var refused: Set<DeviceName> {
    Set(
      parcels.filter {
        if case .refused(_, .device)? = $0.result?.verdict { true } else { false }
      }.flatMap { $0.devices.map(\.name) })
  }

  /// The parcels that may be taken later.
  private var waiting: [Parcel] {
    parcels.filter {
      if case .later? = $0.result?.verdict { true } else { false }
    }
  }

  /// Whether full origins alone keep it from the devices that may take it later.
  var isOnlyCrowded: Bool { waiting.allSatisfy { $0.result?.isCrowded == true } }
  /// Whether only clients' own servers may take it later.
  var isOnlyOfClients: Bool { waiting.allSatisfy(\.isOfClient) }

  /// Whether a device may have its only job, as a notification of its own, though no answer said so.
  var isInDoubt: Bool { parts.count == 1 && parcels.contains { $0.result?.isInDoubt == true } }

  /// The answers for the store.
  var answers: [PushStore.Answer] {
    guard let player = parts.first?.job.player else { return [] }
    return parcels.compactMap { parcel in
      guard let result = parcel.result, !result.isCrowded else { return nil }
      return PushStore.Answer(
        player: player, devices: parcel.devices, provider: parcel.provider,
        verdict: result.verdict.kind, status: result.status, text: result.text)
    }
  }

  /// What all the verdicts together mean for the jobs.
  enum Verdict: Hashable {
    /// A device has it, and no other may take it later.
    case delivered
    /// Some devices may take it later. `isTaken`: another one has it.
    case later(String, atLeast: Duration, isTaken: Bool, fault: PushFault)
    /// It was refused for good, and an operator may be able to mend that.
    case refused(String)
    /// There is no device for it, or none whose address is of use.
    case dropped(PushReason)
  }

  var verdict: Verdict {
    let verdicts = parcels.compactMap(\.result?.verdict)
    let isTaken = verdicts.contains(.taken)
    var pauses: [(reason: String, pause: Duration, fault: PushFault)] = []
    var refusals: [(reason: String, fault: PushFault)] = []
    for verdict in verdicts {
      switch verdict {
      case .later(let reason, let pause, let fault): pauses.append((reason, pause ?? .zero, fault))
      case .refused(let reason, let fault): refusals.append((reason, fault))
      case .taken, .gone: break
      }
    }
    // The service's own trouble is the one to tell of.
    if let first = pauses.first(where: { $0.fault == .service }) ?? pauses.first {
      let pause = pauses.map(\.pause).max() ?? .zero
      return .later(first.reason, atLeast: pause, isTaken: isTaken, fault: first.fault)
    }
    if isTaken { return .delivered }
    if let own = refusals.first(where: { $0.fault == .service }) { return .refused(own.reason) }
    guard refusals.isEmpty else { return .dropped(.refused) }
    guard verdicts.isEmpty else { return .dropped(.gone) }
    return .dropped(hasDevices ? .noProvider : .noDevice)
  }
}

extension PushVerdict {
  var kind: PushStore.Answer.Verdict {
    switch self {
    case .taken: .taken
    case .gone: .gone
    case .refused: .refused
    case .later: .later
    }
  }

  /// The text for a person.
  fileprivate var text: String {
    switch self {
    case .taken: "taken"
    case .gone(let reason), .refused(let reason, _), .later(let reason, _, _): reason
    }
  }

  /// The text for a device's owner if nothing was sent. The reason of a delay is the service's own
  /// trouble.
  fileprivate var textWithoutAnswer: String {
    if case .later = self { return "not now" }
    return text
  }
}

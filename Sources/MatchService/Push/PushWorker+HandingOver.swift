import Logging
import MatchCore
import MatchInterfaces

/// The way of jobs through the providers.
extension PushWorker {
  /// Sends the notifications of jobs, as many as there is time and room for. The rest stays in the
  /// line.
  /// - Parameter others: The tags of deliveries whose turn has not come: they leave only if one
  ///   notification may tell of them and of others.
  /// - Returns: whether more could be sent at once.
  func handOver(
    _ deliveries: [PushBus.Delivery], _ briefings: [PushJobID: PushStore.Briefing],
    others: Set<UInt64>
  ) -> Bool {
    var (settled, fresh, bundles): (Set<UInt64>, [OpenPush.Part], [PushBundle]) = ([], [], [])
    var (due, freshIDs): ([PushBundle.Part], Set<PushJobID>) = ([], [])
    var listeners = PushListeners(of: open.values)
    for delivery in deliveries {
      guard let job = delivery.job else {
        count("unreadable")
        log.error(
          "no push job", metadata: ["bytes": .stringConvertible(delivery.body.count)])
        handled.done.append(delivery.tag)
        settled.insert(delivery.tag)
        continue
      }
      let part = OpenPush.Part(delivery: delivery, job: job)
      if others.contains(delivery.tag), let details = briefings[job.id]?.details,
        !job.isBundled(by: details.preferences)
      {
        continue
      }
      let isFirst = !freshIDs.contains(job.id)
      let isTold = listeners.areTold(before: job)
      if let isSilent = judge(part, briefings[job.id], isFirst: isFirst, isTold: isTold),
        let details = briefings[job.id]?.details
      {
        fresh.append(part)
        freshIDs.insert(job.id)
        let toSend = PushBundle.Part(
          job, details, isSilent: isSilent, publishedAt: delivery.publishedAt)
        if delivery.goesAlone || !settings.isBundling {
          bundles += PushBundle.bundles(of: [toSend])
          if settings.isBundling, !isSilent { listeners.hear(job) }
        } else {
          due.append(toSend)
        }
      } else {
        settled.insert(delivery.tag)
      }
    }
    bundles += PushBundle.bundles(of: due)
    let parts = Dictionary(fresh.map { ($0.job.id, $0) }) { first, _ in first }
    var further: [PlayerID: Int] = [:]
    let goesOn = send(bundles, parts, &settled, &further)
    line.remove(settled, others: others)
    line.charge(further)
    return goesOn
  }

  /// Judges a job that was not sent yet.
  /// - Parameter isTold: Whether its player is being told of a match.
  /// - Returns: whether it is to be sent silently. Nil: it is not to be sent.
  private func judge(
    _ part: OpenPush.Part, _ briefing: PushStore.Briefing?, isFirst: Bool, isTold: Bool
  ) -> Bool? {
    let (delivery, job) = (part.delivery, part.job)
    let isReached = !delivery.reached.isEmpty
    let isKnown = handled.contains(job.id) || openIDs.contains(job.id) || !isFirst
    var details: PushStore.Details
    switch isKnown ? .handled : briefing {
    case .due(let facts)?: details = facts
    case .delivered(let facts)? where isReached: details = facts
    case .handled?, .delivered?:
      count("repeated")
      handled.done.append(delivery.tag)
      return nil
    case .stale(let reason)?:
      drop(part, reason)
      return nil
    // The store could not read the facts about this job, and will not be able to the next time.
    case nil:
      giveUp(part, "the store cannot read what it is about", .unreadable)
      return nil
    }
    if isTold { (details.lastSentAt, details.lastTurnSentAt) = (details.readAt, details.readAt) }
    // The plan looks at the ends that the store knows.
    if details.expiresAt == nil,
      job.end(given: details, publishedAt: delivery.publishedAt) <= details.readAt
    {
      drop(part, .expired)
      return nil
    }
    let mayBeShown = isReached || delivery.isInDoubt
    switch plan(job, details) {
    case .now(let silently): return silently
    case .never(let reason): drop(part, reason)
    // The notification that it would wait after may be its own, on a device.
    case .later(_, .bundle) where mayBeShown || !delivery.settled.isEmpty: return isTold
    // Of several at once one makes a sound.
    case .later(_, .bundle) where isTold && delivery.goesAlone: return true
    case .later(let until, let reason) where mayBeShown || !delivery.settled.isEmpty:
      // The rows of held jobs name no devices, and know of no doubt.
      let wait = Duration.microseconds(max(0, until.microseconds(since: details.readAt)))
      let delay = PushBus.RetryDelay.allCases.first { $0.least >= wait } ?? .fiveHours
      handled.delay(part, PushBus.Delayed(delivery, after: delay, isAttempt: false))
      log.debug("push held", metadata: metadata(of: job, reason: reason.rawValue))
    case .later(let until, let reason): handled.hold(part, until: until, reason)
    }
    return nil
  }

  /// A job that is not sent. One that a device has was delivered.
  private func drop(_ part: OpenPush.Part, _ reason: PushReason) {
    if part.delivery.reached.isEmpty {
      handled.record(part, .dropped, reason)
    } else {
      handled.record(part, .delivered)
    }
  }

  /// Keeps a job among the dead letters.
  func giveUp(
    _ part: OpenPush.Part, _ text: String, _ reason: PushReason,
    answers: [PushStore.Answer] = []
  ) {
    log.error("push given up", metadata: metadata(of: part.job, reason: text))
    handled.bury(part, text, reason, answers: answers)
  }

  // MARK: Sending

  private func send(
    _ bundles: [PushBundle], _ parts: [PushJobID: OpenPush.Part], _ settled: inout Set<UInt64>,
    _ further: inout [PlayerID: Int]
  ) -> Bool {
    let started = clock.uptimeNanoseconds()
    var lastServed = started
    var waiting: [UInt64: [PushOrigin]] = [:]
    for bundle in bundles {
      let bundled = bundle.parts.compactMap { parts[$0.job.id] }
      let done = bundled.first?.delivery.settled ?? []
      let origins = origins(of: bundle.lead.details.devices.filter { !done.contains($0.name) })
      let full = Set(origins.filter { flights.room(at: $0) <= 0 })
      guard flights.room > 0, full.count < origins.count || origins.isEmpty else {
        for part in bundled { waiting[part.delivery.tag] = origins }
        continue
      }
      let requests = start(bundle, bundled, besides: done, full)
      further[bundle.lead.job.player, default: 0] += max(0, requests - bundled.count)
      settled.formUnion(bundled.map(\.delivery.tag))
      let now = clock.uptimeNanoseconds()
      if now &- started >= settings.stepNanoseconds { break }
      guard now &- lastServed >= settings.heartbeatNanoseconds else { continue }
      lastServed = now
      serveBroker()
      beat()
      if lost != nil { break }
    }
    line.note(waiting)
    return waiting.isEmpty && line.count > settled.count
  }

  /// The origins that a notification for devices goes to, as far as they are known before it is
  /// made.
  private func origins(of devices: [Device]) -> [PushOrigin] {
    var origins: Set<PushOrigin> = []
    for device in devices {
      if case .webPush(let subscription) = device.route {
        origins.insert(PushOrigin(of: subscription.endpoint))
      } else if let origin = lastOrigins[device.route.service] {
        origins.insert(origin)
      }
    }
    if devices.isEmpty, let origin = lastOrigins[.app] { origins.insert(origin) }
    return Array(origins)
  }

  /// Sends a notification. Its devices at full origins are told later.
  /// - Returns: how many requests it makes.
  private func start(
    _ bundle: PushBundle, _ parts: [OpenPush.Part], besides settled: Set<DeviceName>,
    _ full: Set<PushOrigin>
  ) -> Int {
    let devices = bundle.lead.details.devices
    var push = OpenPush(parts: parts, reason: bundle.reason, hasDevices: !devices.isEmpty)
    lastNotification += 1
    let (number, now) = (lastNotification, clock.now())
    var (served, requests): (Set<Device.Route.Service>, Int) = ([], 0)
    for provider in providers where served.insert(provider.service).inserted {
      let own = devices.filter {
        $0.route.service == provider.service && !settled.contains($0.name)
      }
      guard !own.isEmpty || devices.isEmpty && provider.service == .app else { continue }
      var notification = PushNotification(bundle)
      notification.devices = own
      notification.jobs = bundle.parts.map(\.job)
      for parcel in provider.parcels(notification, now) {
        let told = parcel.device.map { [$0] } ?? own
        let (place, sent) = push.add(
          parcel, of: provider, to: told, full: full, isStrange: flights.isStrange)
        guard let (request, origin) = sent else { continue }
        requests += 1
        if !request.isForeign { lastOrigins[provider.service] = origin }
        flights.add(
          PushFlights.Flight(
            notification: number, parcel: place, request: request, origin: origin))
      }
    }
    guard !push.isFinished else {
      settle(push)
      return requests
    }
    open[number] = push
    openIDs.formUnion(parts.map(\.job.id))
    depart()
    return requests
  }

  private func depart() {
    for (number, request) in flights.depart(at: clock.uptimeNanoseconds()) {
      exchange.send(number, request)
    }
  }

  // MARK: Answers

  /// Takes the answers that have come. Waits for the first one for so long.
  func collect(_ wait: Duration) {
    guard !flights.isEmpty else { return }
    for (number, answer) in exchange.answers(wait) {
      guard let flight = flights.arrive(number, isAnswered: answer.isResponse) else { continue }
      if let push = open[flight.notification], push.parcels.indices.contains(flight.parcel) {
        meters.attempted(
          push.parcels[flight.parcel].provider,
          nanoseconds: clock.uptimeNanoseconds() &- flight.departedAt)
      }
      open[flight.notification]?.take(answer, at: flight.parcel)
      guard let push = open[flight.notification], push.isFinished else { continue }
      open[flight.notification] = nil
      openIDs.subtract(push.parts.map(\.job.id))
      settle(push)
    }
    depart()
  }

  /// All providers have said their word about a notification.
  private func settle(_ push: OpenPush) {
    for parcel in push.parcels
    where !parcel.isStrange && parcel.result?.verdict == .taken {
      watches[parcel.provider, default: ReceiverWatch()].took()
    }
    // With wrong settings of the service every device is refused.
    for parcel in push.parcels where !parcel.isStrange {
      guard case .refused(let reason, .device)? = parcel.result?.verdict,
        let player = push.parts.first?.job.player
      else { continue }
      watches[parcel.provider, default: ReceiverWatch()].failed(
        reason, of: player, isForeign: true, at: clock.uptimeNanoseconds(),
        triedAgainAfter: .fiveMinutes)
    }
    // The answers belong to the first job, and are counted once.
    var answers = push.answers
    for part in push.parts {
      settle(part, of: push, answers)
      answers = []
    }
  }

  private func settle(_ part: OpenPush.Part, of push: OpenPush, _ answers: [PushStore.Answer]) {
    let isReached = !part.delivery.reached.isEmpty
    switch push.verdict {
    case .delivered:
      meters.handedOver(part.delivery, at: clock.now())
      handled.record(part, .delivered, push.reason, answers: answers)
    case .later(let reason, let pause, let isTaken, let fault):
      putOff(part, of: push, reason, atLeast: pause, isTaken: isTaken, fault, answers)
    case .refused(let text):
      guard !isReached else { return handled.record(part, .delivered, answers: answers) }
      giveUp(part, text, .refused, answers: answers)
    case .dropped(let reason):
      // A device that refused it at an earlier attempt was not asked again.
      let reason = part.delivery.refused.isEmpty ? reason : .refused
      handled.record(
        part, isReached ? .delivered : .dropped, isReached ? nil : reason, answers: answers)
    }
  }

  /// Puts a job into the retry queue of its next attempt, or one of a longer delay that a provider
  /// asks for. If there is none left, the job has failed, unless a device has it, or only addresses
  /// that clients chose are to blame.
  ///
  /// A job that has reached a device now, or was refused there for good, and waits for full origins
  /// alone has lost no attempt. It waits so once a device at most.
  private func putOff(
    _ part: OpenPush.Part, of push: OpenPush, _ text: String, atLeast pause: Duration,
    isTaken: Bool, _ fault: PushFault, _ answers: [PushStore.Answer]
  ) {
    let delivery = part.delivery
    let isAttempt = !push.isOnlyCrowded || push.reached.union(push.refused).isEmpty
    let limit = push.isOnlyOfClients ? settings.clientDelayLimit : settings.delays.count
    let left = settings.delays.prefix(limit).dropFirst(max(0, delivery.attempts))
    let next = left.first { $0.least >= pause } ?? left.last
    guard let delay = isAttempt ? next : .tenSeconds else {
      guard isTaken || !delivery.reached.isEmpty else {
        switch fault {
        case .service: return giveUp(part, text, .exhausted, answers: answers)
        case .device: return handled.record(part, .dropped, .exhausted, answers: answers)
        }
      }
      // A client's own server may fail for ever, and must not fill the log.
      log.log(
        level: fault == .service ? .notice : .debug, "push not to all devices",
        metadata: metadata(of: part.job, reason: text))
      return handled.record(part, .delivered, push.reason, answers: answers)
    }
    handled.delay(
      part,
      PushBus.Delayed(
        delivery, after: delay, reached: push.reached, refused: push.refused, isAttempt: isAttempt,
        isInDoubt: push.isInDoubt),
      answers: answers, isDelivered: isTaken, reason: push.reason)
    let now = clock.uptimeNanoseconds()
    for parcel in push.parcels where !parcel.isStrange && parcel.result?.isCrowded != true {
      guard case .later(let reason, _, let fault)? = parcel.result?.verdict else { continue }
      watches[parcel.provider, default: ReceiverWatch()].failed(
        reason, of: part.job.player, isForeign: fault == .device, at: now,
        triedAgainAfter: delay)
    }
    log.debug("push put off", metadata: metadata(of: part.job, reason: text))
  }
}

extension PushBus.Delivery {
  /// Whether its notification tells of nothing else. A copy may be for some of the devices. And a
  /// device may have it as a notification of its own: a second one has to take that one's place.
  var goesAlone: Bool { !settled.isEmpty || isInDoubt || deliveryCount > 1 }
}

extension Result<PushResponse, PushFailure> {
  /// Whether a server has answered.
  fileprivate var isResponse: Bool { if case .success = self { true } else { false } }
}

extension PushStore.Briefing {
  fileprivate var details: PushStore.Details? {
    switch self {
    case .due(let details), .delivered(let details): details
    case .handled, .stale: nil
    }
  }
}

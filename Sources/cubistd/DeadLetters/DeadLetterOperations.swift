import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Looks after all kinds of dead letters. A crash at any step loses nothing: a letter is removed
/// only after its replacement is safe.
struct DeadLetterOperations {
  /// A dead letter in any place.
  enum Letter {
    /// In the database, by a worker.
    case event(DeadEventRow)
    /// In the database, by a push worker.
    case job(DeadJobRow)
    /// In the broker, by a former build.
    case message(DeadLetter)
  }

  /// The outcome for a letter.
  enum Resolution: Equatable {
    /// It is not there any more.
    case done
    /// It is still there, for this reason.
    case left(String)
  }

  /// Further facts about a letter.
  struct Facts {
    /// The answer that its event has got since.
    var reply: String?
    /// Why it can no longer be accepted.
    var obstacle: String?
    /// The operators' acts on it.
    var acts: [ActRow] = []
  }

  /// The most messages to take in hand, and the most bytes of their bodies.
  static let handLimit = 10_000
  static let handBytes = 64 * 1_024 * 1_024
  /// Letters that are read from the database at once.
  static let pageLimit = 1_000

  let store: OperatorStore
  /// Nil: the settings name no broker, or it cannot be reached.
  let bus: DeadLetterBus?
  var `operator` = OperatorName.current
  /// Hears that the broker could not be asked; nil: nothing can be done without it.
  var withoutBroker: ((OperatorFailure) -> Void)?

  /// The office that the settings of this process describe.
  static func open(needsBroker: Bool) throws(OperatorFailure) -> DeadLetterOperations {
    let settings = try ServiceSettings.load(
      needing: needsBroker ? [.database, .broker] : [.database])
    let store = try OperatorConnection.store(settings, as: "dead-letters")
    guard !settings.broker.isEmpty else { return DeadLetterOperations(store: store, bus: nil) }
    let context = BusContext(
      address: try settings.brokerAccount().address, clock: .live, randomness: .live,
      log: .make(level: settings.logLevel, clock: .live, sink: .standardError))
    let withoutBroker = { (failure: OperatorFailure) in
      Output.note("the broker could not be asked, this is from the database alone: \(failure)")
    }
    do throws(OperatorFailure) {
      let bus = try onBroker(try DeadLetterBus.live(context))
      return DeadLetterOperations(
        store: store, bus: bus, withoutBroker: needsBroker ? nil : withoutBroker)
    } catch {
      guard !needsBroker else { throw error }
      withoutBroker(error)
      return DeadLetterOperations(store: store, bus: nil)
    }
  }

  func close() { bus?.close() }

  // MARK: Looking

  /// All letters, or those with some ids, that `isWanted` takes: the newest first, at most `limit`
  /// of each kind.
  func letters(
    _ ids: [DeadEventID]? = nil, limit: Int = handLimit,
    where isWanted: (Letter) -> Bool = { _ in true }
  ) throws(OperatorFailure) -> [Letter] {
    var letters = try messages(ids, limit: limit, where: isWanted)
    letters += try onStore { () throws(StoreError) in
      guard let ids else {
        return try newest(limit, where: isWanted) { place, limit throws(StoreError) in
          try store.deadEvents(place, limit).map(Letter.event)
        }
          + newest(limit, where: isWanted) { place, limit throws(StoreError) in
            try store.deadJobs(place, limit).map(Letter.job)
          }
      }
      var rows: [Letter] = []
      for id in Set(ids) {
        if let row = try store.deadEvent(id) { rows.append(.event(row)) }
        if let row = try store.deadJob(id) { rows.append(.job(row)) }
      }
      return rows.filter(isWanted)
    }
    let never = Instant(microseconds: 0)
    return letters.sorted { ($1.at ?? never, $1.id) < ($0.at ?? never, $0.id) }
  }

  /// The letters that a filter admits, of all or of some.
  func letters(
    _ filter: DeadLetterFilter, among some: [Letter]? = nil, limit: Int = handLimit
  ) throws(OperatorFailure) -> [Letter] {
    let now = try onStore(try store.status().now)
    if let some { return some.filter { filter.admits($0, at: now) } }
    return try letters(limit: limit) { filter.admits($0, at: now) }
  }

  /// The newest letters that `isWanted` takes, looked for page by page.
  private func newest(
    _ limit: Int, where isWanted: (Letter) -> Bool,
    _ page: (DeadLetterPlace?, Int) throws(StoreError) -> [Letter]
  ) throws(StoreError) -> [Letter] {
    var found: [Letter] = []
    var place: DeadLetterPlace?
    while found.count < limit {
      let letters = try page(place, DeadLetterOperations.pageLimit)
      found += letters.filter(isWanted).prefix(limit - found.count)
      guard letters.count == DeadLetterOperations.pageLimit, let last = letters.last,
        let at = last.at
      else { break }
      place = DeadLetterPlace(at: at, id: last.id)
    }
    return found
  }

  private func messages(
    _ ids: [DeadEventID]?, limit: Int, where isWanted: (Letter) -> Bool
  ) throws(OperatorFailure) -> [Letter] {
    guard let bus else { return [] }
    do throws(OperatorFailure) {
      return try messages(bus, ids, limit: limit, where: isWanted)
    } catch {
      guard let withoutBroker else { throw error }
      withoutBroker(error)
      return []
    }
  }

  private func messages(
    _ bus: DeadLetterBus, _ ids: [DeadEventID]?, limit: Int, where isWanted: (Letter) -> Bool
  ) throws(OperatorFailure) -> [Letter] {
    try onBroker { () throws(BusError) in
      var found: [Letter] = []
      var (taken, bytes) = (0, 0)
      while taken < DeadLetterOperations.handLimit, found.count < limit,
        bytes < DeadLetterOperations.handBytes, let letter = try bus.next()
      {
        taken += 1
        guard ids?.contains(letter.id) ?? true, isWanted(.message(letter)) else { continue }
        bytes += letter.body.count
        found.append(.message(letter))
      }
      return found
    }
  }

  /// Further facts about a letter.
  func facts(of letter: Letter) throws(OperatorFailure) -> Facts {
    try onStore { () throws(StoreError) in
      var facts = Facts()
      var name = "\(letter.id)"
      if case .event(let event) = letter.content {
        name = "\(event.id)"
        let key = EventKey(player: event.player, event: event.id)
        facts.reply = try store.reply(key).map { stored in
          switch (try? ReplyCodec.decode(stored.reply))?.reply {
          case .accepted: "accepted"
          case .refused(let name, _, _): "refused: \(name)"
          case nil: "one that this build cannot read"
          }
        }
        let now = try store.status().now
        if !event.isFromService, let refusal = Judge.refusal(of: event, now: now) {
          facts.obstacle = "it would be refused now: \(refusal.name)"
        }
      }
      facts.acts = try store.actsNaming(name, 20)
      return facts
    }
  }

  // MARK: Finishing

  /// Sends a letter to its destination, and removes it once it is there.
  func retry(_ letter: Letter) throws(OperatorFailure) -> Resolution {
    if letter.isTick {
      return try discard(letter, reason: "a tick of the past says nothing any more")
    }
    guard let bus, let destination = letter.destination else {
      return .left("it does not say where it belongs")
    }
    try onBroker(try bus.publish(letter.body, destination))
    return try finish(letter, ActRow(act: "dead letter retried", detail: detail(letter)))
  }

  /// Removes a letter for good.
  func discard(_ letter: Letter, reason: String) throws(OperatorFailure) -> Resolution {
    let detail = detail(letter) + ": \(PlainText.oneLine(reason))"
    return try finish(letter, ActRow(act: "dead letter discarded", detail: detail))
  }

  private func finish(_ letter: Letter, _ act: ActRow) throws(OperatorFailure) -> Resolution {
    switch letter {
    case .event(let row):
      let isThere = try onStore(try store.removeDeadEvent(row.id, act))
      return isThere ? .done : .left("somebody else has dealt with it meanwhile")
    case .job(let row):
      let isThere = try onStore(try store.removeDeadJob(row, act))
      return isThere ? .done : .left("it was given up again, or is gone, meanwhile")
    case .message(let message):
      try onStore(try store.keepAct(act))
      try onBroker(try bus?.acknowledge(message))
      return .done
    }
  }

  private func detail(_ letter: Letter) -> String {
    let what =
      switch letter.content {
      case .event(let event): "event \(event.id) of player \(event.player)"
      case .jobs(let jobs):
        jobs.map { "push job \($0.id) for player \($0.player)" }.joined(separator: ", ")
      case .unknown: PlainText.count(letter.body.count, "byte")
      }
    return "\(letter.id), \(what), by \(`operator`)"
  }
}

extension DeadLetterOperations.Letter {
  /// The content of a letter.
  enum Content {
    case event(Event)
    /// Never none.
    case jobs([PushJob])
    case unknown
  }

  var id: DeadEventID {
    switch self {
    case .event(let row): row.id
    case .job(let row): row.job.id
    case .message(let letter): letter.id
    }
  }

  /// When it died; a message may not know.
  var at: Instant? {
    switch self {
    case .event(let row): row.at
    case .job(let row): row.at
    case .message(let letter): letter.deaths.first?.at
    }
  }

  /// The queue that gave it up.
  var queue: String {
    switch self {
    case .event(let row): Names().events(queue: row.event.queue)
    case .job: Names().push
    case .message(let letter): letter.deaths.first?.queue ?? ""
    }
  }

  var reason: String {
    switch self {
    case .event(let row): row.event.reason
    case .job(let row): row.job.reason
    case .message(let letter): letter.deaths.first?.reason ?? ""
    }
  }

  /// The message, byte for byte.
  var body: [UInt8] {
    switch self {
    case .event(let row): row.event.body
    case .job(let row): row.job.body
    case .message(let letter): letter.body
    }
  }

  var content: Content {
    if let signed = try? Envelope.decode(body),
      let event = try? PayloadCodec.decodeEvent(signed.payload)
    {
      return .event(event)
    }
    let jobs = PushJobMessage.parts(of: body).compactMap(\.job)
    return jobs.isEmpty ? .unknown : .jobs(jobs)
  }

  /// Whether it is one of the service's own ticks, which a build before schema 11 kept.
  var isTick: Bool {
    if case .event(let event) = content, case .ticked = event.action { return true }
    return false
  }

  /// Its destination; nil where neither the letter nor its deaths tell.
  var destination: DeadLetter.Destination? {
    if case .event(let event) = content, let slot = Slot(of: event) { return .events(slot) }
    if case .jobs = content { return .push }
    guard case .message(let letter) = self else { return nil }
    // An unreadable letter goes back to the queue it came from.
    return letter.deaths.lazy.compactMap { death -> DeadLetter.Destination? in
      guard Names().formerIndex(of: death.queue) != nil else { return nil }
      return death.routingKey.flatMap(Slot.init(routingKey:)).map { .events($0) }
    }.first
  }
}

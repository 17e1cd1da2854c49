package import Logging
package import CubeRules
package import MatchCore
package import MatchInterfaces
package import MatchWire

/// A reader's knobs.
package struct ReaderSettings: Hashable, Sendable {
  /// Messages taken at once.
  package var batchLimit = 256
  /// How long to wait for messages when there are none.
  package var idleWait: Duration = .milliseconds(100)
  /// How long a query waits for a change.
  package var watchSeconds: Double = 20
  /// How long a query waits for a version that its asker has seen already.
  package var catchUpSeconds: Double = 5
  /// When the store is asked again for that version: after this time, then after twice as long.
  package var retrySeconds: Double = 0.25
  /// Matches that are read at once for queries that wait.
  package var lookLimit = 256
  /// Queries that may wait in all.
  package var waitingLimit = 20_000
  /// Queries of one player that may wait.
  package var waitingLimitPerPlayer = 16
  /// How long the facts that strangers may ask for are remembered before the store is asked again.
  package var serviceInfoSeconds: Double = 1
  /// How long the service's own queries wait at most while others' are answered. The query in hand
  /// is finished first.
  package var ownQuerySeconds: Double = 1
  /// The largest answer, in bytes. The broker ends the connection that publishes more than its
  /// `max_message_size`, and everybody's answers go by that connection.
  package var answerByteLimit = 131_072
  /// The limits of one player, for an asker to read.
  package var limits = PlayerLimits.none
  /// How long the housekeeper keeps games.
  package var retention = Retention.standard

  package init() {}
}

/// Answers queries, some of them only when something has changed.
package final class Reader: Role {
  private let identity: ServiceIdentity
  private let handler: QueryHandler
  private let store: ReaderStore
  private let bus: ReaderBus
  private let clock: WallClock
  private let verifier: SignatureVerifier
  private let settings: ReaderSettings
  private let log: Logger
  private let meters = ReaderMeters()
  private var time = SteadyTime()

  private var watchers: Watchers
  private var budgets: QueryBudgets
  /// The facts that anybody may ask for, and until when they are remembered.
  private var remembered: (facts: QueryHandler.ServiceFacts, until: UInt64)?
  /// Queries whose wait may be over, the next one last.
  private var ready: [Watchers.Waiting] = []
  private var answers: [ReaderBus.Answer] = []
  /// When to look for the service's own queries.
  private var nextLook: UInt64 = 0
  private var blindness = Reader.blindness
  private var troubles = QueryTroubles()
  /// The error that kept answers from being sent between two queries.
  private var failure: Interruption?

  /// Puts a reader together; it does nothing before its first step. `version` is the program's, to
  /// tell askers.
  package init(
    identity: ServiceIdentity, layout: QueueLayout, rules: Rulebook = .standard, version: String,
    store: ReaderStore,
    bus: ReaderBus, clock: WallClock, verifier: SignatureVerifier,
    settings: ReaderSettings = .init(), log: Logger
  ) {
    self.identity = identity
    handler = QueryHandler(
      identity: identity, rules: rules, layout: layout, version: version, store: store,
      limits: settings.limits, retention: settings.retention)
    self.store = store
    self.bus = bus
    self.clock = clock
    self.verifier = verifier
    self.settings = settings
    self.log = log
    watchers = Watchers(
      limit: settings.waitingLimit, limitPerPlayer: settings.waitingLimitPerPlayer)
    budgets = QueryBudgets(queriesPerMinute: settings.limits.queriesPerMinute)
  }

  /// Answers the messages that have arrived, and the queries that have waited long enough.
  /// - Returns: how many messages arrived and answers were given.
  /// - Throws: `Interruption`; before that, all waiting askers are told that the service cannot say
  ///   now.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    let arrived = try onBus(try bus.receive(settings.batchLimit, settings.idleWait))
    var next = 0
    do throws(StoreError) {
      let arrivals = arrived.map { ReaderDelivery($0, identity: identity, verifier: verifier) }
      let known = try facts(about: arrivals)
      while next < arrivals.count {
        try handle(arrivals[next], known)
        next += 1
        try answerOwnQueries()
      }
      ready += watchers.takeDue(at: clock.uptimeNanoseconds()).reversed()
      try lookAgain()
    } catch {
      giveUp(arrived[next...])
      throw .store(error)
    }
    let count = answers.count
    try flush()
    if let failure { throw failure }
    meters.waits(watchers.count)
    return arrived.count + count
  }

  /// Tells all waiting askers that the service cannot say now, and closes the connections.
  package func leave() {
    giveUp([][...])
    bus.close()
  }

  // MARK: Arrivals

  /// Asks for the owners of all arrived keys at once, so that keys that nobody has registered cost
  /// no statement each, also if they ask for invitations or recoveries, and for the matches that
  /// they ask for.
  /// Gives nil if nobody can be answered now.
  private func facts(about arrivals: [ReaderDelivery]) throws(StoreError) -> Known? {
    var (keys, ids): (Set<PublicKey>, Set<MatchID>) = ([], [])
    var invitations: Set<Hash> = []
    var names: Set<String> = []
    var needsTime = false
    for arrival in arrivals {
      switch arrival {
      case .query(let query, let key, _):
        keys.insert(key)
        switch query.kind {
        case .match(let asked): ids.insert(asked.match)
        case .invitationOf(let asked): invitations.insert(asked.invitation)
        case .recoveryOf(let asked): names.insert(asked.name.key)
        default: break
        }
      case .question(let question, _):
        needsTime = true
        if case .keys(let asked) = question.question { keys.formUnion(asked) }
      case .outcome, .refused, .unanswerable: break
      }
    }
    guard needsTime || !keys.isEmpty else { return nil }
    // If one of the matches cannot be read, the owners are read without them.
    for ids in ids.isEmpty ? [ids] : [ids, []] {
      do throws(StoreError) {
        let asked = clock.elapsedNanoseconds()
        let found = try store.ownersAndMatches(Array(keys), ids.sorted())
        let now = time.take(found.now, asked: asked, heard: clock.elapsedNanoseconds())
        if blindness.isOpen { log.write(blindness.wentWell(at: clock.uptimeNanoseconds())) }
        return Known(
          now: now, owners: found.owners, matches: byID(found.matches, askedFor: ids),
          inviters: invitations.isEmpty ? [:] : try store.inviters(Array(invitations)),
          recoveries: names.isEmpty ? [:] : try recoveries(of: names))
      } catch {
        guard !error.concernsTheStore else { throw error }
        guard ids.isEmpty else { continue }
        log.write(
          blindness.failed(at: clock.uptimeNanoseconds()), metadata: ["reason": "\(error)"])
      }
    }
    return nil
  }

  private func recoveries(
    of names: Set<String>
  ) throws(StoreError) -> [String: ReaderStore.RecoveryRow] {
    Dictionary(try store.recoveries(names.sorted()).map { ($0.name.key, $0) }) { $1 }
  }

  /// Matches by id, with nil for those that do not exist.
  private func byID(_ found: [Match], askedFor ids: Set<MatchID>) -> [MatchID: Match?] {
    var matches = Dictionary(uniqueKeysWithValues: ids.map { ($0, Match?.none) })
    for match in found { matches[match.id] = match }
    return matches
  }

  /// Answers the service's own queries between two others, and sends the answers that are ready. So
  /// the service hears in time that somebody answers, also under a load of many or slow queries.
  private func answerOwnQueries() throws(StoreError) {
    let uptime = clock.uptimeNanoseconds()
    guard uptime >= nextLook else { return }
    nextLook = uptime &+ nanoseconds(settings.ownQuerySeconds)
    let arrivals = bus.ownQueries().map {
      ReaderDelivery($0, identity: identity, verifier: verifier)
    }
    let known = try facts(about: arrivals)
    for arrival in arrivals { try handle(arrival, known) }
    do throws(Interruption) { try flush() } catch { failure = error }
  }

  private func handle(_ arrival: ReaderDelivery, _ known: Known?) throws(StoreError) {
    switch arrival {
    case .outcome(let body):
      guard let notice = OutcomeNotice(body) else { return meters.count("outcome", "unreadable") }
      for change in notice.changes {
        ready += watchers.take(match: change.match, reached: change.version).reversed()
      }
      try lookAgain()
    case .refused(let refusal, let answer):
      meters.count("unknown", refusal.name)
      answers.append(answer)
    case .query(let query, let key, let asker):
      let label = query.kind.name
      guard let known else { return refuse(asker, .unavailable, label: label) }
      try surviving(asker, label: label) { () throws(StoreError) in
        try answer(query, signedBy: key, known, to: asker)
      }
    case .question(let question, let asker):
      let label = question.name
      guard let known else { return refuse(asker, .unavailable, label: label) }
      try surviving(asker, label: label) { () throws(StoreError) in
        try answer(question, known, to: asker, label: label)
      }
    case .unanswerable: meters.count("query", "unanswerable")
    }
  }

  private func answer(
    _ query: Query, signedBy key: PublicKey, _ known: Known, to asker: Watchers.Asker
  ) throws(StoreError) {
    let (label, now) = (query.kind.name, known.now)
    if let refusal = QueryDecoding.refusal(of: query, now: now, owner: known.owners[key]) {
      return refuse(asker, refusal, label: label)
    }
    let uptime = clock.uptimeNanoseconds()
    if let seconds = budgets.charge(type(of: query.kind.payload).cost, to: asker.player, at: uptime)
    {
      return refuse(asker, .rateLimited(retryAfterSeconds: seconds), label: label)
    }
    if case .match(let asked) = query.kind {
      return try show(asked, try match(asked.match, known.matches), to: asker)
    }
    try reply(to: asker, label: label) { () throws(QueryHandler.Failure) in
      try handler.answer(
        query, now: now, inviters: known.inviters,
        recovery: known.recovery(for: query, signedBy: key)
      ) { () throws(QueryHandler.Failure) in try serviceFacts(for: asker.player, now) }
    }
  }

  /// Answers a gateway's question, as nobody in particular.
  private func answer(
    _ question: GatewayQuery, _ known: Known, to asker: Watchers.Asker, label: String
  ) throws(StoreError) {
    try reply(to: asker, label: label) { () throws(QueryHandler.Failure) in
      switch question.question {
      case .overviews(let players):
        return try handler.overviews(
          of: players, question.id, byteLimit: settings.answerByteLimit)
      case .keys(let keys):
        return AnswerCodec.encode(known.silent(among: keys), query: question.id)
      case .asAnybody(let kind):
        let query = Query(
          service: identity.service, id: question.id, player: asker.player, kind: kind)
        return try handler.answer(query, now: known.now) { () throws(QueryHandler.Failure) in
          try serviceFacts(for: asker.player, known.now)
        }
      }
    }
  }

  /// The facts that anybody may ask for, from the store only once in a while.
  private func serviceFacts(
    for asker: PlayerID, _ now: Instant
  ) throws(QueryHandler.Failure) -> QueryHandler.ServiceFacts {
    let uptime = clock.uptimeNanoseconds()
    if let remembered, uptime < remembered.until { return remembered.facts }
    let facts = try handler.serviceFacts(for: asker, now)
    remembered = (facts, uptime &+ nanoseconds(settings.serviceInfoSeconds))
    return facts
  }

  // MARK: Waiting

  /// A match as it was read, or from the store if it was not read yet.
  private func match(_ id: MatchID, _ read: [MatchID: Match?]) throws(StoreError) -> Match? {
    if let known = read[id] { known } else { try store.match(id) }
  }

  /// Shows a match now, or lets the query wait for the version that it asks for.
  private func show(
    _ asked: Query.Match, _ found: Match?, to asker: Watchers.Asker
  ) throws(StoreError) {
    let (id, match) = (asked.match, found?.shown(to: asker))
    let uptime = clock.uptimeNanoseconds()
    // Nobody waits for a match that is gone.
    if match == nil, handler.refusal(of: id, clock.now()) == .matchGone {
      return refuse(asker, .matchGone, label: Query.Match.name)
    }
    if let atLeast = asked.atLeast, match?.version ?? 0 < atLeast {
      let waiting = Watchers.Waiting(
        asker: asker, match: id, version: atLeast, patience: .catchingUp,
        newerThan: asked.newerThan,
        deadline: uptime &+ nanoseconds(settings.catchUpSeconds),
        retry: uptime &+ nanoseconds(settings.retrySeconds),
        pause: 2 &* nanoseconds(settings.retrySeconds), hearsOfChanges: match != nil)
      return park(waiting)
    }
    guard let match else { return refuse(asker, .unknownMatch, label: Query.Match.name) }
    if let newerThan = asked.newerThan, match.version <= newerThan, newerThan < .max {
      let waiting = Watchers.Waiting(
        asker: asker, match: id, version: newerThan + 1, patience: .change, newerThan: newerThan,
        deadline: uptime &+ nanoseconds(settings.watchSeconds), retry: .max,
        pause: nanoseconds(settings.retrySeconds))
      return park(waiting)
    }
    try reply(with: match, to: asker)
  }

  private func park(_ waiting: Watchers.Waiting) {
    // A query that has to make room is asked again.
    if let refused = watchers.park(waiting) {
      refuse(refused.asker, .unavailable, label: Query.Match.name)
    }
  }

  /// Looks again at the queries that may be done waiting, one after another. Their matches are read
  /// many at a time. So others are answered meanwhile, even if many queries wait for matches that
  /// are not there.
  private func lookAgain() throws(StoreError) {
    var seen = Seen()
    var areReadTogether = true
    while let entry = ready.last {
      try surviving(entry.asker, label: Query.Match.name) { () throws(StoreError) in
        if !seen.covers(entry), areReadTogether {
          seen = try lookTogether(at: ready.suffix(settings.lookLimit))
          areReadTogether = seen.covers(entry)
        }
        if !seen.covers(entry) { seen = try look(at: [entry]) }
        try lookAgain(entry, at: seen)
      }
      ready.removeLast()
      try answerOwnQueries()
    }
  }

  /// Reads the matches of waiting queries, and the owners of their keys.
  private func look(at entries: ArraySlice<Watchers.Waiting>) throws(StoreError) -> Seen {
    let (keys, ids) = (Set(entries.compactMap(\.asker.key)), Set(entries.map(\.match)))
    let found = try store.ownersAndMatches(Array(keys), ids.sorted())
    return Seen(keys: keys, owners: found.owners, matches: byID(found.matches, askedFor: ids))
  }

  /// The same. If one match cannot be read, nothing is seen.
  private func lookTogether(at entries: ArraySlice<Watchers.Waiting>) throws(StoreError) -> Seen {
    do throws(StoreError) { return try look(at: entries) } catch {
      guard !error.concernsTheStore else { throw error }
      return Seen()
    }
  }

  /// Looks whether a query has waited long enough.
  private func lookAgain(_ entry: Watchers.Waiting, at seen: Seen) throws(StoreError) {
    guard seen.mayHear(entry.asker) else {
      return refuse(entry.asker, .keyRevoked, label: Query.Match.name)
    }
    let match = (seen.matches[entry.match] ?? nil)?.shown(to: entry.asker)
    let uptime = clock.uptimeNanoseconds()
    let isOver = entry.deadline <= uptime
    let isReached = match.map { $0.version >= entry.version } ?? false
    if !isReached, !isOver {
      var entry = entry
      entry.retry = uptime &+ entry.pause
      entry.pause &*= 2
      entry.hearsOfChanges = match != nil
      return park(entry)
    }
    switch entry.patience {
    case .catchingUp:
      guard isReached else { return refuse(entry.asker, .unavailable, label: Query.Match.name) }
      let asked = Query.Match(entry.match, newerThan: entry.newerThan)
      try show(asked, match, to: entry.asker)
    case .change:
      guard let match else {
        let refusal = handler.refusal(of: entry.match, clock.now())
        return refuse(entry.asker, refusal, label: Query.Match.name)
      }
      try reply(with: match, to: entry.asker)
    }
  }

  /// Tells all askers without an answer to ask again.
  private func giveUp(_ unhandled: ArraySlice<ReaderBus.Incoming>) {
    for incoming in unhandled {
      let (payload, replyTo, correlationID): ([UInt8], String?, String?)
      switch incoming {
      case .query(let body, let address, let id, _):
        (payload, replyTo, correlationID) = (
          Array(body.dropFirst(Envelope.headerBytes)), address, id
        )
      case .gatewayQuery(let body, let address, let id, _):
        (payload, replyTo, correlationID) = (body, address, id)
      case .outcome: continue
      }
      guard let replyTo, let correlationID else { continue }
      meters.count("unknown", QueryRefusal.unavailable.name)
      let id = PayloadCodec.eventID(of: payload)
      answers.append(
        .init(
          replyTo: replyTo, correlationID: correlationID,
          body: AnswerCodec.encode(refusal: .unavailable, query: id)))
    }
    for entry in ready.reversed() + watchers.takeAll() {
      refuse(entry.asker, .unavailable, label: Query.Match.name)
    }
    ready = []
    // A courtesy: an asker who hears nothing asks again, too.
    try? flush()
    answers = []
  }

  // MARK: Answers

  private func reply(with match: Match, to asker: Watchers.Asker) throws(StoreError) {
    try reply(to: asker, label: Query.Match.name, showing: match.id) {
      () throws(QueryHandler.Failure) in
      try handler.answer(match, to: asker.player, query: asker.query)
    }
  }

  private func reply(
    to asker: Watchers.Asker, label: String, showing match: MatchID? = nil,
    _ answer: () throws(QueryHandler.Failure) -> [UInt8]
  ) throws(StoreError) {
    do throws(QueryHandler.Failure) {
      let body = try answer()
      guard body.count <= settings.answerByteLimit else {
        troubles.isTooLarge(body.count, at: clock.uptimeNanoseconds(), log, asker.marks(label))
        return refuse(asker, .unavailable, label: label)
      }
      meters.count(label, "answered")
      troubles.answered(match, at: clock.uptimeNanoseconds(), log)
      log.debug("query answered", metadata: asker.marks(label))
      answers.append(
        .init(replyTo: asker.replyTo, correlationID: asker.correlationID, body: body))
    } catch {
      switch error {
      case .refused(let refusal): refuse(asker, refusal, label: label)
      case .store(let error): throw error
      }
    }
  }

  /// Handles one query. An error of the store about this query affects no other one.
  private func surviving(
    _ asker: Watchers.Asker, label: String, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try body()
    } catch {
      guard !error.concernsTheStore else { throw error }
      troubles.failed(error, at: clock.uptimeNanoseconds(), log, asker.marks(label))
      refuse(asker, error.damagedMatch == nil ? .unavailable : .matchDamaged, label: label)
    }
  }

  private func refuse(_ asker: Watchers.Asker, _ refusal: QueryRefusal, label: String) {
    meters.count(label, refusal.name)
    log.debug(
      "query refused", metadata: asker.marks(label).merging(["refusal": "\(refusal.name)"]) { $1 })
    answers.append(
      .init(
        replyTo: asker.replyTo, correlationID: asker.correlationID,
        body: AnswerCodec.encode(refusal: refusal, query: asker.query)))
  }

  private func flush() throws(Interruption) {
    guard !answers.isEmpty else { return }
    let ready = answers
    answers = []
    try onBus(try bus.answer(ready))
  }

  private func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000_000) }
}

extension Watchers.Asker {
  /// What a line of the log says about a query.
  fileprivate func marks(_ label: String) -> Logger.Metadata {
    trace.marks(["query": "\(label)", "id": "\(query)", "player": "\(player)"])
  }
}

extension Match {
  /// The match as the asker may see it: one in which the asker has no part does not exist.
  fileprivate func shown(to asker: Watchers.Asker) -> Match? {
    concerns(asker.player) ? self : nil
  }
}

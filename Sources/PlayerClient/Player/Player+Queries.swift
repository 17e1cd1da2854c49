public import MatchCore
import MatchInterfaces
public import MatchWire

// Queries. A query changes nothing; each may throw `ClientError.unreachable`, `.queryRefused`,
// `.notRegistered`, `.clockSkewed`, `.foreignReply` or `.unreadable`.
extension Player {
  /// The service's description. Its id and root key are pinned the first time, and its clock is
  /// compared with this machine's each time.
  /// - Throws: `ClientError.rootKeyChanged` or `.serviceChanged` where they are not those of the
  ///   first time; `.outdated` where programs of this version are served no more.
  @discardableResult
  public func serviceInfo() throws(ClientError) -> ServiceInfo {
    let (info, sample) = try measuredInfo { () throws(ClientError) in
      try ask(Query.ServiceInfo(), of: profile.service ?? ServiceID(rawValue: 0))
    }
    if let pinned = profile.rootKey, pinned != info.rootKey {
      throw .rootKeyChanged(pinned: pinned, received: info.rootKey)
    }
    if let pinned = profile.service, pinned != info.service {
      throw .serviceChanged(pinned: pinned, received: info.service)
    }
    if let oldest = info.oldestClient, version < oldest {
      throw .outdated(version: version, oldest: oldest)
    }
    let offset = sample.correction(profile.clockOffset)
    if profile.rootKey == nil || profile.service == nil || profile.clockOffset != offset {
      try remember {
        $0.rootKey = info.rootKey
        $0.service = info.service
        $0.clockOffset = offset
      }
    }
    return info
  }

  /// The player as the service knows it; name and id are remembered.
  public func whoAmI() throws(ClientError) -> PlayerView {
    let view = try ask(Query.WhoAmI())
    if profile.name != view.name || profile.player != view.id {
      try remember {
        $0.name = view.name
        $0.player = view.id
      }
    }
    return view
  }

  public func player(named name: PlayerName) throws(ClientError) -> PlayerView {
    try ask(Query.Player(name))
  }

  /// The player's home list: matches, invitations, offers of rematches, the daily challenge.
  public func home() throws(ClientError) -> HomeView { try ask(Query.Matches()) }

  /// One match of the player.
  ///
  /// - Parameters:
  ///   - atLeast: The stored version that the answer must at least show.
  ///   - newerThan: Wait until there is a later version than this, for 20 s at most.
  ///   - isWanted: Whether the wait goes on. It is asked a few times a second where changes come by
  ///     a stream.
  public func match(
    _ match: MatchID, atLeast: Int64? = nil, newerThan: Int64? = nil,
    while isWanted: (() -> Bool)? = nil
  ) throws(ClientError) -> MatchView {
    if let newerThan, atLeast == nil, bus.changes != nil {
      return try awaited(match, newerThan: newerThan, while: isWanted)
    }
    return try ask(
      Query.Match(match, atLeast: atLeast, newerThan: newerThan),
      timeout: newerThan == nil ? nil : patience.change)
  }

  /// The match that a code invites to, or that was shared with it.
  public func match(code: ShareCode) throws(ClientError) -> MatchView {
    try ask(Query.MatchByCode(code))
  }

  /// The player's past games, the newest first; `limit` is brought into `Query.PastGames.limits`.
  public func pastGames(
    with opponent: PlayerID? = nil, filter: PastGamesFilter = PastGamesFilter(),
    before: PastGamesCursor? = nil, limit: Int = 20
  ) throws(ClientError) -> PastGames {
    let limits = Query.PastGames.limits
    let limit = min(max(limit, limits.lowerBound), limits.upperBound)
    return try ask(
      Query.PastGames(with: opponent, filter: filter, before: before, limit: limit))
  }

  /// How the player did against another one.
  public func headToHead(with opponent: PlayerID) throws(ClientError) -> HeadToHead {
    try ask(Query.HeadToHead(with: opponent))
  }

  /// The record of a match of the player that is over, as the text of a document.
  public func record(of match: MatchID) throws(ClientError) -> String {
    try record { Query.Record(match, part: $0) }
  }

  /// The record of a match that is over and was shared with a code, as the text of a document.
  public func record(code: ShareCode) throws(ClientError) -> String {
    try record { Query.RecordByCode(code, part: $0) }
  }

  /// All parts of a record, one after another. A service of a former build gives all of it as the
  /// first one.
  private func record<Payload: QueryPayload>(
    _ query: (Int) -> Payload
  ) throws(ClientError) -> String where Payload.Answer == RecordAnswer {
    var record = ""
    for number in RecordPart.numbers {
      let part = try ask(query(number)).record
      record += part
      if part.utf8.count != RecordPart.byteCount { break }
    }
    return record
  }

  /// The players' points in a daily challenge.
  public func standings(_ daily: DailyKey) throws(ClientError) -> Standings {
    try ask(Query.Standings(daily))
  }

  /// The ladder: the first players, and those next to the player; `limit` is brought into
  /// `Query.Ladder.limits`.
  public func ladder(limit: Int = 100) throws(ClientError) -> Ladder {
    let limits = Query.Ladder.limits
    return try ask(Query.Ladder(limit: min(max(limit, limits.lowerBound), limits.upperBound)))
  }
  /// The player's settings and devices.
  public func settings() throws(ClientError) -> SettingsView { try ask(Query.Settings()) }

  /// The player's notifications that were not seen yet.
  public func inbox() throws(ClientError) -> InboxView { try ask(Query.Inbox()) }

  /// The player's results in the daily challenges of the last 31 days, the newest first.
  public func dailyHistory() throws(ClientError) -> DailyHistory { try ask(Query.DailyHistory()) }

  /// The best 100 players on a leaderboard, and the player's own place.
  public func leaderboard(_ board: Leaderboard) throws(ClientError) -> LeaderboardView {
    try ask(Query.Leaderboard(board))
  }

  /// The player's last seven days.
  public func review() throws(ClientError) -> WeekInReview { try ask(Query.Review()) }

  /// The players that the player has blocked, in the order of names.
  public func blocks() throws(ClientError) -> BlockList { try ask(Query.Blocks()) }

  /// Rows that are kept of the player in a section, those after a place.
  func rows(_ asked: Query.Account) throws(ClientError) -> AccountRows { try ask(asked) }

  /// The service of the profile; asked for and pinned the first time.
  func pinnedService() throws(ClientError) -> ServiceID {
    if let service = profile.service, profile.rootKey != nil { return service }
    return try serviceInfo().service
  }

  func remember(_ change: (inout Profile) -> Void) throws(ClientError) {
    var changed = profile
    change(&changed)
    try Player.files(try store.saveProfile(changed))
    profile = changed
  }
}

extension Player {
  /// The longest wait, in seconds, where the service says that too much was asked. If it wants a
  /// longer one, the call fails and says so.
  static let longestPause: Int64 = 5

  func ask<Payload: QueryPayload>(
    _ asked: Payload, timeout: Duration? = nil, signedBy other: Signer? = nil
  ) throws(ClientError) -> Payload.Answer {
    try ask(asked, of: try pinnedService(), timeout: timeout, signedBy: other)
  }

  private func ask<Payload: QueryPayload>(
    _ asked: Payload, of service: ServiceID, timeout: Duration? = nil,
    signedBy other: Signer? = nil
  ) throws(ClientError) -> Payload.Answer {
    // A query for a change waits until the service says that there is none.
    let limit = timeout == nil ? patience.queryLimit : nil
    let timeout = timeout ?? patience.query
    let start = limit == nil ? 0 : clock.uptimeNanoseconds()
    let isAboutPlayer = asked.kind != .serviceInfo
    if isAboutPlayer { noticeSetClock() }
    var mayMeasure = isAboutPlayer
    var last = ClientError.unreachable(.timedOut("no answer within \(timeout)"))
    for attempt in 1...max(1, patience.attempts) {
      let rest = limit.map { $0 - elapsed(since: start) } ?? timeout
      guard rest > .zero else { throw last }
      let query = Query(service: service, id: newID(), player: player, kind: asked.kind)
      let body = signed(query, by: other)
      switch try answer(
        to: query, body, as: Payload.Answer.self, timeout: min(timeout, rest), &last)
      {
      case .ok(let answer)?: return answer
      case .refused(let name, let message, .unavailable?)?:
        last = .queryRefused(name: name, message: message, refusal: .unavailable)
        if attempt < patience.attempts { backOff(attempt: attempt) }
      case .refused(let name, let message, .rateLimited(let seconds)?)?
      where attempt < patience.attempts && seconds <= Player.longestPause:
        last = .queryRefused(
          name: name, message: message, refusal: .rateLimited(retryAfterSeconds: seconds))
        clock.sleep(.seconds(seconds))
      case .refused(_, _, .expired?)? where mayMeasure && isMended():
        mayMeasure = false
      case .refused(let name, let message, let refusal)?:
        throw error(name, message, refusal)
      case nil where attempt > 1: throw last
      // Asking again costs nothing, and one answer may be lost with its connection.
      case nil: continue
      }
    }
    throw last
  }

  /// Whether the time by which this program goes was wrong, and is right now.
  func isMended() -> Bool { (try? measureClock()) ?? false }

  func elapsed(since start: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: clock.uptimeNanoseconds() &- start))
  }

  /// The answer to a query; nil where none came. A gateway's own word on that goes into `last`.
  private func answer<Payload: Decodable & Sendable>(
    to query: Query, _ body: [UInt8], as: Payload.Type, timeout: Duration,
    _ last: inout ClientError
  ) throws(ClientError) -> ReceivedAnswer<Payload>? {
    let message = PlayerMessage(destination: .queries, body: body)
    let answer: PlayerAnswer
    do throws(BusError) {
      answer = try bus.request(message, timeout)
    } catch {
      throw .unreachable(error)
    }
    guard case .reply(let bytes) = answer else {
      if case .unanswered(let reason) = answer { last = .unreachable(.timedOut(reason)) }
      return nil
    }
    do throws(ReplyFault) {
      let (id, received) = try AnswerCodec.decode(bytes, as: Payload.self)
      // A late answer to an earlier query is no answer to this one.
      return id == nil || id == query.id ? received : nil
    } catch {
      throw .unreadable(error)
    }
  }

  func signed(_ query: Query, by other: Signer? = nil) -> [UInt8] {
    Envelope.encode((other ?? signer).sign(query))
  }

  func error(
    _ name: String, _ message: String, _ refusal: QueryRefusal?
  ) -> ClientError {
    switch refusal {
    case .notRegistered?: return notRegistered
    case .expired(let serviceTime)?:
      return skew(against: serviceTime)
        ?? .queryRefused(
          name: name, message: message, refusal: refusal)
    default: return .queryRefused(name: name, message: message, refusal: refusal)
    }
  }

  /// The clock's error, where it is large enough to be to blame.
  func skew(against serviceTime: Instant) -> ClientError? {
    let ahead = clock.now().microseconds(since: serviceTime) / 1_000_000
    return abs(ahead) >= Query.validSeconds / 2
      ? .clockSkewed(aheadSeconds: ahead, serviceTime: serviceTime) : nil
  }
}

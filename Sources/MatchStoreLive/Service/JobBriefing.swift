internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

/// Reads the facts about push jobs in one round trip: their outcomes, whether they hold, the other
/// players, and the devices and wishes of the players to be told. For matches that are over, and for
/// jobs that only the state of a match can judge, it takes two more, and one for the blocks between
/// the players.
final class JobBriefing {
  let session: StoreSession
  private let ranks: RanksOfDay

  init(_ session: StoreSession) {
    self.session = session
    ranks = RanksOfDay(session)
  }

  func brief(_ jobs: [PushJob]) throws(StoreError) -> [PushJobID: PushStore.Briefing] {
    var briefings = try judge(jobs)
    let due = jobs.compactMap { job -> (job: PushJob, details: PushStore.Details)? in
      switch briefings[job.id] {
      case .due(let details)?, .delivered(let details)?: (job, details)
      case .handled?, .stale?, nil: nil
      }
    }
    // Nobody has a seat in a match that is over.
    let ends = try ends(
      of: due.filter { row in
        row.job.holdsByState || row.details.opponent == nil && !row.job.holdsWithMatch
      })
    let standings = try ranks.standings(due.map(\.job))
    for (job, details) in due where ends[job.id] != nil || standings[job.id] != nil {
      var details = details
      details.opponent = details.opponent ?? ends[job.id]?.opponent
      details.yesterday = standings[job.id]
      details.reason = ends[job.id]?.reason
      if case .delivered? = briefings[job.id] {
        briefings[job.id] = .delivered(details)
      } else {
        briefings[job.id] = .due(details)
      }
    }
    for (job, end) in ends {
      if let reason = end.against { briefings.replace(job, .stale(reason)) }
    }
    for (job, briefing) in try rounds(due) { briefings.replace(job, briefing) }
    for job in try blocked(due.map(\.job), briefings) {
      briefings.replace(job, .stale(.blocked))
    }
    return briefings
  }

  /// The jobs that come from another player, while one of the two has blocked the other.
  private func blocked(
    _ jobs: [PushJob], _ briefings: [PushJobID: PushStore.Briefing]
  ) throws(StoreError) -> [PushJobID] {
    var senders: [PushJobID: (receiver: PlayerID, sender: PlayerID)] = [:]
    for job in jobs where job.kind.isSentByOther {
      switch briefings[job.id] {
      case .due(let details)?, .delivered(let details)?:
        if let other = details.opponent { senders[job.id] = (job.player, other.id) }
      case .handled?, .stale?, nil: break
      }
    }
    guard !senders.isEmpty else { return [] }
    let pairs = Array(Set(senders.values.flatMap { Block.between($0.receiver, $0.sender) }))
    let rows = try session.rows(
      SQL.blocksStanding(pairs.uuids(\.player), pairs.uuids(\.blocked)))
    let standing = try reading { () throws(PostgreSQLError) in
      Set(
        try rows.map { row throws(PostgreSQLError) in
          Block(try row[0].id(), try row[1].id())
        })
    }
    return senders.filter { _, pair in
      !standing.isDisjoint(with: Block.between(pair.receiver, pair.sender))
    }.map(\.key)
  }

  /// Without standings, and without the facts that only the state of a finished match has.
  private func judge(_ jobs: [PushJob]) throws(StoreError) -> [PushJobID: PushStore.Briefing] {
    let told = Value.ids(Set(jobs.map(\.player)).sorted())
    let results = try session.run([
      SQL.judgedJobs(
        jobs.uuids(\.id), jobs.uuids(\.player),
        jobs.int32s { Int(PlayerSettings.mask(against: $0.kind)) },
        jobs.bools { $0.kind == .nudged }, jobs.bools(\.holdsWithMatch), jobs.uuids(\.match),
        jobs.int32s(\.dueTurn),
        jobs.int32s { $0.lastDay.map { Int($0.number) } }, .admitting),
      SQL.devicesOfPlayers(told, .admitting),
      SQL.toldPlayers(
        told, .int64(Match.invitationSeconds), .int64(PushStore.Details.bundleSeconds),
        .kinds { $0.topic != nil }, .kinds { $0.topic == .turn }),
    ])
    return try reading { () throws(PostgreSQLError) in
      var devices: [PlayerID: [Device]] = [:]
      for row in results[1] { devices[try row[3].id(), default: []].append(try Device(row)) }
      var facts: [PlayerID: PushStore.Details] = [:]
      for row in results[2] {
        let player: PlayerID = try row[0].id()
        facts[player] = PushStore.Details(
          devices: devices[player] ?? [],
          waiting: PushStore.Waiting(
            turns: try row[2].int, invitations: try row[3].int, offers: try row[4].int),
          preferences: try PushPreferences(row, at: 7), lastSentAt: try row[5].ifPresent?.instant,
          lastTurnSentAt: try row[6].ifPresent?.instant, readAt: try row[1].instant)
      }
      let players = Dictionary(jobs.map { ($0.id, $0.player) }) { $1 }
      var briefings: [PushJobID: PushStore.Briefing] = [:]
      for row in results[0] {
        let job: PushJobID = try row[0].id()
        let fate: PushStore.Fate? = try row[1].ifPresent?.case()
        if fate == .dropped {
          briefings[job] = .handled
        } else if let reason = try row[2].ifPresent {
          briefings[job] = fate == nil ? .stale(try reason.case()) : .handled
        } else {
          var details = players[job].flatMap { facts[$0] } ?? PushStore.Details()
          if let id = try row[3].ifPresent?.id(PlayerID.self) {
            details.opponent = PushStore.Opponent(id, try row[4].text)
          }
          details.expiresAt = try row[5].ifPresent?.instant
          briefings[job] = fate == nil ? .due(details) : .delivered(details)
        }
      }
      return briefings
    }
  }

  /// The facts for jobs that the states of matches have.
  private struct End {
    var opponent: PushStore.Opponent?
    var reason: Outcome.Reason?
    /// The reason for which the job no longer holds.
    var against: PushReason?
  }

  /// The other players in the matches of jobs, at any stage, how the matches ended if a job says
  /// that they did, and whether the jobs still hold.
  private func ends(
    of due: [(job: PushJob, details: PushStore.Details)]
  ) throws(StoreError) -> [PushJobID: End] {
    let ids = Set(due.compactMap(\.job.match)).sorted()
    guard !ids.isEmpty else { return [:] }
    let found = try session.matches(session.rows(SQL.matchesByID(.ids(ids))))
    let matches = Dictionary(found.map { ($0.id, $0) }) { $1 }
    var opponents: [PushJobID: PlayerID] = [:]
    for (job, _) in due {
      opponents[job.id] = job.match.flatMap { matches[$0] }?.occupants.first { $0 != job.player }
    }
    let names = try names(of: Set(opponents.values))
    var ends: [PushJobID: End] = [:]
    for (job, details) in due {
      guard let id = job.match else { continue }
      let match = matches[id]
      ends[job.id] = End(
        opponent: opponents[job.id].flatMap { id in
          names[id].map { PushStore.Opponent(id, $0) }
        }, reason: job.kind == .matchEnded ? match?.outcome?.reason : nil,
        against: job.holdsByState ? job.reasonAgainst(match, at: details.readAt) : nil)
    }
    return ends
  }

  private func names(of players: Set<PlayerID>) throws(StoreError) -> [PlayerID: String] {
    guard !players.isEmpty else { return [:] }
    let rows = try session.rows(SQL.calledNames(.ids(players.sorted())))
    return try reading { () throws(PostgreSQLError) in
      var names: [PlayerID: String] = [:]
      for row in rows { names[try row[0].id()] = try row[1].text }
      return names
    }
  }
}

extension Value {
  /// The permissions with which a device may be told.
  fileprivate static var admitting: Value {
    .textArray(Device.Permission.allCases.filter(\.admits).map(\.rawValue))
  }

  fileprivate static func kinds(_ isOne: (PushJob.Kind) -> Bool) -> Value {
    .textArray(PushJob.Kind.allCases.filter(isOne).map(\.rawValue))
  }
}

extension [PushJobID: PushStore.Briefing] {
  /// Changes what is known of a job. One that was delivered stays delivered, or is done with.
  fileprivate mutating func replace(_ job: PushJobID, _ briefing: PushStore.Briefing) {
    switch (self[job], briefing) {
    case (.delivered?, .due(let details)): self[job] = .delivered(details)
    case (.delivered?, _): self[job] = .handled
    default: self[job] = briefing
    }
  }
}

extension PushJob {
  /// Whether the job only holds while its match runs: the turn of a match that is over is null.
  fileprivate var holdsWithMatch: Bool { dueTurn != nil || kind == .dailyEndsSoon }
}

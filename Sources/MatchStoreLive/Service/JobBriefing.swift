internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

/// Reads what there is to know of push jobs: what became of them and whether they hold in one round
/// trip, what those that do say and where they go in another, names in a third.
final class JobBriefing {
  let session: Session
  private let ranks: RanksOfDay

  init(_ session: Session) {
    self.session = session
    ranks = RanksOfDay(session)
  }

  func brief(_ jobs: [PushJob]) throws(StoreError) -> [PushJobID: PushStore.Briefing] {
    var briefings = try judge(jobs)
    let due = jobs.filter { briefings[$0.id] == .due(PushStore.Details()) }
    for (id, details) in try details(of: due) { briefings[id] = .due(details) }
    return briefings
  }

  /// Without details.
  private func judge(_ jobs: [PushJob]) throws(StoreError) -> [PushJobID: PushStore.Briefing] {
    let rows = try session.rows(
      SQL.judgedJobs(
        jobs.uuids(\.id), jobs.uuids(\.player),
        jobs.int32s { Int(PlayerSettings.mask(against: $0.kind)) },
        jobs.bools(\.holdsWithMatch), jobs.uuids(\.match), jobs.int32s(\.dueTurn),
        jobs.int32s { $0.day.map { Int($0.number) } }, .admitting))
    return try reading { () throws(PostgreSQLError) in
      var briefings: [PushJobID: PushStore.Briefing] = [:]
      for row in rows {
        briefings[try row[0].id()] =
          try row[1].bool ? .settled : try row[2].bool ? .due(PushStore.Details()) : .stale
      }
      return briefings
    }
  }

  private func details(
    of jobs: [PushJob]
  ) throws(StoreError) -> [PushJobID: PushStore.Details] {
    guard !jobs.isEmpty else { return [:] }
    let ids = Set(jobs.compactMap(\.match)).sorted()
    var calls = [SQL.devicesOfPlayers(.ids(Set(jobs.map(\.player)).sorted()), .admitting)]
    if !ids.isEmpty { calls.append(SQL.matchesByID(.ids(ids))) }
    let results = try session.run(calls)
    let devices = try reading { () throws(PostgreSQLError) in
      var devices: [PlayerID: [Device]] = [:]
      for row in results[0] { devices[try row[3].id(), default: []].append(try Device(row)) }
      return devices
    }
    let opponents = try opponents(
      in: jobs, ids.isEmpty ? [] : session.matches(results[1]))
    let names = try names(of: Set(opponents.values))
    let standings = try ranks.standings(jobs)
    return Dictionary(
      jobs.map { job in
        let name = opponents[job.id].flatMap { names[$0] }
        return (
          job.id,
          PushStore.Details(
            opponent: name, devices: devices[job.player] ?? [], yesterday: standings[job.id])
        )
      }
    ) { $1 }
  }

  private func opponents(in jobs: [PushJob], _ matches: [Match]) -> [PushJobID: PlayerID] {
    let players = Dictionary(matches.map { ($0.id, $0.players) }) { $1 }
    var opponents: [PushJobID: PlayerID] = [:]
    for job in jobs {
      opponents[job.id] = job.match.flatMap { players[$0] }?.first { $0 != job.player }
    }
    return opponents
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
}

extension PushJob {
  /// The turn that has to be due for the job to hold.
  fileprivate var dueTurn: Int? {
    kind == .yourTurn || kind == .turnRunningOut ? turn : nil
  }

  /// Whether the job only holds while its match runs: the turn of a match that is over is null.
  fileprivate var holdsWithMatch: Bool { dueTurn != nil || kind == .dailyEndsSoon }
}

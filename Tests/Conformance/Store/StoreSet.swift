package import MatchCore
package import MatchInterfaces

/// Stores over the same data, as if each had a connection of its own, and the levers that the
/// conformance suite needs.
package struct StoreSet {
  package var worker: WorkerStore
  package var otherWorker: WorkerStore
  package var scheduler: SchedulerStore
  package var otherScheduler: SchedulerStore
  package var relay: RelayStore
  package var otherRelay: RelayStore
  package var push: PushStore
  package var rater: RaterStore
  package var otherRater: RaterStore
  package var reader: ReaderStore
  package var administration: StoreAdministration
  package var check: CheckStore
  /// Makes everything written so far older by so many seconds.
  package var age: (_ seconds: Int64) throws -> Void
  /// Does a round of the housekeeper's work as so many seconds later.
  package var keepHouse: (_ retention: Retention, _ later: Int64) throws -> Void
  /// Ends the connection of one of the stores, as when its process is killed.
  package var end: (Member) throws -> Void
  /// Breaks the connection of `worker` at its next commit.
  package var breakCommit: (CommitBreak) throws -> Void
  /// Makes the store read-only for every connection, as a standby is.
  package var standBy: () throws -> Void

  /// The stores whose connection can be ended.
  package enum Member: CaseIterable, Sendable { case worker, scheduler, relay, push, rater }

  /// The effect of a commit whose connection breaks.
  package enum CommitBreak: CaseIterable, Sendable {
    /// The store never heard of it.
    case beforeWriting
    /// The commit is done, only its answer is lost.
    case afterWriting
  }

  package init(
    worker: WorkerStore, otherWorker: WorkerStore, scheduler: SchedulerStore,
    otherScheduler: SchedulerStore, relay: RelayStore, otherRelay: RelayStore, push: PushStore,
    rater: RaterStore, otherRater: RaterStore, reader: ReaderStore,
    administration: StoreAdministration, check: CheckStore,
    age: @escaping (_ seconds: Int64) throws -> Void,
    keepHouse: @escaping (_ retention: Retention, _ later: Int64) throws -> Void,
    end: @escaping (Member) throws -> Void,
    breakCommit: @escaping (CommitBreak) throws -> Void, standBy: @escaping () throws -> Void
  ) {
    self.worker = worker
    self.otherWorker = otherWorker
    self.scheduler = scheduler
    self.otherScheduler = otherScheduler
    self.relay = relay
    self.otherRelay = otherRelay
    self.push = push
    self.rater = rater
    self.otherRater = otherRater
    self.reader = reader
    self.administration = administration
    self.check = check
    self.age = age
    self.keepHouse = keepHouse
    self.end = end
    self.breakCommit = breakCommit
    self.standBy = standBy
  }
}

/// Levers on a store, and views of it, that players do not have.
package struct StoreAdministration {
  package var createCode: (ShareCode) throws -> Void
  package var setRegistration: (_ needsCode: Bool) throws -> Void
  /// Registration codes, each with the player that has used it.
  package var registrationCodes: () throws -> [ShareCode: PlayerID?]
  /// Hides a word from leaderboards, or shows it again.
  package var setWord: (HiddenWord, _ isHidden: Bool) throws -> Bool
  /// Revokes a key; false: there is none to revoke.
  package var revokeKey: (PublicKey) throws -> Bool
  /// Stops a player's recovery; false: it is not under way.
  package var stopRecovery: (PlayerID, EventID) throws -> Bool
  /// Takes back the unused invitations of devices by a player; gives their number.
  package var stopInvitations: (PlayerID) throws -> Int
  /// Ends a player's account; false: there is none.
  package var removePlayer: (PlayerID) throws -> Bool
  package var deadEvents: () throws -> [DeadEvent]
  package var fates: () throws -> [PushJob: PushStore.Fate]
  package var playerCount: () throws -> Int
  /// The reports about a player, or about anybody, as operators find them.
  package var reports: (_ player: PlayerID?, _ limit: Int) throws -> [KeptReport]

  package init(
    createCode: @escaping (ShareCode) throws -> Void,
    setRegistration: @escaping (_ needsCode: Bool) throws -> Void,
    registrationCodes: @escaping () throws -> [ShareCode: PlayerID?],
    setWord: @escaping (HiddenWord, _ isHidden: Bool) throws -> Bool,
    revokeKey: @escaping (PublicKey) throws -> Bool,
    stopRecovery: @escaping (PlayerID, EventID) throws -> Bool,
    stopInvitations: @escaping (PlayerID) throws -> Int,
    removePlayer: @escaping (PlayerID) throws -> Bool,
    deadEvents: @escaping () throws -> [DeadEvent],
    fates: @escaping () throws -> [PushJob: PushStore.Fate],
    playerCount: @escaping () throws -> Int,
    reports: @escaping (_ player: PlayerID?, _ limit: Int) throws -> [KeptReport]
  ) {
    self.createCode = createCode
    self.setRegistration = setRegistration
    self.registrationCodes = registrationCodes
    self.setWord = setWord
    self.revokeKey = revokeKey
    self.stopRecovery = stopRecovery
    self.stopInvitations = stopInvitations
    self.removePlayer = removePlayer
    self.deadEvents = deadEvents
    self.fates = fates
    self.playerCount = playerCount
    self.reports = reports
  }
}

package import MatchCore
package import MatchWire

/// The store as an operator's commands need it. Confined to its thread. Each change is kept among
/// the operator's acts in the same transaction.
package struct OperatorStore: Interface {
  /// The state of the service. A part that cannot be asked in time hides no other.
  package var status: Ask<Void, ServiceStatus, StoreError>
  /// How much there is, and how much of it came today (UTC).
  package var figures: Ask<Void, ServiceFigures, StoreError>
  /// More facts about a player: keys, and the last sign of life.
  package var account: Ask<PlayerID, AccountRow, StoreError>
  /// The reports about a player but for those beyond ``KeptReport/limit``, or the newest one about
  /// each player; the newest first, at most so many.
  package var reports: Ask<(PlayerID?, Int), [KeptReport], StoreError>
  /// This deployment's identity; nil before it was set up.
  package var service: Ask<Void, ServiceRow?, StoreError>
  /// Keeps this deployment's identity. The first one wins; gives back the one that is kept then.
  package var keepService: Ask<ServiceRow, ServiceRow, StoreError>
  /// Adds the certificate of a working key; one that is there already changes nothing.
  package var addCertificate: Ask<KeyCertificate, Void, StoreError>
  /// The public key by which browsers know the service's notifications; nil: they get none.
  package var pushKey: Ask<Void, [UInt8]?, StoreError>
  /// Keeps that key, or that there is none; the one that is kept already changes nothing.
  package var keepPushKey: Ask<[UInt8]?, Void, StoreError>
  package var registrationNeedsCode: Ask<Void, Bool, StoreError>
  /// Opens registration to holders of a code only (true), or to all.
  package var setRegistration: Ask<Bool, Void, StoreError>
  /// Makes a code that admits one player; `conflict` if it exists.
  package var createCode: Ask<ShareCode, Void, StoreError>
  /// The registration codes, the newest first, at most so many.
  package var registrationCodes: Ask<Int, [RegistrationCodeRow], StoreError>
  /// Events that no worker could handle, the newest first, those after one of them, at most so
  /// many.
  package var deadEvents: Ask<(DeadLetterPlace?, Int), [DeadEventRow], StoreError>
  /// One of them.
  package var deadEvent: Ask<DeadEventID, DeadEventRow?, StoreError>
  /// Removes a dead event and, in the same transaction, keeps the operator's act in its place.
  /// False: the event is not there any more, and nothing is kept.
  package var removeDeadEvent: Ask<(DeadEventID, ActRow), Bool, StoreError>
  /// The push jobs that were given up, the newest first, those after one of them, at most so many.
  package var deadJobs: Ask<(DeadLetterPlace?, Int), [DeadJobRow], StoreError>
  /// One of them.
  package var deadJob: Ask<DeadEventID, DeadJobRow?, StoreError>
  /// Removes a dead push job, as it was read, and, in the same transaction, keeps the operator's
  /// act in its place. False: the job is not there any more or was given up again, and nothing is
  /// kept.
  package var removeDeadJob: Ask<(DeadJobRow, ActRow), Bool, StoreError>
  /// The answer that an event has got.
  package var reply: Ask<EventKey, StoredReply?, StoreError>
  /// Push jobs with their results, the newest first, at most so many.
  package var deliveries: Ask<Int, [DeliveryRow], StoreError>
  /// The notifications that are owed to players, and the fate of the rest in the last hour.
  package var pushFigures: Ask<Void, PushFigures, StoreError>
  /// The push jobs that the store knows with ids in a range, at most so many.
  package var pushStories: Ask<(ClosedRange<PushJobID>, Int), [PushStory], StoreError>
  /// The operators' acts, the newest first, at most so many.
  package var acts: Ask<Int, [ActRow], StoreError>
  /// The operators' acts about one thing, named in full, the newest first, at most so many.
  package var actsNaming: Ask<(String, Int), [ActRow], StoreError>
  /// Hides a word from leaderboards (true), or shows it again, and keeps the operator among the acts.
  /// False: it is so already.
  package var setWord: Ask<(HiddenWord, Bool, String), Bool, StoreError>
  /// The words that no leaderboard shows, the last hidden first, at most so many.
  package var hiddenWords: Ask<Int, [HiddenWordRow], StoreError>
  /// Revokes a key and keeps that among the acts: no batch that is committed afterwards accepts
  /// anything signed with it. False: no such key is registered, or it was revoked before.
  package var revokeKey: Ask<(PublicKey, ActRow), Bool, StoreError>
  /// Stops a player's recovery, owes the player a notice and keeps that among the acts. False: it
  /// is not under way.
  package var stopRecovery: Ask<(PlayerID, EventID, ActRow), Bool, StoreError>
  /// Takes back all invitations of devices by a player that nobody has used, and keeps that among
  /// the acts. The number of them; with 0 no act is kept.
  package var stopInvitations: Ask<(PlayerID, ActRow), Int, StoreError>
  /// Ends a player's account at once and keeps that among the acts. False: there is no such player,
  /// or the player is gone already.
  package var removePlayer: Ask<(PlayerID, ActRow), Bool, StoreError>
  /// All rows that are kept of a player in one section, each a JSON object: those after so many,
  /// a page of them.
  package var export: Ask<(PlayerID, AccountSection, Int), [String], StoreError>
  /// Writes a damaged match as annulled, in one transaction: sets its former rows aside, owes its
  /// players their notices, and keeps the act. Its record stays. `conflict` if the match was written
  /// since it was read.
  package var annulDamaged: Ask<(MatchRebuild, ActRow), Void, StoreError>
  /// Writes a match with its whole record, in one transaction: sets its former rows aside, and keeps
  /// the act. `conflict` if the match was written since it was read. The number of the row with the
  /// former ones.
  package var restoreRecord: Ask<(MatchRebuild, [Entry], ActRow), Int64, StoreError>
  /// Keeps an operator's act, with the store's time.
  package var keepAct: Ask<ActRow, Void, StoreError>

  package init(_ how: Asking<StoreError>, around inner: OperatorStore?) {
    status = how("OperatorStore.status", inner?.status) {
      ServiceStatus(now: Instant(microseconds: 0), schemaVersion: 0)
    }
    figures = how("OperatorStore.figures", inner?.figures) { ServiceFigures() }
    account = how("OperatorStore.account", inner?.account) { _ in AccountRow() }
    reports = how("OperatorStore.reports", inner?.reports) { _, _ in [] }
    service = how("OperatorStore.service", inner?.service) { nil }
    keepService = how("OperatorStore.keepService", inner?.keepService) { $0 }
    addCertificate = how("OperatorStore.addCertificate", inner?.addCertificate) { _ in }
    pushKey = how("OperatorStore.pushKey", inner?.pushKey) { nil }
    keepPushKey = how("OperatorStore.keepPushKey", inner?.keepPushKey) { _ in }
    registrationNeedsCode = how("OperatorStore.registrationNeedsCode", inner?.registrationNeedsCode)
    {
      false
    }
    setRegistration = how("OperatorStore.setRegistration", inner?.setRegistration) { _ in }
    createCode = how("OperatorStore.createCode", inner?.createCode) { _ in }
    registrationCodes = how("OperatorStore.registrationCodes", inner?.registrationCodes) { _ in [] }
    deadEvents = how("OperatorStore.deadEvents", inner?.deadEvents) { _, _ in [] }
    deadEvent = how("OperatorStore.deadEvent", inner?.deadEvent) { _ in nil }
    removeDeadEvent = how("OperatorStore.removeDeadEvent", inner?.removeDeadEvent) { _, _ in true }
    deadJobs = how("OperatorStore.deadJobs", inner?.deadJobs) { _, _ in [] }
    deadJob = how("OperatorStore.deadJob", inner?.deadJob) { _ in nil }
    removeDeadJob = how("OperatorStore.removeDeadJob", inner?.removeDeadJob) { _, _ in true }
    reply = how("OperatorStore.reply", inner?.reply) { _ in nil }
    deliveries = how("OperatorStore.deliveries", inner?.deliveries) { _ in [] }
    pushFigures = how("OperatorStore.pushFigures", inner?.pushFigures) {
      PushFigures(now: Instant(microseconds: 0))
    }
    pushStories = how("OperatorStore.pushStories", inner?.pushStories) { _, _ in [] }
    acts = how("OperatorStore.acts", inner?.acts) { _ in [] }
    actsNaming = how("OperatorStore.actsNaming", inner?.actsNaming) { _, _ in [] }
    setWord = how("OperatorStore.setWord", inner?.setWord) { _, _, _ in true }
    hiddenWords = how("OperatorStore.hiddenWords", inner?.hiddenWords) { _ in [] }
    revokeKey = how("OperatorStore.revokeKey", inner?.revokeKey) { _, _ in true }
    stopRecovery = how("OperatorStore.stopRecovery", inner?.stopRecovery) { _, _, _ in true }
    stopInvitations = how("OperatorStore.stopInvitations", inner?.stopInvitations) { _, _ in 1 }
    removePlayer = how("OperatorStore.removePlayer", inner?.removePlayer) { _, _ in true }
    export = how("OperatorStore.export", inner?.export) { _, _, _ in [] }
    annulDamaged = how("OperatorStore.annulDamaged", inner?.annulDamaged) { _, _ in }
    restoreRecord = how("OperatorStore.restoreRecord", inner?.restoreRecord) { _, _, _ in 1 }
    keepAct = how("OperatorStore.keepAct", inner?.keepAct) { _ in }
  }
}

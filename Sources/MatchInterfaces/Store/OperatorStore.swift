import IssueReporting
public import MatchCore
public import MatchWire

/// What an operator's commands need of the store. Confined to its thread. Whatever changes
/// something is kept among the operator's acts in the same transaction.
public struct OperatorStore {
  /// The state of the service. A part that cannot be asked in time hides no other.
  public var status: () throws(StoreError) -> ServiceStatus
  /// How much there is, and how much of it came today (UTC).
  public var figures: () throws(StoreError) -> ServiceFigures
  /// What else is known of a player: keys, and the last sign of life.
  public var account: (PlayerID) throws(StoreError) -> AccountRow
  /// Who this deployment is; nil before it was set up.
  public var service: () throws(StoreError) -> ServiceRow?
  /// Keeps who this deployment is; whoever is first wins, and what is kept then is given back.
  public var keepService: (ServiceRow) throws(StoreError) -> ServiceRow
  /// Adds the certificate of a working key; one that is there already changes nothing.
  public var addCertificate: (KeyCertificate) throws(StoreError) -> Void
  /// Whether registration needs a code.
  public var registrationNeedsCode: () throws(StoreError) -> Bool
  /// Opens registration to all, or to those with a code.
  public var setRegistration: (_ needsCode: Bool) throws(StoreError) -> Void
  /// Makes a code that admits one player; `conflict` if it exists.
  public var createCode: (ShareCode) throws(StoreError) -> Void
  /// The registration codes, the newest first, at most so many.
  public var registrationCodes: (_ limit: Int) throws(StoreError) -> [RegistrationCodeRow]
  /// What no worker could handle, the newest first, those after one of them, at most so many.
  public var deadEvents:
    (_ after: DeadLetterPlace?, _ limit: Int) throws(StoreError) -> [DeadEventRow]
  /// One of them.
  public var deadEvent: (DeadEventID) throws(StoreError) -> DeadEventRow?
  /// Removes a dead event and keeps in its place, in the same transaction, what was done with it;
  /// false: it is not there any more, and nothing is kept.
  public var settleDeadEvent: (DeadEventID, ActRow) throws(StoreError) -> Bool
  /// The push jobs that were given up, the newest first, those after one of them, at most so many.
  public var deadJobs: (_ after: DeadLetterPlace?, _ limit: Int) throws(StoreError) -> [DeadJobRow]
  /// One of them.
  public var deadJob: (DeadEventID) throws(StoreError) -> DeadJobRow?
  /// Removes a dead push job, as it was read, and keeps in its place, in the same transaction, what
  /// was done with it; false: it is not there any more or was given up again, and nothing is kept.
  public var settleDeadJob: (DeadJobRow, ActRow) throws(StoreError) -> Bool
  /// The answer that an event has got.
  public var reply: (EventKey) throws(StoreError) -> StoredReply?
  /// What became of push jobs, the newest first, at most so many.
  public var deliveries: (_ limit: Int) throws(StoreError) -> [DeliveryRow]
  /// What operators did, the newest first, at most so many.
  public var acts: (_ limit: Int) throws(StoreError) -> [ActRow]
  /// What operators did with something that is named in full, the newest first, at most so many.
  public var actsNaming: (_ name: String, _ limit: Int) throws(StoreError) -> [ActRow]
  /// Hides a word from leaderboards, or shows it again; false: it is so already.
  public var setWord: (HiddenWord, _ isHidden: Bool) throws(StoreError) -> Bool
  /// The words that no leaderboard shows, the last hidden first, at most so many.
  public var hiddenWords: (_ limit: Int) throws(StoreError) -> [HiddenWordRow]
  /// Revokes a key and keeps that among the acts: no batch that is committed afterwards takes
  /// anything from it. False: no such key is registered, or it was revoked before.
  public var revokeKey: (PublicKey, ActRow) throws(StoreError) -> Bool
  /// Keeps what an operator did; the store's clock says when.
  public var keepAct: (ActRow) throws(StoreError) -> Void

  /// Puts a store together.
  public init(
    status: @escaping () throws(StoreError) -> ServiceStatus,
    figures: @escaping () throws(StoreError) -> ServiceFigures,
    account: @escaping (PlayerID) throws(StoreError) -> AccountRow,
    service: @escaping () throws(StoreError) -> ServiceRow?,
    keepService: @escaping (ServiceRow) throws(StoreError) -> ServiceRow,
    addCertificate: @escaping (KeyCertificate) throws(StoreError) -> Void,
    registrationNeedsCode: @escaping () throws(StoreError) -> Bool,
    setRegistration: @escaping (_ needsCode: Bool) throws(StoreError) -> Void,
    createCode: @escaping (ShareCode) throws(StoreError) -> Void,
    registrationCodes: @escaping (_ limit: Int) throws(StoreError) -> [RegistrationCodeRow],
    deadEvents:
      @escaping (_ after: DeadLetterPlace?, _ limit: Int) throws(StoreError) -> [DeadEventRow],
    deadEvent: @escaping (DeadEventID) throws(StoreError) -> DeadEventRow?,
    settleDeadEvent: @escaping (DeadEventID, ActRow) throws(StoreError) -> Bool,
    deadJobs:
      @escaping (_ after: DeadLetterPlace?, _ limit: Int) throws(StoreError) -> [DeadJobRow],
    deadJob: @escaping (DeadEventID) throws(StoreError) -> DeadJobRow?,
    settleDeadJob: @escaping (DeadJobRow, ActRow) throws(StoreError) -> Bool,
    reply: @escaping (EventKey) throws(StoreError) -> StoredReply?,
    deliveries: @escaping (_ limit: Int) throws(StoreError) -> [DeliveryRow],
    acts: @escaping (_ limit: Int) throws(StoreError) -> [ActRow],
    actsNaming: @escaping (_ name: String, _ limit: Int) throws(StoreError) -> [ActRow],
    setWord: @escaping (HiddenWord, _ isHidden: Bool) throws(StoreError) -> Bool,
    hiddenWords: @escaping (_ limit: Int) throws(StoreError) -> [HiddenWordRow],
    revokeKey: @escaping (PublicKey, ActRow) throws(StoreError) -> Bool,
    keepAct: @escaping (ActRow) throws(StoreError) -> Void
  ) {
    self.status = status
    self.figures = figures
    self.account = account
    self.service = service
    self.keepService = keepService
    self.addCertificate = addCertificate
    self.registrationNeedsCode = registrationNeedsCode
    self.setRegistration = setRegistration
    self.createCode = createCode
    self.registrationCodes = registrationCodes
    self.deadEvents = deadEvents
    self.deadEvent = deadEvent
    self.settleDeadEvent = settleDeadEvent
    self.deadJobs = deadJobs
    self.deadJob = deadJob
    self.settleDeadJob = settleDeadJob
    self.reply = reply
    self.deliveries = deliveries
    self.acts = acts
    self.actsNaming = actsNaming
    self.setWord = setWord
    self.hiddenWords = hiddenWords
    self.revokeKey = revokeKey
    self.keepAct = keepAct
  }
}

extension OperatorStore {
  /// Knows nothing and takes everything.
  public static var noop: OperatorStore {
    OperatorStore(
      status: { ServiceStatus(now: Instant(microseconds: 0), schemaVersion: 0) },
      figures: { ServiceFigures() }, account: { _ in AccountRow() },
      service: { nil }, keepService: { $0 }, addCertificate: { _ in },
      registrationNeedsCode: { false }, setRegistration: { _ in }, createCode: { _ in },
      registrationCodes: { _ in [] }, deadEvents: { _, _ in [] }, deadEvent: { _ in nil },
      settleDeadEvent: { _, _ in true }, deadJobs: { _, _ in [] }, deadJob: { _ in nil },
      settleDeadJob: { _, _ in true }, reply: { _ in nil }, deliveries: { _ in [] },
      acts: { _ in [] }, actsNaming: { _, _ in [] }, setWord: { _, _ in true },
      hiddenWords: { _ in [] }, revokeKey: { _, _ in true },
      keepAct: { _ in })
  }

  /// Reports an issue whenever it is used, and is unavailable.
  public static var failing: OperatorStore {
    OperatorStore(
      status: { () throws(StoreError) in throw failure("OperatorStore.status") },
      figures: { () throws(StoreError) in throw failure("OperatorStore.figures") },
      account: { _ throws(StoreError) in throw failure("OperatorStore.account") },
      service: { () throws(StoreError) in throw failure("OperatorStore.service") },
      keepService: { _ throws(StoreError) in throw failure("OperatorStore.keepService") },
      addCertificate: { _ throws(StoreError) in throw failure("OperatorStore.addCertificate") },
      registrationNeedsCode: { () throws(StoreError) in
        throw failure("OperatorStore.registrationNeedsCode")
      },
      setRegistration: { _ throws(StoreError) in throw failure("OperatorStore.setRegistration") },
      createCode: { _ throws(StoreError) in throw failure("OperatorStore.createCode") },
      registrationCodes: { _ throws(StoreError) in
        throw failure("OperatorStore.registrationCodes")
      },
      deadEvents: { _, _ throws(StoreError) in throw failure("OperatorStore.deadEvents") },
      deadEvent: { _ throws(StoreError) in throw failure("OperatorStore.deadEvent") },
      settleDeadEvent: { _, _ throws(StoreError) in
        throw failure("OperatorStore.settleDeadEvent")
      },
      deadJobs: { _, _ throws(StoreError) in throw failure("OperatorStore.deadJobs") },
      deadJob: { _ throws(StoreError) in throw failure("OperatorStore.deadJob") },
      settleDeadJob: { _, _ throws(StoreError) in throw failure("OperatorStore.settleDeadJob") },
      reply: { _ throws(StoreError) in throw failure("OperatorStore.reply") },
      deliveries: { _ throws(StoreError) in throw failure("OperatorStore.deliveries") },
      acts: { _ throws(StoreError) in throw failure("OperatorStore.acts") },
      actsNaming: { _, _ throws(StoreError) in throw failure("OperatorStore.actsNaming") },
      setWord: { _, _ throws(StoreError) in throw failure("OperatorStore.setWord") },
      hiddenWords: { _ throws(StoreError) in throw failure("OperatorStore.hiddenWords") },
      revokeKey: { _, _ throws(StoreError) in throw failure("OperatorStore.revokeKey") },
      keepAct: { _ throws(StoreError) in throw failure("OperatorStore.keepAct") })
  }
}

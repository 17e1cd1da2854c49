public import MatchCore
import MatchInterfaces

/// The place where a player's program keeps its key, its profile and its pending events. Confined
/// to one thread. Several processes may use the same folder; they take the lock for steps that only
/// one may do at a time.
public struct ProfileStore {
  /// Takes the profile's lock, or throws `lockHeld` at once where another has it.
  public var lock: () throws(ProfileError) -> ProfileLock
  /// The key; nil before there is one.
  public var loadKey: () throws(ProfileError) -> PlayerKey?
  /// Keeps a key. Throws `keyExists` rather than lose another one. The same one may speak for
  /// another player than before.
  public var saveKey: (PlayerKey) throws(ProfileError) -> Void
  /// The profile; an empty one before there is one.
  public var loadProfile: () throws(ProfileError) -> Profile
  /// Keeps the profile.
  public var saveProfile: (Profile) throws(ProfileError) -> Void
  /// The service's URL; nil before there is one. It may hold a password: never print it.
  public var loadURL: () throws(ProfileError) -> String?
  /// Keeps the service's URL.
  public var saveURL: (String) throws(ProfileError) -> Void
  /// The pending events, the oldest first; a file that cannot be read is put aside and named, once.
  public var loadPending: () throws(ProfileError) -> PendingEvents
  /// Keeps an event. After the return it survives the end of the program and of the machine.
  public var savePending: (PendingEvent) throws(ProfileError) -> Void
  /// Forgets an event; nothing happens where it is forgotten already.
  public var removePending: (EventID) throws(ProfileError) -> Void
  /// Adds a line to the journal of sent and answered events.
  public var journal: (JournalLine) throws(ProfileError) -> Void
  /// The rest of the journal.
  public var loadJournal: () throws(ProfileError) -> Journal

  /// How far the first steps have come, as it was kept; nil before that.
  public var loadFirstSteps: () throws(ProfileError) -> String?
  /// Keeps how far the first steps have come.
  public var saveFirstSteps: (String) throws(ProfileError) -> Void

  public init(
    lock: @escaping () throws(ProfileError) -> ProfileLock,
    loadKey: @escaping () throws(ProfileError) -> PlayerKey?,
    saveKey: @escaping (PlayerKey) throws(ProfileError) -> Void,
    loadProfile: @escaping () throws(ProfileError) -> Profile,
    saveProfile: @escaping (Profile) throws(ProfileError) -> Void,
    loadURL: @escaping () throws(ProfileError) -> String?,
    saveURL: @escaping (String) throws(ProfileError) -> Void,
    loadPending: @escaping () throws(ProfileError) -> PendingEvents,
    savePending: @escaping (PendingEvent) throws(ProfileError) -> Void,
    removePending: @escaping (EventID) throws(ProfileError) -> Void,
    journal: @escaping (JournalLine) throws(ProfileError) -> Void,
    loadJournal: @escaping () throws(ProfileError) -> Journal,
    loadFirstSteps: @escaping () throws(ProfileError) -> String? = { nil },
    saveFirstSteps: @escaping (String) throws(ProfileError) -> Void = { _ in }
  ) {
    self.lock = lock
    self.loadKey = loadKey
    self.saveKey = saveKey
    self.loadProfile = loadProfile
    self.saveProfile = saveProfile
    self.loadURL = loadURL
    self.saveURL = saveURL
    self.loadPending = loadPending
    self.savePending = savePending
    self.removePending = removePending
    self.journal = journal
    self.loadJournal = loadJournal
    self.loadFirstSteps = loadFirstSteps
    self.saveFirstSteps = saveFirstSteps
  }
}

/// The right to send under a profile, until it is released.
public struct ProfileLock {
  /// Gives the lock back.
  public var release: () -> Void

  /// A lock that is given back that way.
  public init(release: @escaping () -> Void) { self.release = release }
}

/// A line of the journal: the sender's own log.
public struct JournalLine: Hashable, Sendable, Codable {
  /// The kind of thing that happened to an event.
  public enum What: String, Hashable, Sendable, Codable {
    /// Made, kept and about to be sent.
    case sent
    /// About to be sent again.
    case resent
    /// Answered yes.
    case accepted
    /// Answered no.
    case refused
    /// Not sent: the broker could not be reached or did not take it.
    case unsent
    /// Too old to be sent again.
    case dropped
  }

  /// When, by the clock of this machine.
  public var at: Instant
  public var event: EventID
  /// The name of the event's type.
  public var type: String
  public var what: What
  /// The name of the refusal.
  public var refusal: String?
  /// The service's statement about a match, if the event did something in one; nil in lines of
  /// programs before 2026-11-22 as well.
  public var receipt: Receipt?

  public init(
    at: Instant, event: EventID, type: String, what: What, refusal: String? = nil,
    receipt: Receipt? = nil
  ) {
    self.at = at
    self.event = event
    self.type = type
    self.what = what
    self.refusal = refusal
    self.receipt = receipt
  }
}

/// A journal as it was read.
public struct Journal: Hashable, Sendable {
  /// The lines, the oldest first.
  public var lines: [JournalLine]
  /// How many lines could not be read.
  public var damagedCount: Int

  public init(lines: [JournalLine], damagedCount: Int = 0) {
    self.lines = lines
    self.damagedCount = damagedCount
  }
}

extension ProfileStore {
  /// Holds nothing and keeps nothing.
  public static var noop: ProfileStore {
    ProfileStore(
      lock: { ProfileLock(release: {}) }, loadKey: { nil }, saveKey: { _ in },
      loadProfile: { Profile() }, saveProfile: { _ in }, loadURL: { nil }, saveURL: { _ in },
      loadPending: { PendingEvents(events: []) }, savePending: { _ in }, removePending: { _ in },
      journal: { _ in }, loadJournal: { Journal(lines: []) })
  }

  /// Reports an issue whenever it is used, and cannot be accessed.
  public static var failing: ProfileStore {
    ProfileStore(
      lock: { () throws(ProfileError) in throw failure("lock") },
      loadKey: { () throws(ProfileError) in throw failure("loadKey") },
      saveKey: { _ throws(ProfileError) in throw failure("saveKey") },
      loadProfile: { () throws(ProfileError) in throw failure("loadProfile") },
      saveProfile: { _ throws(ProfileError) in throw failure("saveProfile") },
      loadURL: { () throws(ProfileError) in throw failure("loadURL") },
      saveURL: { _ throws(ProfileError) in throw failure("saveURL") },
      loadPending: { () throws(ProfileError) in throw failure("loadPending") },
      savePending: { _ throws(ProfileError) in throw failure("savePending") },
      removePending: { _ throws(ProfileError) in throw failure("removePending") },
      journal: { _ throws(ProfileError) in throw failure("journal") },
      loadJournal: { () throws(ProfileError) in throw failure("loadJournal") },
      loadFirstSteps: { () throws(ProfileError) in throw failure("loadFirstSteps") },
      saveFirstSteps: { _ throws(ProfileError) in throw failure("saveFirstSteps") })
  }

  private static func failure(_ name: String) -> ProfileError {
    reportUnimplemented("ProfileStore.\(name)")
    return .notAccessible(path: "ProfileStore.\(name)", reason: "unimplemented")
  }
}

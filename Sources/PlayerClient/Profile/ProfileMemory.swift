public import MatchCore

/// A profile that is kept in memory: for bots, simulations and tests. Confined to one thread.
public final class ProfileMemory {
  public var key: PlayerKey?
  public var profile = Profile()
  /// The service's URL.
  public var url: String?
  /// The pending events, by id.
  public var pending: [EventID: PendingEvent] = [:]
  /// Those that another program has made, which runs still.
  public var held: Set<EventID> = []
  /// Every line of the journal, the oldest first; the newest 10,000 are kept.
  public private(set) var journal: [JournalLine] = []
  /// How far the first steps have come.
  public var firstSteps: String?
  /// Whether somebody holds the lock.
  public var isLocked = false

  private static let journalLimit = 10_000

  /// An empty profile, or one with a key.
  public init(key: PlayerKey? = nil) { self.key = key }

  /// The store that keeps everything here.
  public var store: ProfileStore {
    ProfileStore(
      lock: { () throws(ProfileError) in
        guard !self.isLocked else { throw .lockHeld(processID: nil) }
        self.isLocked = true
        return ProfileLock { self.isLocked = false }
      },
      loadKey: { self.key },
      saveKey: { key throws(ProfileError) in
        guard self.key == nil || self.key == key else { throw .keyExists }
        self.key = key
      },
      loadProfile: { self.profile }, saveProfile: { self.profile = $0 }, loadURL: { self.url },
      saveURL: { self.url = $0 },
      loadPending: {
        PendingEvents(events: self.pending.values.sorted { $0.id < $1.id }, held: self.held)
      },
      savePending: { self.pending[$0.id] = $0 }, removePending: { self.pending[$0] = nil },
      journal: { self.append($0) }, loadJournal: { Journal(lines: self.journal) },
      loadFirstSteps: { self.firstSteps }, saveFirstSteps: { self.firstSteps = $0 })
  }

  private func append(_ line: JournalLine) {
    // Drops old lines in large pieces, so that a line costs almost nothing.
    if journal.count >= 2 * ProfileMemory.journalLimit {
      journal.removeFirst(ProfileMemory.journalLimit)
    }
    journal.append(line)
  }
}

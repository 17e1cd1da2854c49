public import CubeRules

/// The effects of one event: the answer, and every change that goes with it in one transaction.
public struct Judgement: Hashable, Sendable {
  /// The answer to the sender.
  public var reply: Reply
  /// Matches that were made or changed, with their new entries.
  public var changes: [MatchChange]
  /// The player that was registered.
  public var registration: Registration?
  /// Push jobs that are owed.
  public var pushes: [PushJob]
  /// The match that was shared, with its code.
  public var share: (match: MatchID, code: ShareCode)? {
    if case .accepted(.gameShared(let match, let code)) = reply { (match, code) } else { nil }
  }
  /// The change to the sender's settings and devices.
  public var playerChange: PlayerChange?
  /// A block that begins or ends.
  public var block: BlockChange?
  public var report: Report?
  public var nudge: Nudge?
  /// A change of the keys that speak for a player.
  public var keyChange: KeyChange?

  public init(
    reply: Reply, changes: [MatchChange] = [], registration: Registration? = nil,
    pushes: [PushJob] = [], playerChange: PlayerChange? = nil, block: BlockChange? = nil,
    report: Report? = nil, nudge: Nudge? = nil, keyChange: KeyChange? = nil
  ) {
    self.reply = reply
    self.changes = changes
    self.registration = registration
    self.pushes = pushes
    self.playerChange = playerChange
    self.block = block
    self.report = report
    self.nudge = nudge
    self.keyChange = keyChange
  }

  /// A judgement that changes a player's keys or recovery. The player is told, unless a device is
  /// only invited.
  static func changing(_ change: KeyChange, _ reply: Reply, by event: Event) -> Judgement {
    var judgement = Judgement(reply: reply, keyChange: change)
    if case .invited = change { return judgement }
    judgement.pushes = [PushJob(account: change.player, causedBy: event)]
    return judgement
  }

  /// A judgement that refuses and changes nothing.
  public static func refused(_ refusal: Refusal) -> Judgement {
    Judgement(reply: .refused(refusal))
  }
}

/// One match's step from one stored state to the next.
public struct MatchChange: Hashable, Sendable {
  /// The state before; nil: the match is new.
  public var before: Match?
  /// The state after, its version one higher.
  public var after: Match
  /// The entries that make the step, in order.
  public var entries: [Entry]

  public init(before: Match?, after: Match, entries: [Entry]) {
    self.before = before
    self.after = after
    self.entries = entries
  }
}

public struct Registration: Hashable, Sendable {
  /// The new player.
  public var player: PlayerID
  public var name: PlayerName
  /// The first key.
  public var key: PublicKey
  public var at: Instant

  public init(player: PlayerID, name: PlayerName, key: PublicKey, at: Instant) {
    self.player = player
    self.name = name
    self.key = key
    self.at = at
  }
}

/// An event with the bytes it came in.
public struct ReceivedEvent: Hashable, Sendable {
  public var event: Event
  /// The signed bytes.
  public var signed: SignedPayload

  public init(event: Event, signed: SignedPayload) {
    self.event = event
    self.signed = signed
  }
}

/// All the input to judging an event. Anything missing here does not exist for the judge.
public struct JudgingContext: Sendable {
  /// The database's clock for the batch.
  public var now: Instant
  /// The clock of the queue that serves a match.
  public var clock: @Sendable (MatchID) -> QueueClock
  /// The clocks of all queues, as far as they are known. Empty: only the match's own.
  public var queueClocks: [Int: QueueClock] = [:]
  /// The matches that the event needs, see `Judge.needs`.
  public var matches: [MatchID: Match]
  /// The players that exist and are not gone, of those that the event needs.
  public var knownPlayers: Set<PlayerID>
  /// Why nobody can meet some of the players that the event lets its player meet, or names.
  public var absences: [PlayerID: Absence] = [:]
  /// The player's name, if the key is registered.
  public var senderName: PlayerName?
  /// The result of the event's claim, see `Judge.claim`.
  public var claim: ClaimResult?
  /// The daily challenge that the event needs: its letters.
  public var daily: DailyChallenge?
  /// Blocks between the sender and the players that the event lets it meet, see `Judge.encounter`,
  /// and the block that the event is about.
  public var blocks: Set<Block> = []
  /// The number of players that the sender has blocked, if it is counted.
  public var blockCount: Int?
  /// The matches that the sender has reported in the last 24 hours, with the times.
  public var reports: [MatchID: Instant] = [:]
  public var nudges = NudgeFacts()
  /// Whether a joiner may leave a seat. False while roles of a former build run, which cannot read
  /// such a match: it ends then.
  public var maySeatsBeLeft = true
  /// When the sender left seats lately, if that is asked for.
  public var leavings: [Instant] = []
  /// The keys of the player whose keys the event changes. Nil: the claim was not resolved.
  public var keys: PlayerKeys?
  /// Whether an invitation of a device, open or not, has the hash that the event names.
  public var isInvitationKnown = false
  /// Whether the key that the event names is, or was, somebody's.
  public var isKeyKnown = false
  /// The clock of the queue that serves the player whose keys the event changes.
  public var playerClock = QueueClock()
  /// The first requests of the matches that may be merged.
  public var requests: [MatchID: ReceivedEvent] = [:]
  /// The limits of one player.
  public var limits = PlayerLimits.none
  /// The numbers of players' matches, if they are counted, see `Judge.encounter`.
  public var loads: [PlayerID: PlayerLoad] = [:]
  /// The invitations to the player that the event invites, if they are counted.
  public var inbox: Inbox?
  /// The names that nobody registers without an operator.
  public var reservedNames = ReservedNames.none
  /// The recent registrations, if they are counted.
  public var registrations = RegistrationLoad()
  public var rules: Rulebook
  /// The word lists.
  public var lexicons: Lexicons
  /// The secret that puzzles are made from.
  public var secret: ServiceSecret
  /// Signs the service's statements in a match.
  public var sign: @Sendable (Statement, MatchID) -> SignedPayload
  /// Signs the service's statement about a recovery. Nil: none takes effect.
  public var signRecovery: (@Sendable (RecoveryStatement) -> SignedPayload)?

  public init(
    now: Instant, clock: @escaping @Sendable (MatchID) -> QueueClock,
    matches: [MatchID: Match] = [:],
    knownPlayers: Set<PlayerID> = [], senderName: PlayerName? = nil, claim: ClaimResult? = nil,
    daily: DailyChallenge? = nil, rules: Rulebook = .standard, lexicons: Lexicons,
    secret: ServiceSecret,
    sign: @escaping @Sendable (Statement, MatchID) -> SignedPayload
  ) {
    self.now = now
    self.clock = clock
    self.matches = matches
    self.knownPlayers = knownPlayers
    self.senderName = senderName
    self.claim = claim
    self.daily = daily
    self.rules = rules
    self.lexicons = lexicons
    self.secret = secret
    self.sign = sign
  }
}

/// A day's challenge as it was dealt.
public struct DailyChallenge: Hashable, Sendable {
  public var key: DailyKey
  /// The version of the word list.
  public var lexicon: LexiconName
  /// The 81 letters.
  public var letters: String

  public init(key: DailyKey, lexicon: LexiconName, letters: String) {
    self.key = key
    self.lexicon = lexicon
    self.letters = letters
  }
}

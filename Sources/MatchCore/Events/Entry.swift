/// A payload with its signature and the key that made it: the bytes of an event or a statement of
/// the service, exactly as on the wire and in a record.
public struct SignedPayload: Hashable, Sendable {
  /// The key that made the signature.
  public var key: PublicKey
  /// 64 bytes over tag and payload (see MatchWire).
  public var signature: [UInt8]
  /// UTF-8 JSON, verbatim.
  public var payload: [UInt8]

  public init(key: PublicKey, signature: [UInt8], payload: [UInt8]) {
    self.key = key
    self.signature = signature
    self.payload = payload
  }
}

/// One accepted event, or one statement of the service, in a match's record.
public struct Entry: Hashable, Sendable {
  /// 0 for the first.
  public var position: Int
  /// When the service accepted it.
  public var acceptedAt: Instant
  /// The statement and its signer.
  public var signed: SignedPayload
  /// The hash that the next entry builds on.
  public var hash: Hash

  /// An entry as it was stored. It does not check the hash; `hash(after:…)` does.
  public init(position: Int, acceptedAt: Instant, signed: SignedPayload, hash: Hash) {
    self.position = position
    self.acceptedAt = acceptedAt
    self.signed = signed
    self.hash = hash
  }

  /// The next entry of a record whose newest hash is `previous`.
  public init(
    after previous: Hash, position: Int, acceptedAt: Instant, signed: SignedPayload
  ) {
    self.init(
      position: position, acceptedAt: acceptedAt, signed: signed,
      hash: Entry.hash(
        after: previous, position: position, acceptedAt: acceptedAt, signed: signed))
  }

  /// SHA-256(`cubist/entry/1\0` ‖ previous hash ‖ position ‖ accepted at (µs) ‖ key ‖ signature ‖
  /// payload), position and time as eight big-endian bytes.
  public static func hash(
    after previous: Hash, position: Int, acceptedAt: Instant, signed: SignedPayload
  ) -> Hash {
    var hash = TaggedHash("cubist/entry/1")
    hash.update(previous)
    hash.update(Int64(position))
    hash.update(acceptedAt.microseconds)
    hash.update(signed.key)
    hash.update(signed.signature)
    hash.update(signed.payload)
    return hash.finalize()
  }
}

/// A step that the service itself takes in a match. The worker that judges signs it with its
/// working key.
public enum Statement: Hashable, Sendable {
  /// The match begins: its terms, its players and its letters.
  case matchDealt(Deal)
  /// A player took a free seat; the entry before it is the player's own event.
  /// If chance decided, `why` is the reason for the pairing.
  case seatFilled(seat: Int, player: PlayerID, why: MeetingReason? = nil)
  /// A player left a seat before anybody had played in the match since that player came, and the
  /// match waits for another one. The entry before it is the player's own event, or says that the
  /// player's account has ended. `letters`: the new cube; nil if the waiting player has played on the
  /// present one.
  case seatLeft(seat: Int, player: PlayerID, letters: String?)
  /// Time ran out. Queue time and credits decided it; they are stated so that anyone can check.
  case deadlinePassed(turn: Int, deadline: Instant, queueTime: Instant, creditMicroseconds: Int64)
  /// An operator ruled on the match. The statement of the end follows.
  case ruled(Ruling)
  /// The account of a player who sits in the match or is invited has ended. The statement of the
  /// match's end follows.
  case playerGone(PlayerID)
  /// The match is over. Only an annulment and its new end can follow. `head` is the hash of the
  /// entry before.
  case matchEnded(Outcome, points: [Int], head: Hash)
}

/// The service's first statement of a match.
public struct Deal: Hashable, Sendable {
  public var terms: Terms
  /// The version of the rules, `cube-1`.
  public var rules: String
  /// The version of the word list.
  public var lexicon: String
  /// The 81 letters in canonical order.
  public var letters: String
  /// The players by seat; a free seat is nil.
  public var seats: [PlayerID?]
  /// The match that this is the rematch of.
  public var predecessor: MatchID?

  public init(
    terms: Terms, rules: String, lexicon: String, letters: String, seats: [PlayerID?],
    predecessor: MatchID?
  ) {
    self.terms = terms
    self.rules = rules
    self.lexicon = lexicon
    self.letters = letters
    self.seats = seats
    self.predecessor = predecessor
  }
}

import CubeLexicon
public import CubeRules
public import MatchCore

/// The result of a record's verification.
public struct RecordReport: Hashable, Sendable {
  /// The document as it was read.
  public var document: RecordDocument
  /// The moves with their scores, as far as the record holds, and its first mistake.
  public var game: GameReport
  /// The state of the match after each entry, as far as the record holds.
  public var standings: [Standing] = []

  /// The state of a match after an entry.
  public struct Standing: Hashable, Sendable {
    /// The points of each seat. Empty before the deal.
    public var points: [Int]
    /// The outcome. Nil: not over.
    public var outcome: Outcome?
  }

  /// Whether everything holds.
  public var isVerified: Bool { game.fault == nil }
}

/// Verifies a record offline: chain, rules, scores, turn order, times, deadlines, outcome. The
/// caller checks the signatures with any library.
///
/// docs/protocol.md lists the facts that this cannot show.
public struct RecordVerifier: Sendable {
  private let rules: Rulebook
  private let lexicons: MatchCore.Lexicons
  private let pinnedRootKey: PublicKey?

  /// A verifier with rules and word lists. `rootKey` is the root key, if it is known from another
  /// source.
  public init(
    rules: Rulebook = .standard, lexicons: MatchCore.Lexicons = .standard,
    rootKey: PublicKey? = nil
  ) {
    self.rules = rules
    self.lexicons = lexicons
    pinnedRootKey = rootKey
  }

  /// Verifies a document except for its signatures.
  public func check(_ document: RecordDocument) -> RecordCheck {
    var fold = Fold(document, rules)
    do throws(Failure) {
      try checkKeys(&fold)
      guard let lexicon = lexicons.named(document.lexicon) else {
        throw Failure("this build does not have the word list \(excerpt(document.lexicon))")
      }
      for entry in document.entries {
        do throws(Failure) {
          try fold.take(entry, lexicon)
        } catch {
          throw Failure(error.reason, entry: entry.position)
        }
      }
      try fold.checkEnd()
    } catch {
      fold.game.fault = .init(entry: error.entry, reason: error.reason)
    }
    return RecordCheck(
      signatures: fold.signatures,
      report: RecordReport(document: document, game: fold.game, standings: fold.standings))
  }

  private func checkKeys(_ fold: inout Fold) throws(Failure) {
    let document = fold.document
    if let pinnedRootKey, pinnedRootKey != document.rootKey {
      throw Failure("the root key is \(document.rootKey), not \(pinnedRootKey)")
    }
    for certificate in document.certificates {
      let fault = Failure("the root key did not sign the working key \(certificate.workingKey)")
      guard certificate.validFrom < certificate.validUntil else { throw fault }
      try fold.demand(
        certificate.signed(service: document.service, rootKey: document.rootKey), .workingKey,
        else: fault)
    }
  }

  fileprivate struct Failure: Error {
    var entry: Int?
    var reason: String

    init(_ reason: String, entry: Int? = nil) {
      self.reason = reason
      self.entry = entry
    }
  }

  /// The record as far as it was verified.
  private struct Fold {
    let document: RecordDocument
    var game = GameReport()
    private(set) var standings: [RecordReport.Standing] = []
    private(set) var signatures: [RecordCheck.Signature] = []
    private var replay: Replay
    private var cubes: CubeGame?
    private var position = 0
    private var head = Hash.zero
    private var time = Instant(microseconds: .min)
    private var keys: [PlayerID: [PublicKey]] = [:]

    init(_ document: RecordDocument, _ rules: Rulebook) {
      self.document = document
      replay = Replay(id: document.match, rules: rules)
    }

    /// Everything from here on holds only with a signature.
    mutating func demand(
      _ signed: SignedPayload, _ tag: SignatureTag, else fault: Failure
    ) throws(Failure) {
      guard Ed25519.isAcceptable(signed.signature, by: signed.key) else { throw fault }
      signatures.append(
        RecordCheck.Signature(
          signed: signed, tag: tag, fault: .init(entry: fault.entry, reason: fault.reason),
          moveCount: game.moves.count, standingCount: standings.count))
    }

    mutating func take(_ entry: Entry, _ lexicon: Lexicon) throws(Failure) {
      guard entry.position == position else {
        throw Failure("it stands where entry \(position) is due")
      }
      guard entry.acceptedAt >= time else { throw Failure("it is earlier than the entry before") }
      let hash = Entry.hash(
        after: head, position: position, acceptedAt: entry.acceptedAt, signed: entry.signed)
      guard hash == entry.hash else { throw Failure("its hash is \(hash)") }
      let content = try readContent(entry)
      do throws(Match.RecordFault) {
        try replay.take(entry, content, words: lexicon)
      } catch {
        if case .illegalTurn(let refusal) = error { reportRefusal(refusal) }
        throw Failure(error.text)
      }
      try reportMoves(content)
      standings.append(
        .init(points: replay.match?.points ?? [], outcome: replay.match?.outcome))
      head = hash
      time = entry.acceptedAt
      position += 1
    }

    /// The content of an entry, if its signer is entitled to it.
    private mutating func readContent(_ entry: Entry) throws(Failure) -> Replay.Content {
      let content: PayloadCodec.Content
      do throws(Refusal) {
        content = try PayloadCodec.decodeContent(entry.signed.payload)
      } catch {
        throw Failure("it cannot be read: \(error.message)")
      }
      let (service, tag): (ServiceID, SignatureTag) =
        switch content {
        case .event(let event): (event.service, .event)
        case .statement(let decoded): (decoded.service, .service)
        }
      guard service == document.service else { throw Failure("it is meant for another service") }
      switch content {
      case .event(let event): try checkSender(of: event, entry)
      case .statement(let decoded):
        guard decoded.match == document.match else { throw Failure("it is about another match") }
        guard isCertified(entry.signed.key, at: entry.acceptedAt) else {
          throw Failure("its key was none of the service's at that time")
        }
      }
      try demand(
        entry.signed, tag, else: Failure("its signature is not its key's", entry: entry.position))
      return content.replayed
    }

    /// Whether a key was one of the service's at a time.
    private func isCertified(_ key: PublicKey, at time: Instant) -> Bool {
      document.certificates.contains { $0.workingKey == key && $0.covers(time) }
    }

    private mutating func checkSender(of event: Event, _ entry: Entry) throws(Failure) {
      let key = entry.signed.key
      let isListed = (document.seats + document.left).contains {
        $0.player == event.player && $0.keys.contains(key)
      }
      guard isListed else { throw Failure("its key is not listed as one of its player's") }
      let ahead = event.id.time.microseconds(since: entry.acceptedAt)
      guard ahead <= Event.maximumAheadSeconds * 1_000_000 else {
        throw Failure("it was made after it was accepted")
      }
      if keys[event.player]?.contains(key) != true {
        keys[event.player, default: []].append(key)
      }
    }

    /// Adds the moves of the turn just taken.
    private mutating func reportMoves(_ content: Replay.Content) throws(Failure) {
      guard case .event(let event) = content, case .turnPlayed = event.action,
        let turn = replay.turns.last, let match = replay.match
      else { return }
      var cubes = cubes ?? CubeGame(puzzle: match.game.puzzle, rules: match.rules)
      for (move, score) in zip(turn.moves, turn.scores) {
        do throws(RuleRefusal) {
          try cubes.apply(move, words: Lexicon.everyWord)
        } catch {
          throw Failure("\(error)")
        }
        game.append(score: score, playable: cubes.playable.digits)
      }
      self.cubes = cubes
    }

    /// Adds the move that makes a turn illegal.
    private mutating func reportRefusal(_ refusal: TurnRefusal) {
      let playable = replay.match?.game.playable.digits ?? ""
      game.append(reason: refusal.reason.name, playable: playable)
    }

    /// Checks that each key is its player's: the player's id is derived from it, or a key that is
    /// the player's has brought it in, by an invitation of its own or by a recovery key that it
    /// named.
    private mutating func checkOrigins(of seat: RecordDocument.Seat) throws(Failure) {
      guard let player = seat.player else { return }
      var later: Set<PublicKey> = []
      var used: Set<Hash> = []
      for origin in seat.origins {
        if let text = origin.fault(of: player, at: document.service) {
          throw Failure("the key \(origin.key) was not brought in: \(text)")
        }
        guard later.contains(origin.inviter) || PlayerID(firstKey: origin.inviter) == player else {
          throw Failure("the key \(origin.key) was brought in by none of its player's")
        }
        if let stated = origin.certified, !isCertified(stated.key, at: stated.at) {
          throw Failure(
            "the key \(origin.key) was not brought in: none of the service's keys states it")
        }
        for (signed, tag) in origin.messages {
          try demand(
            signed, tag,
            else: Failure("a signature that brought the key \(origin.key) in is not its key's"))
        }
        if case .invitation(let invitation) = origin,
          !used.insert(Hash(sha256Of: invitation.invited.payload)).inserted
        {
          throw Failure(
            "the key \(origin.key) was brought in by an invitation that was used before")
        }
        later.insert(origin.key)
      }
      for key in seat.keys where !later.contains(key) && PlayerID(firstKey: key) != player {
        throw Failure("the key \(key) is not its player's, and nothing brought it in")
      }
    }

    /// Players with the keys that signed their entries, and those of the document's origins that
    /// these need.
    private func listed(
      _ players: [PlayerID?], as stated: [RecordDocument.Seat]
    ) -> [RecordDocument.Seat] {
      players.enumerated().map { index, player in
        let signers = player.flatMap { keys[$0] } ?? []
        let all = stated.indices.contains(index) ? stated[index].origins : []
        return RecordDocument.Seat(
          player: player, keys: signers, origins: KeyOrigin.needed(by: signers, among: all))
      }
    }

    /// Checks that the record is whole, and that its summary matches its entries.
    mutating func checkEnd() throws(Failure) {
      guard replay.isClosed, let match = replay.match else {
        throw Failure(
          "it is missing, and with it the service's word that the match is over", entry: position)
      }
      guard document.head == head else { throw Failure("the head is \(head)") }
      guard document.rules == match.rules.name, document.lexicon == match.lexicon,
        document.letters == match.game.puzzle.description
      else { throw Failure("rules, word list and letters are not those of the deal") }
      guard document.outcome == match.outcome else { throw Failure("the outcome is another") }
      guard document.points == match.points else {
        throw Failure("the points are \(match.pointsText)")
      }
      let seats = listed(match.seats.map { $0.occupant }, as: document.seats)
      guard document.seats == seats else {
        throw Failure("the seats and keys are not those of the entries")
      }
      let left = listed(match.leavings.map { $0.player }, as: document.left)
      guard document.left == left else {
        throw Failure("the players who left and their keys are not those of the entries")
      }
      let seatsAndLeft = seats + left
      for seat in seatsAndLeft { try checkOrigins(of: seat) }
      var used = Set(document.entries.map { $0.signed.key })
      for seat in seatsAndLeft {
        for origin in seat.origins {
          if let stated = origin.certified { used.insert(stated.key) }
        }
      }
      guard document.certificates.allSatisfy({ used.contains($0.workingKey) }) else {
        throw Failure("a working key is certified that signed nothing")
      }
    }
  }
}

extension Match.RecordFault {
  fileprivate var text: String {
    switch self {
    case .unknownRules(let rules): "it names rules that this build does not know, \(excerpt(rules))"
    case .badLetters: "its letters are not 81 letters"
    case .badSeats: "its seats do not fit its terms"
    case .misplaced(let text): "it cannot stand here: \(text)"
    case .illegalTurn(let refusal): "its turn is not legal: \(refusal)"
    case .wrongTurn(let text): "its turn is not due: \(text)"
    case .wrongEnd(let text): "it ends the match wrongly: \(text)"
    }
  }
}

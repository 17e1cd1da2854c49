package import MatchCore
package import MatchInterfaces
import MatchWire

/// Brings the record of a damaged match back from a copy of the database, such as a restored backup.
///
/// The copy is older, and the match may have gone on since. So each entry is taken from the database
/// while it follows the one before it, and only otherwise from the copy. The record that comes of it
/// has to hold by itself, signatures included, and has to have everything that the rest of the
/// database and the replies to players know of.
package struct MatchRestorer {
  /// A record that holds, and what has to be written for it.
  package struct Plan: Hashable, Sendable {
    /// The whole record.
    package var record: [Entry]
    /// The positions of the entries that come from the copy.
    package var restored: [Int]
    /// How many turns the record has.
    package var turnCount: Int
    package var rebuild: MatchRebuild
  }

  /// Why a record is not brought back.
  package enum Obstacle: Error, Hashable, Sendable {
    /// Neither the database nor the copy has a row of it.
    case unknownMatch
    /// The record of the database holds by itself.
    case nothingToRestore
    /// The match was annulled because it was damaged, and its players were told.
    case isAnnulled
    /// Neither of the two has the entry that follows; the database has later ones.
    case gap(position: Int, known: Int)
    /// What would be wrong with the record.
    case wrong([Violation])
    case store(StoreError)
  }

  private let store: CheckStore
  private let identity: ServiceIdentity
  private let lexicons: Lexicons
  private let verifier: SignatureVerifier

  package init(
    _ store: CheckStore, identity: ServiceIdentity, lexicons: Lexicons = .standard,
    verifier: SignatureVerifier = .live
  ) {
    self.store = store
    self.identity = identity
    self.lexicons = lexicons
    self.verifier = verifier
  }

  /// The record of a match with the entries that only a copy has.
  /// - Parameter turns: How many turns a player tells of. The database forgets replies after some
  ///   days, and players do not.
  package func plan(
    _ id: MatchID, copy: [Entry], turns: Int = 0
  ) throws(Obstacle) -> Plan {
    let found = try ask(try store.stored([id])[id])
    guard found != nil || !copy.isEmpty else { throw .unknownMatch }
    var stored =
      found
      ?? StoredMatch(
        version: 0, state: nil, record: [], turn: nil, deadline: nil, listing: StoredListing(),
        jobs: [])
    guard !stored.isAnnulledDamaged else { throw .isAnnulled }
    let (record, restored) = merged(stored.record, copy)
    let known = (stored.record.map(\.position).max() ?? -1) + 1
    guard record.count >= known else { throw .gap(position: record.count, known: known) }
    guard !restored.isEmpty else { throw .nothingToRestore }
    stored.record = record
    let check = StoreCheck(
      view(of: stored, id), identity: identity, lexicons: lexicons, verifier: verifier)
    guard let look = try ask(try check.look(at: id)) else { throw .unknownMatch }
    var wrong = look.violations.filter(\.concernsRecord) + (try untold(id, stored))
    let turnCount = record.count(where: \.isTurn)
    if turnCount < turns {
      wrong.append(
        Violation(
          .entryMissing, in: id,
          "the player tells of turn \(turns), and the record would end with "
            + "turn \(turnCount)"))
    }
    guard wrong.isEmpty, let folded = look.check.folded else { throw .wrong(wrong) }
    let detail = "\(id): \(MatchRestorer.text(restored)) of \(record.count)"
    return Plan(
      record: record, restored: restored, turnCount: turnCount,
      rebuild: MatchRebuilder(check, .failing).rebuild(of: look, folded, detail: detail))
  }

  /// Positions for a person, such as `entry 4` or `entries 4, 5`.
  package static func text(_ positions: [Int]) -> String {
    (positions.count == 1 ? "entry " : "entries ")
      + positions.map { "\($0)" }.joined(separator: ", ")
  }

  /// The longest chain from the beginning, with the positions that only the copy has.
  private func merged(_ own: [Entry], _ copy: [Entry]) -> (record: [Entry], restored: [Int]) {
    let (own, copy) = (byPosition(own), byPosition(copy))
    var (record, restored): ([Entry], [Int]) = ([], [])
    var head = Hash.zero
    while true {
      let position = record.count
      if let entry = own[position], follows(entry, head) {
        record.append(entry)
      } else if let entry = copy[position], follows(entry, head) {
        record.append(entry)
        restored.append(position)
      } else {
        return (record, restored)
      }
      head = record[position].hash
    }
  }

  private func byPosition(_ entries: [Entry]) -> [Int: Entry] {
    Dictionary(entries.map { ($0.position, $0) }) { first, _ in first }
  }

  /// Whether an entry is whole, follows another one, and has its key's signature.
  private func follows(_ entry: Entry, _ head: Hash) -> Bool {
    let hash = Entry.hash(
      after: head, position: entry.position, acceptedAt: entry.acceptedAt, signed: entry.signed)
    guard entry.hash == hash, let content = try? PayloadCodec.decodeContent(entry.signed.payload)
    else { return false }
    switch content {
    case .event: return verifier.isValid(entry.signed, .event)
    case .statement: return verifier.isValid(entry.signed, .service)
    }
  }

  /// The store as it would be with a record.
  private func view(of match: StoredMatch, _ id: MatchID) -> CheckStore {
    var view = store
    view.stored.answer { _ in [id: match] }
    view.lacking.answer { places in
      places.indices.filter { index in
        let place = places[index]
        return place.match == id
          && !match.record.contains { entry in
            place.entryHash.map { $0 == entry.hash }
              ?? (Hash(sha256Of: entry.signed.payload) == place.payloadHash)
          }
      }
    }
    return view
  }

  /// What players were told of the match and the record does not have.
  private func untold(_ id: MatchID, _ match: StoredMatch) throws(Obstacle) -> [Violation] {
    var replies = ReplyCheck(view(of: match, id))
    var found: [Violation] = []
    while !replies.isDone { found += try ask(try replies.next()) }
    return found
  }

  private func ask<Value>(
    _ body: @autoclosure () throws(StoreError) -> Value
  ) throws(Obstacle) -> Value {
    do { return try body() } catch { throw .store(error) }
  }
}

extension Entry {
  fileprivate var isTurn: Bool {
    guard case .event(let event)? = try? PayloadCodec.decodeContent(signed.payload) else {
      return false
    }
    if case .turnPlayed = event.action { return true }
    return false
  }
}

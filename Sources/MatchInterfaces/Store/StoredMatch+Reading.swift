import CubeLexicon
package import CubeRules
package import MatchCore
import MatchWire

extension StoredMatch {
  /// A match as far as it can be read.
  package struct Reading: Hashable, Sendable {
    /// The match as it stands. Of a damaged one all that is known for certain; nil: not even the
    /// players are.
    package var match: Match?
    /// Why the record does not hold; nil: it does. Signatures are not checked.
    package var damage: String?
    /// Whether the record holds and the state is not as it gives it.
    package var isStateWrong = false
  }

  /// Folds the record, and takes the state, if it can be read.
  package func reading(_ id: MatchID, rules: Rulebook = .standard) -> Reading {
    var replay = Replay(id: id, rules: rules)
    var damage: String?
    var head = Hash.zero
    do {
      for entry in record {
        // First of all: bytes that were changed may look like those of a newer build.
        let hash = Entry.hash(
          after: head, position: entry.position, acceptedAt: entry.acceptedAt,
          signed: entry.signed)
        guard hash == entry.hash else {
          throw Match.RecordFault.misplaced("entry \(entry.position) has been changed")
        }
        head = hash
        let content = try PayloadCodec.decodeContent(entry.signed.payload)
        try replay.take(entry, content.replayed, words: Lexicon.everyWord)
      }
    } catch Match.RecordFault.unknownRules(let name) {
      // Another build judges it: it is not this one's to call damaged.
      return Reading(match: state, damage: state == nil ? "it has the rules \(name)" : nil)
    } catch Refusal.unsupportedVersion(let version) {
      return Reading(
        match: state, damage: state == nil ? "it has entries of version \(version)" : nil)
    } catch {
      damage = "its record does not hold: \(error)"
    }
    if damage == nil, replay.match == nil {
      damage = record.isEmpty ? "it has no record" : "it was never dealt"
    }
    if damage == nil, let counted = state?.entryCount, counted > record.count {
      damage = "its state counts \(counted) entries, its record has \(record.count)"
    }
    var isStateWrong = damage == nil && isStateChanged
    if damage == nil, !isAnnulledDamaged, let state, let replayed = replay.match {
      isStateWrong = !state.isAsReplayed(replayed)
    }
    var match = state ?? replay.match
    if state == nil, damage != nil {
      match?.seat(holders)
      match = match ?? Match(damaged: id, holders: holders, rules: rules)
    }
    match?.restore(
      version: version, rematch: state?.rematch ?? columns?.rematch ?? Match.Rematch(),
      deadline: state?.deadline)
    return Reading(match: match, damage: damage, isStateWrong: isStateWrong)
  }

  /// The players by the rows that the match is found by, in the order of seats.
  private var holders: [Match.Seat.Holder] {
    let seats = listing.seats.sorted { ($0.seat, $0.player) < ($1.seat, $1.player) }
    if !seats.isEmpty {
      return seats.map { $0.isInvited ? .invited($0.player) : .taken($0.player) }
    }
    return listing.pastGames.map(\.player).sorted().map { .taken($0) }
  }
}

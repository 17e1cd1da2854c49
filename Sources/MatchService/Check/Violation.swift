package import MatchCore

/// A contradiction in the store: its kind, its place, its time, and the remedy.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// The kind of violation. The raw values are stable names for programs.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An entry's payload is neither an event nor a statement about this match.
    case entryUnreadable
    /// An entry's signature is not its key's, or the key may not say this.
    case entryForged
    /// An entry cannot stand where it stands, by chain or rules.
    case entryMisplaced
    /// An entry that was there is gone from the record.
    case entryMissing
    /// The same event stands twice in a record.
    case entryRepeated
    /// The stored state is not the one that the record gives.
    case stateDiffers
    /// Rows by which a match is found are missing or left over.
    case rowsDiffer
    /// An accepted event has no stored reply.
    case replyMissing
    /// A stored reply says something else than the record.
    case replyDiffers
    /// A push job is owed and nowhere to be found.
    case jobMissing
    /// A push job that nothing owes.
    case jobUnexpected
    /// The rematch that a match names does not exist, or one exists that it does not name.
    case successorDiffers
    /// A match that counts for ratings neither waits for that nor was rated, or another one waits.
    case ratingQueueDiffers
    /// A change of a rating does not follow from its inputs, or the inputs are not where the player
    /// stood.
    case ratingDiffers
    /// A player does not stand where the last rated match leaves the player.
    case standingDiffers
  }

  package var kind: Kind
  package var match: MatchID
  /// At which entry of its record, if it is about one.
  package var position: Int?
  /// Since when: the time of the entry, or of the newest one.
  package var since: Instant?
  /// The description for a person.
  package var text: String

  package init(
    _ kind: Kind, in match: MatchID, at position: Int? = nil, since: Instant? = nil, _ text: String
  ) {
    self.kind = kind
    self.match = match
    self.position = position
    self.since = since
    self.text = text
  }

  /// Whether it is about the record, which is never mended.
  package var concernsRecord: Bool {
    switch kind {
    case .entryUnreadable, .entryForged, .entryMisplaced, .entryMissing, .entryRepeated: true
    default: false
    }
  }

  /// The way to mend it.
  package var remedy: String {
    switch kind {
    case .entryUnreadable, .entryForged, .entryMisplaced, .entryRepeated:
      "A record is never mended: restore the match's entries from a backup or an exported record."
    case .entryMissing:
      "A record is never mended: restore the match's entries from a backup or an exported record. "
        + "Only if you know that the record is whole: delete the row that speaks against it."
    case .stateDiffers, .rowsDiffer, .successorDiffers, .jobMissing, .ratingQueueDiffers,
      .standingDiffers:
      "`cubistd rebuild --match \(match)` makes it again from the record."
    case .replyMissing, .replyDiffers:
      "The record is right: the sender sees it when asking for the match."
    case .ratingDiffers:
      "What was rated is not rated again: restore the rows of rating_results from a backup."
    case .jobUnexpected:
      "`cubistd rebuild --match \(match)` deletes it unless it was handed out: then somebody was "
        + "told what is not so."
    }
  }

  /// One line: kind, place, text and remedy.
  package var description: String {
    let place = position.map { " entry \($0)" } ?? ""
    let time = since.map { " since \($0)" } ?? ""
    return "\(kind.rawValue): match \(match)\(place)\(time): \(text). \(remedy)"
  }
}

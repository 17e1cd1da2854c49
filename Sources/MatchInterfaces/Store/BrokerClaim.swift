import MatchCore

/// Names a database to the broker, for a minute or two.
package struct BrokerMark: Identifier {
  /// The sixteen bytes as one big-endian number.
  package let rawValue: UInt128
  /// Makes a mark of sixteen bytes given as one big-endian number.
  package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The database's side of the agreement that a broker serves it and no other database.
///
/// The broker has the mark that the database has, and the mark changes all the time. So a copy of
/// the database, whichever way it was made, soon has a mark that the broker does not know.
package struct BrokerClaim: Hashable, Sendable {
  package var mark: BrokerMark
  /// The mark before. A process that ended halfway may have left the broker with it.
  package var former: BrokerMark?
  /// Whether the broker was given the mark.
  package var isMade: Bool
  /// Whether the mark is to be changed.
  package var isOld: Bool

  package init(mark: BrokerMark, former: BrokerMark? = nil, isMade: Bool, isOld: Bool = false) {
    self.mark = mark
    self.former = former
    self.isMade = isMade
    self.isOld = isOld
  }

  /// The marks to try, the likelier one first. The broker has at least one of them.
  package var marks: [BrokerMark] { [mark] + (former.map { [$0] } ?? []) }
}

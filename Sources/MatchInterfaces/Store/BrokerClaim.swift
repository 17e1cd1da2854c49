public import MatchCore

/// Names a database to the broker, for a minute or two.
public struct BrokerMark: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128
  /// Makes a mark of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The database's side of the agreement that a broker serves it and no other database.
///
/// The broker has the mark that the database has, and the mark changes all the time. So a copy of
/// the database, whichever way it was made, soon has a mark that the broker does not know.
public struct BrokerClaim: Hashable, Sendable {
  public var mark: BrokerMark
  /// The mark before. A process that ended halfway may have left the broker with it.
  public var former: BrokerMark?
  /// Whether the broker was given the mark.
  public var isMade: Bool
  /// Whether the mark is to be changed.
  public var isOld: Bool

  public init(mark: BrokerMark, former: BrokerMark? = nil, isMade: Bool, isOld: Bool = false) {
    self.mark = mark
    self.former = former
    self.isMade = isMade
    self.isOld = isOld
  }

  /// The marks to try, the likelier one first. The broker has at least one of them.
  public var marks: [BrokerMark] { [mark] + (former.map { [$0] } ?? []) }
}

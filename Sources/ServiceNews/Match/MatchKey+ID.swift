package import CubePlay
package import MatchCore

extension MatchKey {
  package init(_ match: MatchID) { self.init(match.description) }

  package init(_ ticket: MatchTicket) { self.init(ticket.match) }

  /// A game that somebody shared.
  package init(_ code: ShareCode) { self.init(code.description) }

  /// The match; nil where it is something else.
  package var match: MatchID? { MatchID(text) }

  /// The code of a game that somebody shared; nil where it is a match.
  package var code: ShareCode? { match == nil ? ShareCode(text) : nil }
}

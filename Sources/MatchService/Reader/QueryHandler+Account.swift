import MatchCore
import MatchInterfaces
import MatchWire

extension QueryHandler {
  /// Rows that are kept of the asker.
  func rows(_ asked: Query.Account, of asker: PlayerID) throws(Failure) -> AccountRows {
    let page = try ask(try store.account(asker, asked.section, asked.place))
    return AccountRows(page: page, after: asked.place)
  }
}

import MatchCore
import MatchInterfaces
import MatchWire

/// Exports and ends players' accounts.
struct AccountEnder {
  let lookup: PlayerLookup
  var `operator` = OperatorName.current

  /// Ends the account of a player, by name or id.
  /// - Parameter name: The player's name once more.
  /// - Returns: the id that stays.
  func end(
    _ text: String, _ name: String, reason: String
  ) throws(OperatorFailure) -> PlayerID {
    let player = try lookup.player(text)
    guard PlayerName(name)?.key == player.name.key else {
      throw .wrong(
        "the player is called \(player.name), and --confirm says \(PlainText.oneLine(name)): nothing "
          + "has changed")
    }
    let act = ActRow(
      act: "account ended", detail: "\(player.id) by \(`operator`): \(reason)")
    guard try onStore(try lookup.store.removePlayer(player.id, act)) else {
      throw AccountEnder.gone(player.id)
    }
    return player.id
  }

  /// Everything that is kept of a player, by name or id, as one JSON object.
  func export(_ text: String, reason: String) throws(OperatorFailure) -> String {
    let player = try lookup.player(text)
    let act = ActRow(
      act: "account exported", detail: "\(player.id) by \(`operator`): \(reason)")
    try onStore(try lookup.store.keepAct(act))
    var sections: [String] = []
    for section in AccountSection.allCases {
      var rows: [String] = []
      while true {
        let page = try onStore(try lookup.store.export(player.id, section, rows.count))
        rows += page
        if page.count < AccountSection.pageSize { break }
      }
      let list = rows.isEmpty ? "[]" : "[\n  \(rows.joined(separator: ",\n  "))\n]"
      sections.append("\"\(section.rawValue)\": \(list)")
    }
    return """
      {"schema": "cubistd.account.export/1", "id": "\(player.id)",
      \(sections.joined(separator: ",\n"))}

      """
  }

  private static func gone(_ player: PlayerID) -> OperatorFailure {
    .notFound("the account \(player) has ended already")
  }
}

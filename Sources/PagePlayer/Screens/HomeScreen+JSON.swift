import CubePlay
import CubistPage

extension HomeScreen {
  /// The list of everything that waits for a player with a name.
  func writePeople(to json: inout JSONText) {
    json.field("isLoaded", list != nil)
    json.field("name", list?.name ?? "")
    json.array("rows")
    for row in list?.rows ?? [] { json.object { row.write(to: &$0) } }
    json.endArray()
    json.field("notice", notice ?? "")
    json.field("trouble", trouble ?? "")
    json.field("more", list?.more ?? "")
    if let warning = list?.warning {
      json.field("warning", warning.text)
      json.field("warningAct", warning.kind == .recovery ? "keys" : "menu settings")
    }
    json.field("isAsking", wish != nil)
    switch decliningAll {
    case .no:
      json.field("wish", wish?.name ?? "")
      json.field("doubt", doubted?.name ?? "")
    case .doubted(let keys):
      json.field("wish", "")
      json.field("doubt", "declineAll")
      json.field("doubtCount", keys.count)
    case .going:
      json.field("wish", "declineAll")
      json.field("doubt", "")
    }
    json.field("doubtName", doubted.flatMap { opponent(of: $0) } ?? "")
    // Several can be declined at once.
    let count = invitations.count
    if count > 1 { json.field("invitations", count) }
  }

  /// The name in the row that a wish is about.
  private func opponent(of wish: Wish) -> String? {
    guard let key = wish.key else { return nil }
    return list?.rows.first { $0.key == key }?.label
  }
}

extension HomeScreen.Wish {
  /// The name that the page has words for.
  fileprivate var name: String {
    switch self {
    case .accept: "accept"
    case .decline: "decline"
    case .rematch: "rematch"
    case .declineRematch: "declineRematch"
    case .withdraw: "withdraw"
    case .daily(.unlimited): "daily"
    case .daily(.timed): "timedDaily"
    }
  }

  fileprivate var key: MatchKey? {
    switch self {
    case .accept(let key), .decline(let key), .rematch(let key), .declineRematch(let key),
      .withdraw(let key):
      key
    case .daily: nil
    }
  }
}

extension HomeRow {
  fileprivate func write(to json: inout JSONText) {
    json.field("key", key.text)
    json.field("kind", kind.name)
    json.field("name", label)
    json.array("points")
    for points in points { json.value(points) }
    json.endArray()
    json.optional("seconds", secondsLeft)
    json.optional("code", code)
    json.field("canWithdraw", isWithdrawable)
    json.field("isPlayer", player != nil)
  }
}

extension HomeRow.Kind {
  /// The name that the page has words for.
  fileprivate var name: String {
    switch self {
    case .yourTurn: "yourTurn"
    case .theirTurn: "theirTurn"
    case .waiting: "waiting"
    case .invitation: "invitation"
    case .rematchOffer: "rematchOffer"
    case .ownOffer: "ownOffer"
    case .daily(.unlimited): "daily"
    case .daily(.timed): "timedDaily"
    case .alone: "alone"
    }
  }
}

import CubePlay
import TerminalScreen

/// The home list with one row selected.
struct HomeDrawing {
  let home: HomeScreen
  /// What there is beside playing.
  let facilities: Facilities
  let symbols: Symbols

  func draw(on canvas: inout Canvas) {
    let name = home.list?.name.map { ": \($0)" } ?? ""
    canvas.write("cubist\(name)", column: 0, row: 0, look: .strong)
    drawRows(on: &canvas)
    if let more = home.list?.more {
      canvas.line(more, column: 2, row: canvas.height - 3, isUnicode: symbols.isUnicode)
    }
    canvas.line(
      status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.line(keys, row: canvas.height - 1, isUnicode: symbols.isUnicode)
  }

  private func drawRows(on canvas: inout Canvas) {
    guard let rows = home.list?.rows else { return canvas.write("Loading", column: 2, row: 2) }
    guard !rows.isEmpty else {
      return canvas.write(
        "Nothing waits for you. N starts a match, F shows the first steps.", column: 2, row: 2)
    }
    let room = canvas.height - 5
    // The selected row is always in sight.
    let first = max(0, min(home.selectedIndex - room / 2, rows.count - room))
    for (line, index) in zip(2..., rows.indices.dropFirst(first).prefix(room)) {
      let isSelected = index == home.selectedIndex
      let look = isSelected ? Ansi.Look.strong : Ansi.Look()
      canvas.line(
        (isSelected ? "> " : "  ") + text(rows[index]), row: line, isUnicode: symbols.isUnicode,
        look: look)
    }
  }

  private func text(_ row: HomeRow) -> String {
    let points = row.points.map(String.init).joined(separator: symbols.colon)
    let time = row.secondsLeft.map { $0 > 0 ? "\(ClockText.text($0)) left" : "time is up" } ?? ""
    return [pad(row.opponent, 23), pad(Self.state(row), 21), pad(points, 13), time]
      .joined(separator: " ")
  }

  private func pad(_ text: String, _ width: Int) -> String {
    let cut = TerminalText.safe(text).prefix(width)
    return cut + String(repeating: " ", count: max(0, width - TerminalText.width(of: cut)))
  }

  private static func state(_ row: HomeRow) -> String {
    switch row.kind {
    case _ where row.code != nil: "  code \(row.code ?? "")"
    case .yourTurn: "* your turn"
    case .theirTurn: "  their turn"
    case .waiting: "  waits for somebody"
    case .invitation: "* invites you"
    case .rematchOffer: "* offers a rematch"
    case .ownOffer: "  has your offer"
    case .daily: "* can be begun"
    }
  }

  private var status: String {
    switch home.wish {
    case .accept?: return "Accepting the invitation."
    case .decline?: return "Declining the invitation."
    case .declineRematch?: return "Declining the rematch."
    case .rematch?: return "Agreeing to the rematch."
    case .withdraw?: return "Withdrawing the match."
    case .daily?: return "Beginning the challenge."
    case nil: return question ?? home.notice ?? home.trouble ?? ""
    }
  }

  private var question: String? {
    switch home.doubted {
    case .withdraw?: "Withdraw this match?"
    case .decline?: "Decline this invitation?"
    case .declineRematch?: "Decline this rematch?"
    default: nil
    }
  }

  private var keys: String {
    if home.doubted != nil { return "Y yes   any other key: no" }
    let decline = facilities.contains(.declining) ? "D decline  " : ""
    let open: String
    switch home.selected?.kind {
    case .invitation?: open = "Enter accept  " + decline
    case .rematchOffer?: open = "Enter agree  " + decline
    case .daily(.unlimited)?: open = "Enter begin  "
    case .daily(.timed)?: open = "Enter begin: 180 seconds  "
    case nil: open = ""
    default: open = "Enter open  " + (home.selected?.isWithdrawable == true ? "W withdraw  " : "")
    }
    let others =
      facilities.contains(.menus) ? "N new match  B boards  S settings" : "F first steps"
    return open + others + "  ? help  Q quit"
  }
}

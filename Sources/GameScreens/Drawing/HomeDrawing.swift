import CubePlay
import TerminalScreen

/// The home list with one row selected.
struct HomeDrawing {
  let home: HomeScreen
  /// The facilities beside playing.
  let facilities: Facilities
  let symbols: Symbols

  func draw(on canvas: inout Canvas) {
    let name = home.list?.name.map { ": \($0)" } ?? ""
    canvas.write("cubist\(name)", column: 0, row: 0, look: .strong)
    if let warning = home.list?.warning {
      canvas.line(
        warning.line, column: 2, row: 1, isUnicode: symbols.isUnicode, look: .strong)
    }
    drawRows(on: &canvas)
    if let more = home.list?.more {
      canvas.line(more, column: 2, row: canvas.height - 3, isUnicode: symbols.isUnicode)
    }
    canvas.line(
      status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func drawRows(on canvas: inout Canvas) {
    guard let rows = home.list?.rows else { return canvas.write("Loading", column: 2, row: 2) }
    guard !rows.isEmpty else {
      return canvas.write(
        "Nothing waits for you. N starts a match, F shows the first steps.", column: 2, row: 2)
    }
    let room = canvas.height - 5
    let isWide = canvas.width >= Self.wideWidth
    let columns = isWide ? Columns() : Columns(rows, canvas.width - 2, symbols)
    for (line, index) in zip(2..., rows.places(around: home.selectedIndex, room: room)) {
      let isSelected = index == home.selectedIndex
      let look = isSelected ? Ansi.Look.strong : Ansi.Look()
      canvas.line(
        (isSelected ? "> " : "  ") + text(rows[index], columns), row: line,
        isUnicode: symbols.isUnicode, look: look)
    }
  }

  /// From so many columns on, each column has its usual width.
  private static let wideWidth = 80

  /// The widths of the columns before the time.
  private struct Columns {
    var name = 23
    var state = 21
    var points = 13
    var isNarrow = false

    init() {}

    /// Columns as wide as these rows need. The name gives way, the time never.
    init(_ rows: [HomeRow], _ room: Int, _ symbols: Symbols) {
      func widest(_ text: (HomeRow) -> String) -> Int {
        rows.map { TerminalText.width(of: TerminalText.safe(text($0))) }.max() ?? 0
      }
      isNarrow = true
      state = widest { HomeDrawing.state($0) }
      points = widest { HomeDrawing.points($0, symbols) }
      let time = widest { HomeDrawing.time($0, isNarrow: true) }
      name = max(4, min(name, widest { $0.label }, room - state - points - time - 3))
    }
  }

  private func text(_ row: HomeRow, _ columns: Columns) -> String {
    [
      name(row, columns.name), pad(Self.state(row), columns.state),
      pad(Self.points(row, symbols), columns.points), Self.time(row, isNarrow: columns.isNarrow),
    ].joined(separator: " ")
  }

  private static func points(_ row: HomeRow, _ symbols: Symbols) -> String {
    row.points.map(String.init).joined(separator: symbols.colon)
  }

  private static func time(_ row: HomeRow, isNarrow: Bool) -> String {
    guard let seconds = row.secondsLeft else { return "" }
    guard seconds > 0 else { return "time is up" }
    return isNarrow ? ClockText.text(seconds) : "\(ClockText.text(seconds)) left"
  }

  private func pad(_ text: String, _ width: Int) -> String {
    let cut = cut(TerminalText.safe(text), width)
    return cut + String(repeating: " ", count: max(0, width - TerminalText.width(of: cut)))
  }

  /// The opponent gives way to the digits that tell it apart.
  private func name(_ row: HomeRow, _ width: Int) -> String {
    guard let mark = row.mark else { return pad(row.opponent, width) }
    let end = " " + mark
    let room = max(1, width - TerminalText.width(of: end))
    return pad(cut(TerminalText.safe(row.opponent), room) + end, width)
  }

  private func cut(_ text: String, _ width: Int) -> String {
    symbols.isUnicode ? TerminalText.cut(text, columns: width) : String(text.prefix(width))
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
    case .daily, .alone: "* can be begun"
    }
  }

  private var status: String {
    if case .going = home.decliningAll { return "Declining the invitations." }
    switch home.wish {
    case .accept? where home.selected?.kind == .alone: return "Beginning the game."
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
    if case .doubted(let all) = home.decliningAll { return "Decline all \(all.count) invitations?" }
    return switch home.doubted {
    case .withdraw?: "Withdraw this match?"
    case .decline?: "Decline this invitation?"
    case .declineRematch?: "Decline this rematch?"
    case .accept?: "The list has changed. Accept this invitation?"
    case .rematch?: "The list has changed. Agree to this rematch?"
    case .daily(.timed)?: Self.timedDailyQuestion
    case .daily(.unlimited)?: "The list has changed. Begin this challenge?"
    case nil: nil
    }
  }

  /// The timed challenge can be begun once a day.
  static let timedDailyQuestion = "Begin the timed daily now? You get 180 seconds, once a day."

  private var keys: String {
    if home.isInDoubt { return "Y yes   any other key: no" }
    let all = home.invitations.count > 1 ? "A decline all  " : ""
    let decline = facilities.contains(.declining) ? "D decline  " : ""
    let open: String
    switch home.selected?.kind {
    case .invitation?: open = "Enter accept  " + decline + (decline.isEmpty ? "" : all)
    case .rematchOffer?: open = "Enter agree  " + decline
    case .daily(.unlimited)?, .alone?: open = "Enter begin  "
    case .daily(.timed)?: open = "Enter begin: 180 seconds  "
    case nil: open = ""
    default: open = "Enter open  " + (home.selected?.isWithdrawable == true ? "W withdraw  " : "")
    }
    let others =
      facilities.contains(.menus) ? "N new match  B boards  S settings" : "F first steps"
    return open + others + "  ? help  Q quit"
  }
}

import CubePlay
import TerminalScreen

/// Another player: the matches between the two, and the form of a report.
struct PlayerDrawing {
  let screen: PlayerScreen
  let symbols: Symbols

  /// The first row of the form.
  private static let formRow = 10

  func draw(on canvas: inout Canvas) {
    canvas.line(
      TerminalText.safe(screen.news?.name ?? screen.wanted.name), row: 0,
      isUnicode: symbols.isUnicode, look: .strong)
    switch screen.content {
    case .loading: canvas.write("Loading", column: 2, row: 2)
    case .failed(let text): canvas.line(text, column: 2, row: 2, isUnicode: symbols.isUnicode)
    case .shown(let news):
      let blocked = news.isBlocked ? ["You have blocked this player: you two do not meet."] : []
      let hasForm = screen.isTyping || screen.stage == .reportDoubted
      let lines = news.lines + blocked + screen.wanted.meeting
      for (row, line) in zip(2..., hasForm ? lines.prefix(Self.formRow - 3) : lines[...]) {
        canvas.line(TerminalText.safe(line), column: 2, row: row, isUnicode: symbols.isUnicode)
      }
      if hasForm { drawForm(on: &canvas) }
    }
    canvas.line(status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func drawForm(on canvas: inout Canvas) {
    canvas.write("Report to the operators, because of", column: 0, row: Self.formRow)
    for (row, reason) in zip((Self.formRow + 1)..., ReportReason.allCases) {
      canvas.row(Self.name(reason), isSelected: reason == screen.reason, row: row, symbols)
    }
    let text = FieldText(screen.text, hasFocus: screen.isTyping)
    let fault = text.fault(symbols)
    canvas.line(
      "  more about it \(text.text)" + (fault.isEmpty ? "" : "  " + fault), row: Self.formRow + 7,
      isUnicode: symbols.isUnicode)
  }

  private static func name(_ reason: ReportReason) -> String {
    switch reason {
    case .name: "the name"
    case .words: "words played or reactions"
    case .cheating: "cheating"
    case .conduct: "conduct, such as letting time run out"
    case .other: "something else"
    }
  }

  private var status: String {
    let name = TerminalText.safe(screen.news?.name ?? screen.wanted.name)
    return switch screen.stage {
    case .blockDoubted: "Block \(name)? You two do not meet any more. Y or N"
    case .reportDoubted: "Send this report about \(name) to the operators? Y or N"
    case .asked(.block): "Blocking the player."
    case .asked(.unblock): "Ending the block."
    case .asked(.report): "Sending the report."
    case .looking, .reporting: screen.notice ?? screen.trouble ?? ""
    }
  }

  private var keys: String {
    switch screen.stage {
    case .blockDoubted, .reportDoubted: return "Y yes   any other key: no"
    case .asked: return "Esc back"
    case .reporting: return "Arrows reason   Type more about it   Enter send   Esc back"
    case .looking:
      guard let news = screen.news else { return "Esc back" }
      let report = screen.reportedMatch == nil ? "" : "R report   "
      let block = news.isBlocked ? "unblock" : "block"
      return "I invite   P past games   B \(block)   \(report)Esc back"
    }
  }
}

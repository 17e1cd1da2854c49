import CubePlay
import TerminalScreen

/// The keys of the player's devices, and the code that lets one more in.
struct KeysDrawing {
  let screen: KeysScreen
  let symbols: Symbols

  /// The row of the first key.
  private static let firstRow = 2
  /// The rows below the keys: words and recovery, the code, what is said, and the keys to press.
  private static let footHeight = 10

  func draw(on canvas: inout Canvas) {
    canvas.write("Your keys, one for each device", column: 0, row: 0, look: .strong)
    switch screen.content {
    case .loading: canvas.write("Loading", column: 2, row: Self.firstRow)
    case .failed(let text):
      canvas.line(text, column: 2, row: Self.firstRow, isUnicode: symbols.isUnicode)
    case .shown(let rows): draw(rows, on: &canvas)
    }
    drawRecovery(on: &canvas)
    drawCode(on: &canvas)
    canvas.line(status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  private func draw(_ rows: [KeyRow], on canvas: inout Canvas) {
    let room = max(1, canvas.height - Self.firstRow - Self.footHeight)
    let places = rows.places(around: screen.selectedIndex, room: room)
    for (line, index) in zip(Self.firstRow..., places) {
      canvas.row(
        Self.text(rows[index]), isSelected: index == screen.selectedIndex, row: line, symbols)
    }
  }

  private static func text(_ row: KeyRow) -> String {
    let inviter = row.inviter.map { ", let in by \($0)" } ?? ", the first one"
    return "\(row.label)\(inviter), added \(row.added)\(row.isOwn ? ", this device" : "")"
  }

  private func drawRecovery(on canvas: inout Canvas) {
    guard case .shown = screen.content else { return }
    var sentences = screen.recovery.sentences
    if screen.recovery.lacksWords { sentences[0] += " Make some: cubist key words" }
    for (row, sentence) in zip((canvas.height - 9)..., sentences) {
      canvas.line(sentence, row: row, isUnicode: symbols.isUnicode)
    }
  }

  private func drawCode(on canvas: inout Canvas) {
    guard case .open(let code, let seconds, _) = screen.invitation else { return }
    let minutes = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    canvas.line(
      "On the new device: cubist key add \(code)", row: canvas.height - 5,
      isUnicode: symbols.isUnicode, look: .strong)
    canvas.line(
      "It is good once, for \(minutes). Anyone with it can play as you.", row: canvas.height - 4,
      isUnicode: symbols.isUnicode)
  }

  private var status: String {
    switch screen.recoveryStage {
    case .doubted: return "Delay this recovery, once, by 72 hours? Y or N"
    case .objecting: return "Objecting."
    // Only a page makes words on its screen.
    case .idle, .making, .shown, .asked, .naming: break
    }
    return switch (screen.removal, screen.invitation) {
    case (.doubted(let row), _):
      row.isOwn
        ? "Remove the key of this device? It plays as you no more. Y or N"
        : "Remove \(row.label)? Its device plays as you no more. Y or N"
    case (.asked, _): "Removing the key."
    case (.none, .asked): "Asking for a code."
    case (.none, .none), (.none, .open): screen.notice ?? ""
    }
  }

  private var keys: String {
    if case .doubted = screen.removal { return "Y yes   any other key: no" }
    if case .doubted = screen.recoveryStage { return "Y yes   any other key: no" }
    let remove = screen.rows.count > 1 ? "D remove   Arrows select   " : ""
    let object = screen.recovery.pending?.isObjected == false ? "O object   " : ""
    return "A add a device   \(remove)\(object)Esc back"
  }
}

internal import CVTerm

/// A terminal as libvterm emulates it: the screen that a person would see after the bytes written
/// to it.
final class Emulator {
  /// The modes that a program can switch.
  struct Switches: Hashable, Sendable {
    var isAlternateScreen = false
    var isCursorVisible = true
    var mouse = 0
  }

  private let terminal: OpaquePointer
  private let screen: OpaquePointer
  private let callbacks: UnsafeMutablePointer<VTermScreenCallbacks>
  private var rows: Int
  private var columns: Int
  fileprivate(set) var switches = Switches()
  fileprivate(set) var bellCount = 0

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    terminal = vterm_new(Int32(rows), Int32(columns))
    vterm_set_utf8(terminal, 1)
    screen = vterm_obtain_screen(terminal)
    vterm_screen_enable_altscreen(screen, 1)
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(to: VTermScreenCallbacks())
    callbacks.pointee.settermprop = { property, value, user in
      guard let value, let user else { return 0 }
      let emulator = Unmanaged<Emulator>.fromOpaque(user).takeUnretainedValue()
      switch property {
      case VTERM_PROP_ALTSCREEN: emulator.switches.isAlternateScreen = value.pointee.boolean != 0
      case VTERM_PROP_CURSORVISIBLE: emulator.switches.isCursorVisible = value.pointee.boolean != 0
      case VTERM_PROP_MOUSE: emulator.switches.mouse = Int(value.pointee.number)
      default: return 0
      }
      return 1
    }
    callbacks.pointee.bell = { user in
      if let user { Unmanaged<Emulator>.fromOpaque(user).takeUnretainedValue().bellCount += 1 }
      return 1
    }
    vterm_screen_set_callbacks(screen, callbacks, Unmanaged.passUnretained(self).toOpaque())
    vterm_screen_reset(screen, 1)
  }

  deinit {
    vterm_free(terminal)
    callbacks.deallocate()
  }

  func write(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in
      let chars = buffer.bindMemory(to: CChar.self)
      _ = vterm_input_write(terminal, chars.baseAddress, chars.count)
    }
  }

  func resize(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    vterm_set_size(terminal, Int32(rows), Int32(columns))
  }

  /// The rows without blanks at their ends.
  func lines() -> [String] {
    (0..<rows).map { row in
      var line = ""
      for column in 0..<columns {
        let scalar = cell(row, column).chars.0
        line.unicodeScalars.append(scalar == 0 ? " " : Unicode.Scalar(scalar) ?? "?")
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// How many cells have a background of their own.
  func filledCount() -> Int {
    (0..<rows).reduce(0) { sum, row in
      sum
        + (0..<columns).count {
          cell(row, $0).bg.type & UInt8(VTERM_COLOR_DEFAULT_BG.rawValue) == 0
        }
    }
  }

  func cursor() -> (row: Int, column: Int) {
    var place = VTermPos()
    vterm_state_get_cursorpos(vterm_obtain_state(terminal), &place)
    return (Int(place.row), Int(place.col))
  }

  private func cell(_ row: Int, _ column: Int) -> VTermScreenCell {
    var cell = VTermScreenCell()
    _ = vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: Int32(column)), &cell)
    return cell
  }
}

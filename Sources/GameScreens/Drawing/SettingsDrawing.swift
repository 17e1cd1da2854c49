import CubePlay
import TerminalScreen

/// The settings, as a list of rows to be changed.
struct SettingsDrawing {
  let screen: SettingsScreen
  let symbols: Symbols

  func draw(on canvas: inout Canvas) {
    let isChanged = screen.form?.isChanged == true
    canvas.write("Settings\(isChanged ? " (changed)" : "")", column: 0, row: 0, look: .strong)
    let isFree = screen.form.map { $0.stage == .editing } ?? true
    if isFree { canvas.right("Ctrl-K: your keys", row: 0) }
    switch screen.content {
    case .loading: canvas.write("Loading", column: 2, row: 2)
    case .failed(let text): canvas.line(text, column: 2, row: 2, isUnicode: symbols.isUnicode)
    case .shown(let form): draw(form, on: &canvas)
    }
    canvas.line(
      status, row: canvas.height - 2, isUnicode: symbols.isUnicode, look: .strong)
    canvas.keys(keys, isUnicode: symbols.isUnicode)
  }

  /// A line of the form; the headings belong to no row.
  private struct Line {
    var row: SettingsForm.Row?
    var text: String
    var fault = ""
  }

  private func draw(_ form: SettingsForm, on canvas: inout Canvas) {
    let lines = lines(form)
    let room = canvas.height - 3
    let selected = lines.firstIndex { $0.row == form.focus } ?? 0
    for (row, place) in zip(1..., lines.places(around: selected, room: room)) {
      let line = lines[place]
      guard line.row != nil else {
        canvas.line(line.text, row: row, isUnicode: symbols.isUnicode)
        continue
      }
      canvas.row(
        line.text, line.fault, isSelected: line.row == form.focus, row: row, symbols)
    }
  }

  private func lines(_ form: SettingsForm) -> [Line] {
    let title = Line(text: "Notifications call you")
    return [title, field(form.displayName, .displayName, in: form)] + kinds(form)
      + wishes(form) + devices(form) + blocked(form) + [Line(row: .save, text: "Save")]
  }

  private func kinds(_ form: SettingsForm) -> [Line] {
    [Line(text: "They tell you that")]
      + form.notifications.enumerated().map { index, kind in
        Line(row: .notification(index), text: "\(box(kind.isOn)) \(kind.text)")
      }
  }

  private func wishes(_ form: SettingsForm) -> [Line] {
    let texts: [(WishText, String)] = [
      (.quietFrom, "quiet from "), (.quietUntil, "quiet until "), (.timeZone, "time zone "),
      (.digest, "all that waits, each day at "),
    ]
    let fields = texts.map { field(form[$0], .wish($0), in: form, before: $1) }
    func choice(_ choice: WishChoice, _ text: String) -> Line {
      Line(row: .choice(choice), text: text)
    }
    func box(_ option: WishChoice, _ text: String) -> Line {
      choice(option, "\(self.box(form[option] == "on")) \(text)")
    }
    return [Line(text: "They come at these times")] + fields[..<2] + [
      choice(
        .late,
        form[.late] == "dropped"
          ? "what cannot wait till then does not come" : "what cannot wait comes without a sound")
    ] + fields[2...] + [
      choice(
        .review,
        form[.review] == "none"
          ? "no review of the week" : "a review of the week each \(Self.day(form[.review]))"),
      box(.bundle, "news within some minutes come as one"),
      box(.nudges, "opponents may remind you of a turn"),
      choice(.language, "their language is \(form[.language] == "de" ? "German" : "English")"),
    ]
  }

  private static func day(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  private func devices(_ form: SettingsForm) -> [Line] {
    [Line(text: "They go to these devices")]
      + form.devices.enumerated().map { index, device in
        let isOn = device.permission == .authorized || device.permission == .provisional
        let news = device.news.isEmpty ? "" : ", \(device.news)"
        return Line(
          row: .device(index),
          text: "\(box(isOn)) \(device.name)\(Self.text(device.permission))\(news)")
      } + [field(form.newDevice, .newDevice, in: form, before: "another device ")]
  }

  private static func text(_ permission: DeviceSetting.Permission) -> String {
    switch permission {
    case .authorized, .denied: ""
    case .provisional: ", without a sound"
    case .notDetermined: ", not asked yet"
    }
  }

  private func blocked(_ form: SettingsForm) -> [Line] {
    [Line(text: "You do not meet these players")]
      + form.blocked.enumerated().map { Line(row: .blocked($0), text: $1) }
      + [field(form.newBlocked, .newBlocked, in: form, before: "another player ")]
  }

  private func field(
    _ entry: TextEntry, _ row: SettingsForm.Row, in form: SettingsForm, before: String = ""
  ) -> Line {
    let field = FieldText(entry, hasFocus: form.focus == row)
    return Line(row: row, text: before + field.text, fault: field.fault(symbols))
  }

  private func box(_ isOn: Bool) -> String { "[\(isOn ? "x" : " ")]" }

  private var status: String {
    guard let form = screen.form else { return "" }
    switch form.stage {
    case .saving: return "Saving."
    case .doubted: return "You have changed something. Save it? Y yes, N throw it away"
    case .editing:
      if let said = form.notice ?? form.trouble { return said }
      return form.focus == .displayName && form.displayName.isBlank
        ? "Empty: the name that you registered." : ""
    }
  }

  private var keys: String {
    guard let form = screen.form else { return "Esc back" }
    switch form.stage {
    case .saving: return ""
    case .doubted: return "Y save   N throw away   Esc go on"
    case .editing: return row(form.focus) + "Arrows select   Ctrl-S save   Esc back"
    }
  }

  private func row(_ row: SettingsForm.Row) -> String {
    switch row {
    case .displayName: "Type a name   "
    case .notification, .choice: "Space change   "
    case .wish: "Type a time or a zone   "
    case .device: "Space change   Del remove   "
    case .newDevice, .newBlocked: "Type a name   Enter add   "
    case .blocked: "Del remove   "
    case .save: "Enter save   "
    }
  }
}

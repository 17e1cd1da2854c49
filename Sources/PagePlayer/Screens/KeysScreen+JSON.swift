import CubePlay
import CubistPage

extension KeysScreen {
  func write(to json: inout JSONText) {
    json.fields(of: content) { rows, json in
      json.array("rows")
      for row in rows { json.object { row.write(to: &$0) } }
      json.endArray()
    }
    switch invitation {
    case .none: json.field("invitation", "none")
    case .asked: json.field("invitation", "asked")
    case .open(let code, let seconds, _):
      json.field("invitation", "open")
      json.field("code", code)
      json.field("seconds", seconds)
    }
    switch removal {
    case .none: json.field("removal", "none")
    case .doubted(let row):
      json.field("removal", "doubted")
      json.name("removed")
      json.object { row.write(to: &$0) }
    case .asked: json.field("removal", "asked")
    }
    json.field("notice", notice ?? "")
    json.name("recovery")
    json.object { writeRecovery(to: &$0) }
  }

  /// New words are written while they are shown, and never again.
  private func writeRecovery(to json: inout JSONText) {
    json.field("sentences", recovery.sentences)
    json.field("countsAtOnce", recovery.countsAtOnce)
    json.field("canObject", recovery.pending.map { !$0.isObjected } ?? false)
    switch recoveryStage {
    case .idle: json.field("stage", "idle")
    case .making: json.field("stage", "making")
    case .shown(let sheet):
      json.field("stage", "shown")
      json.field("words", sheet.words)
    case .asked(let sheet, let fault):
      json.field("stage", "asked")
      json.field("asked", sheet.asked.map { "\($0 + 1)" })
      json.optional("fault", fault)
    case .naming: json.field("stage", "naming")
    case .doubted: json.field("stage", "doubted")
    case .objecting: json.field("stage", "objecting")
    }
  }
}

extension KeyRow {
  fileprivate func write(to json: inout JSONText) {
    json.field("digits", digits)
    json.optional("device", device)
    json.field("added", added)
    json.optional("inviter", inviter)
    json.field("isOwn", isOwn)
  }
}

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
  }
}

extension KeyRow {
  fileprivate func write(to json: inout JSONText) {
    json.field("digits", digits)
    json.field("added", added)
    json.optional("inviter", inviter)
    json.field("isOwn", isOwn)
  }
}

import CubePlay
import CubeRules

extension Page {
  /// The state as the page draws it.
  package func json() -> [UInt8] { json { _ in } }

  /// The state as the page draws it, with more fields.
  package func json(_ more: (inout JSONText) -> Void) -> [UInt8] {
    var json = JSONText()
    json.object { json in
      json.field("kept", app.firstSteps.text)
      json.field("help", app.isHelpShown)
      json.array("timers")
      for timer in timers {
        json.object { json in
          json.field("after", timer.milliseconds)
          json.field("act", timer.action)
        }
      }
      json.endArray()
      if case .home = app.place {
        json.name("home")
        json.object { app.home.write(to: &$0) }
      }
      if case .firstSteps(let steps) = app.place {
        json.name("steps")
        json.object { steps.write(to: &$0) }
      }
      if let shown {
        json.name("match")
        json.object { shown.write(to: &$0, key: app.match?.key.text ?? "") }
      }
      more(&json)
    }
    return json.bytes
  }
}

extension HomeScreen {
  func write(to json: inout JSONText) {
    json.array("rows")
    for row in list?.rows ?? [] {
      json.object { json in
        json.field("name", row.opponent)
        json.field("isNew", row.kind == .invitation || row.kind == .alone)
        json.array("points")
        for points in row.points { json.value(points) }
        json.endArray()
      }
    }
    json.endArray()
    json.field("notice", notice ?? trouble ?? "")
    json.field("asks", isInDoubt)
  }
}

extension FirstSteps {
  func write(to json: inout JSONText) {
    json.field("number", step.rawValue)
    json.field("count", FirstStep.count)
    json.field("isRead", step.isRead)
    guard let advice else { return }
    json.field("advice", advice.name)
    json.field("adviceValue", advice.value)
  }
}

extension FirstSteps.Advice {
  /// The name that the page has words for.
  fileprivate var name: StaticString {
    switch self {
    case .otherLetter: "otherLetter"
    case .wordIsWhole: "wordIsWhole"
    case .noLetters: "noLetters"
    case .notYet: "notYet"
    case .unfinished: "unfinished"
    case .removalIsLater: "removalIsLater"
    case .wantsRemoval: "wantsRemoval"
    case .needsTwo: "needsTwo"
    case .otherCube: "otherCube"
    case .typeInstead: "typeInstead"
    }
  }

  fileprivate var value: String {
    switch self {
    case .otherLetter(let value), .wordIsWhole(let value), .unfinished(let value): value
    default: ""
    }
  }
}

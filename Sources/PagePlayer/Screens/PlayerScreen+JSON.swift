import CubePlay
import CubistPage

extension PlayerScreen {
  func write(to json: inout JSONText) {
    json.field("player", news?.name ?? wanted.name)
    json.fields(of: content) { news, json in
      json.field("lines", lines)
      json.field("isBlocked", news.isBlocked)
    }
    json.field("canReport", reportedMatch != nil)
    switch stage {
    case .looking: json.field("stage", "looking")
    case .blockDoubted: json.field("stage", "blockDoubted")
    case .reporting: json.field("stage", "reporting")
    case .reportDoubted: json.field("stage", "reportDoubted")
    case .asked(.block): json.field("stage", "block")
    case .asked(.unblock): json.field("stage", "unblock")
    case .asked(.report): json.field("stage", "report")
    }
    json.field("reason", reason.rawValue)
    json.field("text", text)
    json.field("notice", notice ?? "")
    json.field("trouble", trouble ?? "")
  }
}

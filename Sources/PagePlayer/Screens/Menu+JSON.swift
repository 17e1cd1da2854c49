import CubePlay
import CubistPage

extension Menu {
  func write(to json: inout JSONText) {
    switch self {
    case .newMatch(let screen):
      json.field("name", "new")
      screen.write(to: &json)
    case .boards(let screen):
      json.field("name", "boards")
      screen.write(to: &json)
    case .pastGames(let screen):
      json.field("name", "games")
      screen.write(to: &json)
    case .settings(let screen):
      json.field("name", "settings")
      screen.write(to: &json)
    case .inbox(let screen):
      json.field("name", "inbox")
      screen.write(to: &json)
    case .player(let screen):
      json.field("name", "player")
      screen.write(to: &json)
    case .keys(let screen):
      json.field("name", "keys")
      screen.write(to: &json)
    }
  }
}

// MARK: - Notifications

extension InboxScreen {
  fileprivate func write(to json: inout JSONText) {
    json.fields(of: content) { rows, json in
      json.array("rows")
      for row in rows {
        json.object { json in
          json.field("title", row.title)
          json.field("text", row.text)
          json.field("time", row.time)
          json.field("hasMatch", row.match != nil)
          json.field("player", row.player ?? "")
          if row.isOfKeys { json.field("isOfKeys", true) }
        }
      }
      json.endArray()
    }
    json.field("isLeaving", leaving != nil)
    json.field("notice", notice ?? "")
  }
}

// MARK: - A new match

extension NewMatchScreen {
  fileprivate func write(to json: inout JSONText) {
    json.field("named", name)
    json.field("join", code)
    json.field("turnLimit", turnLimit)
    json.field("isCasual", isCasual)
    json.field("focus", focus.name)
    let (name, wanted) = stage.parts
    json.field("stage", name)
    wanted?.write(to: &json)
    json.field("notice", notice ?? "")
    json.field("trouble", trouble ?? "")
  }
}

extension NewMatchScreen.Stage {
  /// Its name, and the match that was asked for.
  fileprivate var parts: (name: StaticString, wanted: NewMatch?) {
    switch self {
    case .choosing: ("choosing", nil)
    case .asked(let wanted): ("asked", wanted)
    case .pending(let wanted): ("pending", wanted)
    case .doubted(let wanted): ("doubted", wanted)
    }
  }
}

extension NewMatch {
  fileprivate func write(to json: inout JSONText) {
    json.field("wanted", item.name)
    if case .named(let name, _) = self { json.field("wantedName", name) }
  }

  /// The row that starts it.
  private var item: NewMatchScreen.Item {
    switch self {
    case .anyone: .anyone
    case .named: .named
    case .open: .open
    case .join: .join
    case .daily(.unlimited): .daily
    case .daily(.timed): .timedDaily
    case .alone(.unlimited): .alone
    case .alone(.timed): .timedAlone
    }
  }
}

extension NewMatchScreen.Item {
  /// The name by which the page asks for it.
  var name: String {
    switch self {
    case .anyone: "anyone"
    case .named: "named"
    case .open: "open"
    case .join: "join"
    case .daily: "daily"
    case .timedDaily: "timedDaily"
    case .alone: "alone"
    case .timedAlone: "timedAlone"
    case .turnLimit: "turnLimit"
    case .casual: "casual"
    }
  }
}

// MARK: - Boards

extension BoardsScreen {
  fileprivate func write(to json: inout JSONText) {
    json.field("tab", tab.name)
    json.field("hasClock", tab == .today || isOfGames)
    json.field("clock", clock == .timed ? "timed" : "unlimited")
    json.field("isOfGames", isOfGames)
    json.field("span", span.name)
    json.field("measure", measure == .points ? "points" : "words")
    json.field("isStarting", isStarting)
    if isDoubted { json.field("asks", true) }
    json.field("notice", notice ?? "")
    json.field("trouble", trouble ?? "")
    json.fields(of: content) { news, json in news.write(to: &json) }
  }
}

extension BoardNews {
  fileprivate func write(to json: inout JSONText) {
    json.field("head", head)
    json.field("columns", columns)
    json.array("rows")
    for row in rows {
      json.object { json in
        json.field("cells", row.cells)
        json.field("isOwn", row.isOwn)
        json.field("isPlayer", row.player != nil && !row.isOwn)
      }
    }
    json.endArray()
    switch today {
    case nil: break
    case .missing?: json.field("today", "missing")
    case .open?: json.field("today", "open")
    case .begun?: json.field("today", "begun")
    }
  }
}

extension BoardsScreen.Tab {
  /// The name by which the page asks for it.
  var name: String {
    switch self {
    case .today: "today"
    case .solo: "solo"
    case .dailies: "dailies"
    case .ladder: "ladder"
    case .history: "history"
    case .review: "review"
    }
  }
}

extension Board.Span {
  fileprivate var name: String {
    switch self {
    case .day: "day"
    case .week: "week"
    case .all: "all"
    }
  }
}

// MARK: - Past games

extension PastGamesScreen {
  fileprivate func write(to json: inout JSONText) {
    json.field("kind", wanted.kind?.rawValue ?? "")
    json.field("result", wanted.result?.rawValue ?? "")
    json.field("filter", wanted.text)
    json.field("isLoadingMore", isLoadingMore)
    json.field("trouble", trouble ?? "")
    json.fields(of: content) { news, json in
      json.array("rows")
      for row in news.rows { json.object { row.write(to: &$0) } }
      json.endArray()
      json.field("hasMore", news.next != nil)
      if news.rows.isEmpty { json.field("empty", wanted.nothing) }
    }
  }
}

extension PastGameRow {
  fileprivate func write(to json: inout JSONText) {
    json.field("key", key.text)
    json.field("name", opponent)
    json.field("kind", kind)
    json.field("result", result)
    json.array("points")
    for points in points { json.value(points) }
    json.endArray()
    json.field("ended", ended)
    json.field("isPlayer", player != nil)
  }
}

// MARK: - Settings

extension SettingsScreen {
  fileprivate func write(to json: inout JSONText) {
    json.fields(of: content) { form, json in
      json.name("form")
      json.object { form.write(to: &$0) }
    }
  }
}

extension SettingsForm {
  fileprivate func write(to json: inout JSONText) {
    json.field("displayName", displayName)
    json.array("notifications")
    for kind in notifications {
      json.object { json in
        json.field("text", kind.text)
        json.field("isOn", kind.isOn)
      }
    }
    json.endArray()
    for text in WishText.allCases { json.field(text.name, self[text]) }
    for choice in WishChoice.allCases { json.field(choice.name, self[choice]) }
    json.array("devices")
    for device in devices {
      json.object { json in
        json.field("name", device.name)
        json.field("permission", device.permission.name)
        json.field("hasToken", device.hasToken)
        json.field("news", device.news)
      }
    }
    json.endArray()
    json.field("newDevice", newDevice)
    json.field("blocked", blocked)
    json.field("newBlocked", newBlocked)
    json.field("isChanged", isChanged)
    json.field("focus", focus.name)
    switch stage {
    case .editing: json.field("stage", "editing")
    case .saving: json.field("stage", "saving")
    case .doubted: json.field("stage", "doubted")
    }
    json.field("notice", notice ?? "")
    json.field("trouble", trouble ?? "")
  }
}

extension DeviceSetting.Permission {
  fileprivate var name: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .provisional: "provisional"
    case .authorized: "authorized"
    case .denied: "denied"
    }
  }
}

extension SettingsForm.Row {
  /// The name of its field; rows of one kind have one name.
  fileprivate var name: StaticString {
    switch self {
    case .wish(let wish): wish.name
    case .choice(let choice): choice.name
    case .displayName: "displayName"
    case .notification: "notification"
    case .device: "device"
    case .newDevice: "newDevice"
    case .blocked: "blocked"
    case .newBlocked: "newBlocked"
    case .save: "save"
    }
  }
}

import CubePlay
package import CubistPage

extension Page {
  /// Carries out an action of a player with a name. One that belongs to another screen does nothing.
  package func act(_ action: ScreenAction) {
    forgetTimers()
    switch action {
    case .decline(let row): if select(row: row) { act(.home(.declined)) }
    case .declineAll: act(.home(.allDeclined))
    case .withdraw(let row): if select(row: row) { act(.home(.withdrawalAsked)) }
    case .yes: answer(true)
    case .no: answer(false)
    case .giveUp: play(.giveUp(.asked))
    case .share: play(.share(.asked))
    case .react: play(.react(.asked))
    case .next: act(.nextAsked)
    case .second: act(.secondPassed)
    case .reload: reload()
    case .menu(let name): act(.menu(.opened(name)))
    case .pick(let item): if focus(item) { act(.menu(.newMatch(.chosen))) }
    case .fill(let field, let text): fill(field, text)
    case .board(let tab): turn(to: tab)
    case .clock: act(.menu(.boards(.clockChanged)))
    case .span: act(.menu(.boards(.spanChanged)))
    case .measure: act(.menu(.boards(.measureChanged)))
    case .begin: act(.menu(.boards(.chosen)))
    case .past(let row): open(past: row)
    case .more: act(.menu(.pastGames(.moreAsked)))
    case .kind(let kind): act(.menu(.pastGames(.kindChosen(kind))))
    case .result(let result): act(.menu(.pastGames(.resultChosen(result))))
    case .allGames: act(.menu(.pastGames(.allChosen)))
    case .toggle(let kind, let place): if focus(kind.row(place)) { choose() }
    case .choose(let choice, let option): choose(choice, option)
    case .remove(let kind, let place):
      if focus(kind.row(place)) { act(.menu(.settings(.erased))) }
    case .add(let kind): if focus(kind.newRow) { choose() }
    case .notice(let place): if focus(notice: place) { act(.menu(.inbox(.chosen))) }
    case .seen(let place): if focus(notice: place) { act(.menu(.inbox(.removed))) }
    case .allSeen: act(.menu(.inbox(.cleared)))
    case .save: act(.menu(.settings(.saveAsked)))
    case .doubt(let decision): act(.menu(.settings(.doubtAnswered(decision))))
    case .player(let row):
      if let wanted = player(row) { act(.menu(.opened(.player(wanted)))) }
    case .about(let action): act(.menu(.player(action)))
    case .reason(let reason): choose(reason)
    case .keys:
      let isInSettings = if case .settings? = app.menu { true } else { false }
      act(.menu(isInSettings ? .settings(.leaveAsked(.keys)) : .opened(.keys)))
    case .removeKey(let place): if focus(key: place) { act(.menu(.keys(.removeChosen))) }
    case .recovery(let action): act(.menu(.keys(.recovery(action))))
    }
  }

  /// Answers what the screen asks.
  private func answer(_ isYes: Bool) {
    switch app.place {
    case .home: act(.home(isYes ? .confirmed : .kept))
    case .match: play(.giveUp(isYes ? .confirmed : .kept))
    case .menu(.newMatch): act(.menu(.newMatch(.doubtAnswered(isYes))))
    case .menu(.boards): act(.menu(.boards(.doubtAnswered(isYes))))
    case .menu(.player): act(.menu(.player(.doubtAnswered(isYes))))
    case .menu(.keys): act(.menu(.keys(.doubtAnswered(isYes))))
    case .menu, .firstSteps: break
    }
  }

  private func reload() {
    switch app.place {
    case .home: act(.home(.appeared))
    case .match: act(.opened)
    case .menu(let menu): act(.menu(menu.appearing))
    case .firstSteps: break
    }
  }

  /// The player of a row, or of the shown match.
  private func player(_ row: Int?) -> PlayerWanted? {
    switch (app.place, row) {
    case (.match(let match), nil): return match.wantedPlayer
    case (.menu(.boards(let screen)), let row?): return screen.wantedPlayer(in: row)
    case (.menu(.pastGames(let screen)), let row?): return screen.wantedPlayer(in: row)
    case (.menu(.inbox(let screen)), let row?): return screen.wantedPlayer(in: row)
    case (.home, let row?):
      guard let rows = app.home.list?.rows, rows.indices.contains(row) else { return nil }
      return rows[row].wantedPlayer
    default: return nil
    }
  }

  private func choose(_ reason: ReportReason) {
    let reasons = ReportReason.allCases
    guard case .player(let screen)? = app.menu, let place = reasons.firstIndex(of: reason),
      let now = reasons.firstIndex(of: screen.reason)
    else { return }
    act(.menu(.player(.reasonMoved(place - now))))
  }

  private func turn(to tab: BoardsScreen.Tab) {
    let tabs = BoardsScreen.Tab.allCases
    guard case .boards(let screen)? = app.menu, screen.tab != tab,
      let place = tabs.firstIndex(of: tab), let now = tabs.firstIndex(of: screen.tab)
    else { return }
    act(.menu(.boards(.turned(place - now))))
  }
}

// MARK: - Rows

extension Page {
  /// Selects a notification. False where there is none.
  private func focus(notice place: Int) -> Bool {
    guard case .inbox(let screen)? = app.menu, screen.rows.indices.contains(place) else {
      return false
    }
    act(.menu(.inbox(.moved(place - screen.selectedIndex))))
    return true
  }

  /// Selects a device. False where there is none.
  private func focus(key place: Int) -> Bool {
    guard case .keys(let screen)? = app.menu, screen.rows.indices.contains(place) else {
      return false
    }
    act(.menu(.keys(.moved(place - screen.selectedIndex))))
    return true
  }

  /// Opens a game of the list of past games, if the list has that row.
  private func open(past row: Int) {
    guard case .pastGames(let screen)? = app.menu, screen.news?.rows.indices.contains(row) == true
    else { return }
    act([
      .menu(.pastGames(.moved(row - screen.selectedIndex))), .menu(.pastGames(.chosen)),
    ])
  }

  /// Selects a row of the new match. False where the rows cannot be changed now.
  private func focus(_ item: NewMatchScreen.Item) -> Bool {
    let items = NewMatchScreen.Item.allCases
    guard case .newMatch(let screen)? = app.menu, screen.stage == .choosing,
      let place = items.firstIndex(of: item), let now = items.firstIndex(of: screen.focus)
    else { return false }
    act(.menu(.newMatch(.moved(place - now))))
    return true
  }

  /// Selects a row of the settings. False where there is none, or the rows cannot be changed now.
  private func focus(_ row: SettingsForm.Row) -> Bool {
    guard case .settings(let screen)? = app.menu, let form = screen.form, form.stage == .editing,
      let place = form.rows.firstIndex(of: row), let now = form.rows.firstIndex(of: form.focus)
    else { return false }
    act(.menu(.settings(.moved(place - now))))
    return true
  }

  /// Goes from option to option until it is this one.
  private func choose(_ choice: WishChoice, _ option: String) {
    guard focus(.choice(choice)) else { return }
    for _ in choice.options {
      guard case .settings(let screen)? = app.menu, screen.form?[choice] != option else { return }
      choose()
    }
  }

  private func choose() { act(.menu(.settings(.chosen))) }

  private func fill(_ field: ScreenAction.Field, _ text: String) {
    switch field {
    case .named: fill(item: .named, text)
    case .join: fill(item: .join, text)
    case .turnLimit: fill(item: .turnLimit, text)
    case .displayName: fill(row: .displayName, text)
    case .wish(let wish): fill(row: .wish(wish), text)
    case .newDevice: fill(row: .newDevice, text)
    case .newBlocked: fill(row: .newBlocked, text)
    case .reportText: fill(report: text)
    }
  }

  private func fill(item: NewMatchScreen.Item, _ text: String) {
    guard focus(item), case .newMatch(let screen)? = app.menu,
      let change = TextChange(from: screen.text(in: item), to: text)
    else { return }
    for _ in 0..<change.erased { act(.menu(.newMatch(.erased))) }
    for character in change.typed { act(.menu(.newMatch(.typed(character)))) }
  }

  private func fill(report text: String) {
    guard case .player(let screen)? = app.menu, screen.isTyping,
      let change = TextChange(from: screen.text.text, to: text)
    else { return }
    for _ in 0..<change.erased { act(.menu(.player(.erased))) }
    for character in change.typed { act(.menu(.player(.typed(character)))) }
  }

  private func fill(row: SettingsForm.Row, _ text: String) {
    guard focus(row), case .settings(let screen)? = app.menu, let form = screen.form,
      let change = TextChange(from: form.text(in: row), to: text)
    else { return }
    for _ in 0..<change.erased { act(.menu(.settings(.erased))) }
    for character in change.typed { act(.menu(.settings(.typed(character)))) }
  }
}

extension NewMatchScreen {
  fileprivate func text(in item: Item) -> String? {
    switch item {
    case .named: name.text
    case .join: code.text
    case .turnLimit: turnLimit.text
    default: nil
    }
  }
}

extension SettingsForm {
  fileprivate func text(in row: Row) -> String? {
    switch row {
    case .displayName: displayName.text
    case .newDevice: newDevice.text
    case .newBlocked: newBlocked.text
    case .wish(let wish): self[wish].text
    case .notification, .choice, .device, .blocked, .save: nil
    }
  }
}

extension ScreenAction.Switch {
  fileprivate func row(_ place: Int) -> SettingsForm.Row {
    switch self {
    case .notification: .notification(place)
    case .device: .device(place)
    }
  }
}

extension ScreenAction.Entry {
  fileprivate func row(_ place: Int) -> SettingsForm.Row {
    switch self {
    case .device: .device(place)
    case .blocked: .blocked(place)
    }
  }

  /// The row in which one is typed.
  fileprivate var newRow: SettingsForm.Row {
    switch self {
    case .device: .newDevice
    case .blocked: .newBlocked
    }
  }
}

/// The keys that make one text of another.
private struct TextChange {
  /// How many characters are taken back.
  var erased: Int
  /// The characters that are typed then.
  var typed: [Character]

  /// Nil where there is no text, or nothing changes.
  init?(from before: String?, to after: String) {
    guard let before else { return nil }
    let (old, new) = (Array(before), Array(after))
    var shared = 0
    while shared < min(old.count, new.count), old[shared] == new[shared] { shared += 1 }
    (erased, typed) = (old.count - shared, Array(new[shared...]))
    if erased == 0, typed.isEmpty { return nil }
  }
}

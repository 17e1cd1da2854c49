extension KeysScreen {
  /// How the keys go.
  public static var reducer: Reducer<KeysScreen, KeysAction, KeysEffect> {
    Reducer { screen, action in screen.reduce(action) }
  }

  /// The seconds after which the list is asked for again while a device may use the code.
  private static let period = 5

  private mutating func reduce(_ action: KeysAction) -> [KeysEffect] {
    switch action {
    case .appeared: return [.load]
    case .arrived(let news): take(news)
    case .failed(let text):
      // A list that is there already stays.
      if case .shown = content { notice = text } else { content = .failed(text) }
    case .moved(let count):
      notice = nil
      selectedIndex = selectedIndex.moved(count, upTo: rows.count - 1)
    case .secondPassed: return passSecond()
    case .inviteChosen:
      guard invitation != .asked else { return [] }
      (invitation, notice) = (.asked, nil)
      return [.invite]
    case .invited(let code, let seconds):
      invitation = .open(code: code, secondsLeft: max(0, seconds), isListed: false)
      notice = nil
      return [.load]
    case .notInvited(let text):
      if invitation == .asked { invitation = .none }
      notice = text
    case .removeChosen: chooseRemoval()
    case .doubtAnswered(let isYes):
      guard case .doubted(let row) = removal else {
        return answerObjection(isYes).map { .recovery($0) }
      }
      removal = isYes ? .asked(row) : .none
      return isYes ? [.remove(row.key)] : []
    case .removed:
      (removal, notice) = (.none, "The device was removed.")
      return [.load]
    case .notRemoved(let text): (removal, notice) = (.none, text)
    case .recovery(let action):
      let effects: [KeysEffect] = reduce(action).map { .recovery($0) }
      switch action {
      // The list tells of both.
      case .named, .objected: return effects + [.load]
      default: return effects
      }
    }
    return []
  }

  private mutating func take(_ news: KeysNews) {
    takeInvitation(news)
    // The same key stays selected.
    let key = selected?.key
    let place = news.rows.firstIndex { $0.key == key }
    selectedIndex = place ?? max(0, min(selectedIndex, news.rows.count - 1))
    content = .shown(news.rows)
    recovery = news.recovery
    // That recovery may have been stopped.
    if case .doubted(let id) = recoveryStage, id != news.recovery.pending?.id {
      recoveryStage = .idle
    }
    if case .doubted(let row) = removal, !news.rows.contains(where: { $0.key == row.key }) {
      removal = .none
    }
  }

  private mutating func takeInvitation(_ news: KeysNews) {
    guard case .open(let code, let seconds, let isListed) = invitation else { return }
    if let left = news.codeSecondsLeft {
      invitation = .open(code: code, secondsLeft: max(0, left), isListed: true)
    } else if isListed {
      // An answer from before the code was there has not listed it either.
      let known = rows.map { $0.key }
      let isUsed = seconds > 0 && news.rows.contains { !known.contains($0.key) }
      (invitation, notice) = (.none, isUsed ? "A device was added." : Self.over)
    }
  }

  private static let over = "The code is over. Ask for another one."

  private mutating func passSecond() -> [KeysEffect] {
    guard case .open(let code, let seconds, let isListed) = invitation else { return [] }
    guard seconds > 1 else {
      (invitation, notice) = (.none, Self.over)
      return [.load]
    }
    invitation = .open(code: code, secondsLeft: seconds - 1, isListed: isListed)
    return seconds % Self.period == 0 ? [.load] : []
  }

  private mutating func chooseRemoval() {
    guard removal == .none, recoveryStage == .idle, let selected else { return }
    notice = nil
    if rows.count > 1 {
      removal = .doubted(selected)
    } else {
      notice = "It is your only device. Add another one first."
    }
  }
}

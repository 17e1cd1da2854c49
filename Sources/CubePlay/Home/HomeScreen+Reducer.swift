extension HomeScreen {
  /// How the home screen goes.
  public static var reducer: Reducer<HomeScreen, HomeAction, HomeEffect> {
    Reducer { screen, action in screen.reduce(action) }
  }

  private mutating func reduce(_ action: HomeAction) -> [HomeEffect] {
    switch action {
    case .appeared: return [.load]
    case .arrived(let list):
      take(list)
      return []
    case .failed(let text):
      trouble = text
      return []
    case .moved(let count):
      forgetDoubt()
      (notice, sought, isReplaced) = (nil, nil, false)
      selectedIndex = selectedIndex.moved(count, upTo: (list?.rows.count ?? 0) - 1)
      return []
    case .opened: return open()
    case .declined:
      guard let row = selected else { return [] }
      switch row.kind {
      case .invitation: return doubt(.decline(row.key))
      case .rematchOffer: return doubt(.declineRematch(row.key))
      case .yourTurn, .theirTurn, .waiting, .ownOffer, .daily, .alone: return []
      }
    case .allDeclined: return doubtAll()
    case .withdrawalAsked:
      guard let row = selected, row.isWithdrawable else { return [] }
      return doubt(.withdraw(row.key))
    case .confirmed:
      guard case .doubted(let keys) = decliningAll else { return doubted.map { ask($0) } ?? [] }
      decliningAll = .going(keys)
      return declineNext()
    case .kept:
      forgetDoubt()
      return []
    case .granted(let match):
      (wish, notice) = (nil, nil)
      guard let match else { return declineNext() }
      decliningAll = .no
      return [.open(match)]
    case .refused(let text):
      wish = nil
      // An invitation may be gone by now. The others are there still. The list is loaded in the end.
      let effects = declineNext()
      notice = text
      return effects
    case .away(let text):
      (wish, notice, trouble, decliningAll) = (nil, nil, text, .no)
      return []
    case .secondPassed:
      passSecond()
      return []
    }
  }

  /// The selection stays on its row, wherever that is now. If the row is gone, the row in its
  /// place is selected.
  private mutating func take(_ list: HomeList) {
    let before = selected
    self.list = list
    trouble = nil
    if let told = list.told { notice = told }
    let place = list.rows.firstIndex { $0.key == before?.key && $0.kind == before?.kind }
    selectedIndex = place ?? min(selectedIndex, max(0, list.rows.count - 1))
    if before != nil, place == nil { isReplaced = selected?.isOnlyOpened == false }
    seek()
    sought = nil
  }

  private mutating func open() -> [HomeEffect] {
    guard let row = selected else { return [] }
    forgetDoubt()
    notice = nil
    switch row.kind {
    case .yourTurn, .theirTurn, .waiting, .ownOffer: return [.open(row.key)]
    case .invitation: return askUnlessReplaced(.accept(row.key))
    // Nobody else is told, so it may be begun by mistake.
    case .alone: return ask(.accept(row.key))
    case .rematchOffer: return askUnlessReplaced(.rematch(row.key))
    // Its clock runs from here on, and a day has one.
    case .daily(.timed):
      isReplaced = false
      return doubt(.daily(.timed))
    case .daily(.unlimited): return askUnlessReplaced(.daily(.unlimited))
    }
  }

  private mutating func askUnlessReplaced(_ wish: Wish) -> [HomeEffect] {
    guard isReplaced else { return ask(wish) }
    isReplaced = false
    return doubt(wish)
  }

  private mutating func doubt(_ wish: Wish) -> [HomeEffect] {
    guard self.wish == nil else { return [] }
    forgetDoubt()
    (doubted, notice) = (wish, nil)
    return []
  }

  /// One invitation is turned down by its own row.
  private mutating func doubtAll() -> [HomeEffect] {
    let keys = invitations
    guard keys.count > 1, wish == nil else { return [] }
    (decliningAll, doubted, notice) = (.doubted(keys), nil, nil)
    return []
  }

  private mutating func forgetDoubt() {
    doubted = nil
    if case .doubted = decliningAll { decliningAll = .no }
  }

  /// Declines the next invitation, if it is still listed. The list is loaded after the last one.
  private mutating func declineNext() -> [HomeEffect] {
    let listed = invitations
    guard case .going(let keys) = decliningAll,
      let place = keys.firstIndex(where: { listed.contains($0) })
    else {
      decliningAll = .no
      return [.load]
    }
    decliningAll = .going(Array(keys.dropFirst(place + 1)))
    return ask(.decline(keys[place]))
  }

  private mutating func ask(_ wish: Wish) -> [HomeEffect] {
    guard self.wish == nil else { return [] }
    (self.wish, notice, doubted) = (wish, nil, nil)
    return [.grant(wish)]
  }

  private mutating func passSecond() {
    guard var rows = list?.rows else { return }
    for index in rows.indices {
      if let seconds = rows[index].secondsLeft, seconds > 0 {
        rows[index].secondsLeft = seconds - 1
      }
    }
    list?.rows = rows
  }
}

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
      (notice, doubted, sought, isReplaced) = (nil, nil, nil, false)
      let last = max(0, (list?.rows.count ?? 0) - 1)
      selectedIndex = max(0, min(selectedIndex + count, last))
      return []
    case .opened: return open()
    case .declined:
      guard let row = selected else { return [] }
      switch row.kind {
      case .invitation: return doubt(.decline(row.key))
      case .rematchOffer: return doubt(.declineRematch(row.key))
      case .yourTurn, .theirTurn, .waiting, .ownOffer, .daily: return []
      }
    case .withdrawalAsked:
      guard let row = selected, row.isWithdrawable else { return [] }
      return doubt(.withdraw(row.key))
    case .confirmed: return doubted.map { ask($0) } ?? []
    case .kept:
      doubted = nil
      return []
    case .granted(let match):
      (wish, notice) = (nil, nil)
      return [match.map { .open($0) } ?? .load]
    case .refused(let text):
      (wish, notice) = (nil, text)
      return [.load]
    case .away(let text):
      (wish, notice, trouble) = (nil, nil, text)
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
    (notice, doubted) = (nil, nil)
    switch row.kind {
    case .yourTurn, .theirTurn, .waiting, .ownOffer: return [.open(row.key)]
    case .invitation: return askUnlessReplaced(.accept(row.key))
    case .rematchOffer: return askUnlessReplaced(.rematch(row.key))
    case .daily(let clock): return askUnlessReplaced(.daily(clock))
    }
  }

  private mutating func askUnlessReplaced(_ wish: Wish) -> [HomeEffect] {
    guard isReplaced else { return ask(wish) }
    isReplaced = false
    return doubt(wish)
  }

  private mutating func doubt(_ wish: Wish) -> [HomeEffect] {
    guard self.wish == nil else { return [] }
    (doubted, notice) = (wish, nil)
    return []
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

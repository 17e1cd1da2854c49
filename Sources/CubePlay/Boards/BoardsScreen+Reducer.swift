extension BoardsScreen {
  /// How the lists of results go.
  public static var reducer: Reducer<BoardsScreen, BoardsAction, BoardsEffect> {
    Reducer { screen, action in screen.reduce(action) }
  }

  private mutating func reduce(_ action: BoardsAction) -> [BoardsEffect] {
    switch action {
    case .appeared: return [.load(board)]
    // Another list may have been asked for since.
    case .arrived(let board, let news): if board == self.board { show(news) }
    case .failed(let board, let text):
      if board == self.board { content.fail(text) }
    case .doubtAnswered(let isYes):
      guard isDoubted else { return [] }
      isDoubted = false
      return isYes ? start() : []
    case .turned(let count):
      let tabs = Tab.allCases
      guard let place = tabs.firstIndex(of: tab) else { return [] }
      tab = tabs[place.turned(count, among: tabs.count)]
      return ask()
    case .clockChanged:
      guard tab == .today || isOfGames else { return [] }
      clock = clock == .unlimited ? .timed : .unlimited
      return ask()
    case .spanChanged:
      guard isOfGames else { return [] }
      switch span {
      case .day: span = .week
      case .week: span = .all
      case .all: span = .day
      }
      return ask()
    case .measureChanged:
      guard isOfGames else { return [] }
      measure = measure == .points ? .words : .points
      return ask()
    case .moved(let count):
      (notice, trouble, isDoubted) = (nil, nil, false)
      selectedIndex = selectedIndex.moved(count, upTo: (news?.rows.count ?? 0) - 1)
    case .chosen: return choose()
    case .began(let match):
      isStarting = false
      return [.open(match)]
    case .refused(let text):
      (isStarting, notice) = (false, text)
      return [.load(board)]
    case .away(let text): (isStarting, notice, trouble) = (false, nil, text)
    }
    return []
  }

  /// Whether the list is of the best of many games.
  public var isOfGames: Bool { tab == .solo || tab == .dailies }

  private mutating func ask() -> [BoardsEffect] {
    (content, selectedIndex, notice, trouble, isDoubted) = (.loading, 0, nil, nil, false)
    return [.load(board)]
  }

  /// The player's own row is selected at first.
  private mutating func show(_ news: BoardNews) {
    let isNew = self.news == nil
    (content, trouble) = (.shown(news), nil)
    if news.today != .open { isDoubted = false }
    let last = max(0, news.rows.count - 1)
    selectedIndex =
      isNew ? news.rows.firstIndex { $0.isOwn } ?? 0 : min(selectedIndex, last)
  }

  private mutating func choose() -> [BoardsEffect] {
    guard !isStarting else { return [] }
    (notice, trouble, isDoubted) = (nil, nil, false)
    switch news?.today {
    case .begun(let match)?: return [.open(match)]
    case .missing?:
      notice = "Today's challenge is not dealt yet."
      return []
    case .open? where clock == .timed:
      isDoubted = true
      return []
    case .open?: return start()
    case nil: return []
    }
  }

  private mutating func start() -> [BoardsEffect] {
    isStarting = true
    return [.start(clock)]
  }
}

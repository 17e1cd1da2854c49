extension PastGamesScreen {
  /// How the list of past games goes.
  public static var reducer: Reducer<PastGamesScreen, PastGamesAction, PastGamesEffect> {
    Reducer { screen, action in screen.reduce(action) }
  }

  private mutating func reduce(_ action: PastGamesAction) -> [PastGamesEffect] {
    switch action {
    case .appeared: return [.load(wanted, after: nil)]
    // Other games may have been asked for since.
    case .arrived(let wanted, let news, after: let place):
      guard wanted == self.wanted else { return [] }
      if let place { add(news, after: place) } else { show(news) }
    case .failed(let wanted, let text, after: let place):
      guard wanted == self.wanted else { return [] }
      fail(text, after: place)
    case .kindChosen(let kind):
      return ask(for: PastGamesWanted(player: wanted.player, kind: kind, result: wanted.result))
    case .resultChosen(let result):
      return ask(for: PastGamesWanted(player: wanted.player, kind: wanted.kind, result: result))
    case .allChosen: return ask(for: .all)
    case .moved(let count):
      trouble = nil
      selectedIndex = selectedIndex.moved(count, upTo: (news?.rows.count ?? 1) - 1)
    case .moreAsked:
      guard !isLoadingMore, let next = news?.next else { return [] }
      (isLoadingMore, trouble) = (true, nil)
      return [.load(wanted, after: next)]
    case .chosen:
      return selected.map { [.open($0.key)] } ?? []
    }
    return []
  }

  private mutating func ask(for wanted: PastGamesWanted) -> [PastGamesEffect] {
    guard wanted != self.wanted else { return [] }
    self = PastGamesScreen(wanted)
    return [.load(wanted, after: nil)]
  }

  private mutating func fail(_ text: String, after place: String?) {
    if let place {
      if news?.next == place { (isLoadingMore, trouble) = (false, text) }
    } else {
      content.fail(text)
    }
  }

  /// The newest games arrived. The older ones below them stay, and so does the selected game.
  private mutating func show(_ newest: PastGamesNews) {
    var shown = newest
    if let news, let last = newest.rows.last?.key,
      let place = news.rows.lastIndex(where: { $0.key == last })
    {
      let older = news.rows[(place + 1)...]
      if !older.isEmpty { shown = PastGamesNews(rows: newest.rows + older, next: news.next) }
    }
    let before = selected?.key
    selectedIndex = shown.rows.firstIndex { $0.key == before } ?? 0
    if shown.next != news?.next { isLoadingMore = false }
    (content, trouble) = (.shown(shown), nil)
  }

  private mutating func add(_ older: PastGamesNews, after place: String) {
    // The list may have begun anew since.
    guard var news, news.next == place else { return }
    news.rows += older.rows
    news.next = older.next
    (content, isLoadingMore, trouble) = (.shown(news), false, nil)
  }
}

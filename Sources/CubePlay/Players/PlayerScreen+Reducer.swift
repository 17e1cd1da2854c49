extension PlayerScreen {
  /// How looking at another player goes.
  public static func reducer(
    checks: FieldChecks
  ) -> Reducer<PlayerScreen, PlayerAction, PlayerEffect> {
    Reducer { screen, action in screen.reduce(action, checks) }
  }

  private mutating func reduce(
    _ action: PlayerAction, _ checks: FieldChecks
  ) -> [PlayerEffect] {
    switch (action, stage) {
    case (.appeared, _):
      trouble = nil
      return [.load(wanted.name)]
    case (.arrived(let name, let news), _):
      if name == wanted.name { (content, trouble) = (.shown(news), nil) }
    case (.failed(let name, let text), _):
      if name == wanted.name { content.fail(text) }
    case (.answered(let answer), .asked(let wish)): return take(answer, wish)
    case (.inviteChosen, .looking): if let news { return [.invite(news.name)] }
    case (.gamesChosen, .looking): if let news { return [.games(news.name)] }
    case (.blockChosen, .looking): return changeBlock()
    case (.reportChosen, .looking):
      (notice, trouble) = (nil, nil)
      if reportedMatch != nil { stage = .reporting }
    case (.reasonMoved(let count), .reporting): move(count)
    case (.typed(let character), .reporting): text.type(character, checks.reportText)
    case (.erased, .reporting): text.erase(checks.reportText)
    case (.reportWritten, .reporting):
      notice = text.fault == nil ? nil : "The text is not right."
      if notice == nil { stage = .reportDoubted }
    case (.doubtAnswered(true), .blockDoubted): return ask(.block)
    case (.doubtAnswered(true), .reportDoubted):
      guard let match = reportedMatch else { break }
      return ask(.report(match, reason, text.isBlank ? "" : text.text))
    case (.doubtAnswered(false), .reportDoubted): stage = .reporting
    case (.doubtAnswered(false), .reporting), (.doubtAnswered(false), .blockDoubted):
      (stage, notice) = (.looking, nil)
    // Nothing is chosen while a question or an answer is awaited.
    default: break
    }
    return []
  }

  /// Only a block is asked about: its end harms nobody.
  private mutating func changeBlock() -> [PlayerEffect] {
    (notice, trouble) = (nil, nil)
    guard let news else { return [] }
    if news.isBlocked { return ask(.unblock) }
    stage = .blockDoubted
    return []
  }

  private mutating func ask(_ wish: PlayerWish) -> [PlayerEffect] {
    stage = .asked(wish)
    return [.wish(wish, wanted.name)]
  }

  private mutating func move(_ count: Int) {
    let reasons = ReportReason.allCases
    guard let place = reasons.firstIndex(of: reason) else { return }
    reason = reasons[place.turned(count, among: reasons.count)]
  }

  /// The words of a report stay unless it was taken.
  private mutating func take(_ answer: PlayerAnswer, _ wish: PlayerWish) -> [PlayerEffect] {
    stage = .looking
    switch answer {
    case .refused(let text): notice = text
    case .away(let text): trouble = text
    case .done:
      guard case .shown(var news) = content else { break }
      switch wish {
      case .block: (news.isBlocked, notice) = (true, "You do not meet \(news.name) any more.")
      case .unblock: (news.isBlocked, notice) = (false, "You may meet \(news.name) again.")
      case .report:
        (text, notice) = (TextEntry(limit: 200), "The operators have your report.")
      }
      content = .shown(news)
    }
    return []
  }
}

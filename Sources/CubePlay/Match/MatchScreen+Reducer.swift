public import CubeLexicon

extension MatchScreen {
  /// How a match on the screen goes.
  ///
  /// - Parameter words: The match's word list; nil where it is not here.
  public static func reducer(words: Lexicon?) -> Reducer<MatchScreen, MatchAction, MatchEffect> {
    let table = ShownMatch.reducer(words: words)
    return Reducer { screen, action in
      switch (action, screen.content) {
      case (.arrived(let news), .loading), (.arrived(let news), .failed):
        var shown = ShownMatch(news)
        if screen.isReplay { shown.lookedBack = shown.lines.count }
        screen.content = .shown(shown)
        return shown.isRated ? [.askRating] : []
      case (.failed(let text), .loading), (.failed(let text), .failed):
        screen.content = .failed(text)
        return []
      case (.giveUp(.answered(.left)), .shown(let shown)) where shown.givingUp == .sent:
        screen.content = .failed(ShownMatch.leftText)
        return []
      case (_, .shown(var shown)):
        let effects = table.reduce(&shown, action)
        screen.content = .shown(shown)
        return effects
      case (_, .loading), (_, .failed): return []
      }
    }
  }
}

extension ShownMatch {
  static func reducer(words: Lexicon?) -> Reducer<ShownMatch, MatchAction, MatchEffect> {
    let play = PlayTurn.reducer(words: words)
    return Reducer { table, action in
      let (before, wasShowing) = (table.turn, table.show != nil)
      let gaveUp = table.givingUp == .sent
      var effects = table.reduce(action, play)
      effects += table.showTurn(after: before, isTicking: wasShowing)
      if case .over = table.turn.stage {
        (table.givingUp, table.lettersPoint) = (.no, false)
        if case .playing(let turn, _) = before.stage {
          effects += table.awaitRating()
          // A player who gives up is not typing.
          if case .sent = turn {} else if !gaveUp { table.restSeconds = ShownMatch.restLimit }
        }
      }
      // The cursor leaves a cube that is out of sight.
      if let cube = table.cursor, !table.turn.markable.contains(cube) {
        table.cursor = CubeCursor.first(among: table.turn.markable)
      }
      return effects
    }
  }

  private mutating func reduce(
    _ action: MatchAction, _ play: Reducer<PlayTurn, PlayAction, PlayEffect>
  ) -> [MatchEffect] {
    switch action {
    case .arrived(let news): return take(news, play)
    // The match is there already: only one of many looks at it failed.
    case .failed: return []
    case .play(let action):
      if action.isByPlayer { goToNow() }
      let effects = reduce(play, action)
      guard action == .secondPassed else { return effects }
      restSeconds = max(0, restSeconds - 1)
      return effects + passSecondForRating()
    case .cursorMoved(let step):
      goToNow()
      let cubes = turn.markable
      cursor =
        cursor.map { CubeCursor.next(from: $0, step, among: cubes) }
        ?? CubeCursor.first(among: cubes)
      return []
    case .cursorMarked:
      guard let cursor else { return [] }
      goToNow()
      return reduce(play, .draft(.cubeMarked(cursor)))
    case .pointingAsked:
      goToNow()
      lettersPoint = !lettersPoint && turn.draft != nil
      if lettersPoint { cursor = cursor ?? CubeCursor.first(among: turn.markable) }
      return []
    case .cursorSought(let letter):
      guard lettersPoint else { return [] }
      goToNow()
      let next = CubeCursor.next(after: cursor, among: turn.markable(showing: letter))
      turn.notice = next == nil ? .noCube(letter) : nil
      cursor = next ?? cursor
      return []
    case .cleared: return clear(play)
    case .valuesAsked:
      showsValues = !showsValues
      return []
    case .lookedBack(let count):
      endShow()
      lookedBack = lookedBack.moved(count, upTo: lines.count)
      forgetFailedReaction()
      return []
    case .replayAsked: return toggleReplay()
    case .ticked: return tick()
    case .giveUp(let action): return reduce(action)
    case .share(let action): return reduce(action)
    case .react(let action): return reduce(action)
    case .ratingArrived(let rating): return take(rating)
    case .rematchAsked:
      if case .began(let match) = rematch { return [.open(match)] }
      guard let asking = rematch.asking else { return [] }
      rematch = asking
      return [.askRematch]
    case .rematchAnswered(let answer):
      let before = rematch
      rematch = rematch.answered(answer)
      return effects(ofRematchAfter: before)
    }
  }

  /// As long as a player may need to notice that the match is over, in seconds.
  static let restLimit = 3

  /// The match as it stands is to be seen.
  private mutating func goToNow() {
    lookedBack = 0
    endShow()
  }

  private mutating func forgetFailedReaction() {
    if case .no = reacting { reacting = .no(failure: nil) }
  }

  private mutating func clear(
    _ play: Reducer<PlayTurn, PlayAction, PlayEffect>
  ) -> [MatchEffect] {
    endShow()
    if lookedBack > 0 {
      lookedBack = 0
      return []
    }
    cursor = nil
    if lettersPoint {
      lettersPoint = false
      return []
    }
    return reduce(play, .draft(.clear))
  }

  private mutating func reduce(
    _ play: Reducer<PlayTurn, PlayAction, PlayEffect>, _ action: PlayAction
  ) -> [MatchEffect] {
    play.reduce(&turn, action).map { MatchEffect.play($0) }
  }

  private mutating func take(
    _ news: MatchNews, _ play: Reducer<PlayTurn, PlayAction, PlayEffect>
  ) -> [MatchEffect] {
    // An answer to a question from before a turn says nothing new if it arrives after the turn.
    if news.standing.turnNumber < turn.turnNumber { return [] }
    // A new turn is to be seen.
    if lines.count != news.lines.count {
      lookedBack = 0
      forgetFailedReaction()
      if isReplaying { endShow() }
    }
    (opponent, lines, ending, isRated) = (news.opponent, news.lines, news.ending, news.isRated)
    (isWaiting, meeting, dailyResult) = (news.isWaiting, news.meeting, news.dailyResult)
    let (turnBefore, rematchBefore) = (turn, rematch)
    let shown = reduce(play, .standing(news.standing))
    // The end of the match does not take the sentence away.
    if turnBefore.notice == .outdated || isDisplaced(turnBefore) { turn.notice = .outdated }
    rematch = rematch.updated(news.rematch)
    return shown + effects(ofRematchAfter: rematchBefore)
  }

  /// Whether another turn has the number of the one that was sent, or the match is over without it.
  /// Another device of the player may have played, or the time was up. In a game of one seat a sent
  /// turn may count as several, so nobody knows.
  private func isDisplaced(_ before: PlayTurn) -> Bool {
    guard case .playing(.sent(let sent), _) = before.stage, turn.players.seatCount > 1 else {
      return false
    }
    if let played = lines.first(where: { $0.number == before.turnNumber })?.replay {
      return played.turn.moves != sent.turn.moves
    }
    if case .over = turn.stage { return true }
    return false
  }

  /// A rematch that the player has wanted is shown as soon as it exists.
  private func effects(ofRematchAfter before: Rematch) -> [MatchEffect] {
    guard case .began(let match) = rematch else { return [] }
    switch before {
    case .asked, .waits: return [.open(match)]
    case .impossible, .possible, .offered, .began: return []
    }
  }
}

extension PlayAction {
  /// Whether it is an action of the player, not of the service or the clock.
  fileprivate var isByPlayer: Bool {
    switch self {
    case .draft, .submit: true
    case .answered, .theirTurn, .standing, .ended, .secondPassed, .serviceLost, .serviceFound: false
    }
  }
}

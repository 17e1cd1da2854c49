internal import CubeLexicon
internal import CubeRules

// Arrivals from the service.

extension PlayTurn {
  mutating func take(_ answer: Answer, _ words: Lexicon?) -> [PlayEffect] {
    // A late answer, after the match was loaded again, says nothing new.
    guard case .playing(.sent(let sent), let seconds) = stage else { return [] }
    switch answer {
    case .accepted(let secondsLeft):
      return play(sent.turn, by: .me, keeping: .empty, secondsLeft, words)
    case .illegal(let refusal): notice = .rule(refusal)
    case .outdated: notice = .outdated
    case .refused(let text): notice = .said(text)
    }
    stage = .playing(.mine(sent.draft), secondsLeft: seconds)
    return answer == .outdated ? [.reload] : []
  }

  mutating func take(_ arrived: ArrivedTurn, _ words: Lexicon?) -> [PlayEffect] {
    // A turn that was shown before arrives again now and then.
    guard case .playing(let turn, _) = stage, arrived.number >= turnNumber else { return [] }
    guard case .theirs(let draft) = turn, arrived.number == turnNumber else { return [.reload] }
    do throws(TurnRefusal) {
      // The service has judged the word.
      let turn = try LegalTurn(
        arrived.moves, on: game, seatCount: players.seatCount, words: .everyWord)
      return play(turn, by: .them, keeping: draft, arrived.secondsLeft, words)
    } catch {
      return [.reload]
    }
  }

  mutating func take(_ standing: Standing, _ words: Lexicon?) -> [PlayEffect] {
    // Asked for before a turn, shown after it: the state here is newer.
    guard standing.turnNumber >= turnNumber else { return [] }
    let before = self
    self = PlayTurn(standing)
    let isNewTurn = turnNumber > before.turnNumber
    let effects = isNewTurn ? lastTurn.map { [PlayEffect.show($0)] } ?? [] : []
    guard case .playing(let turn, let seconds) = stage else { return effects }
    notice = before.notice
    guard case .playing(.sent(let sent), _) = before.stage else {
      setDraft(before.draft?.adapted(to: game, words: words) ?? .empty)
      return effects
    }
    if !isNewTurn, case .mine = turn {
      // The answer is still to come.
      stage = .playing(.sent(sent), secondsLeft: seconds)
    }
    return effects
  }

  /// Carries a turn out, and hands on to the next.
  private mutating func play(
    _ turn: LegalTurn, by player: Player, keeping draft: Draft, _ secondsLeft: Int?,
    _ words: Lexicon?
  ) -> [PlayEffect] {
    let played = PlayedTurn(by: player, turn)
    do throws(TurnRefusal) {
      _ = try game.applyTurn(
        turn.moves, seatCount: players.seatCount, words: Lexicon.everyWord)
    } catch {
      return [.reload]
    }
    players.add(turn.score, to: player)
    turnNumber &+= 1
    lastTurn = played
    notice = nil
    if game.isOver {
      stage = .over(.cleared)
    } else {
      let draft = draft.adapted(to: game, words: words)
      let isMine = player == .them || players.seatCount == 1
      stage = .playing(isMine ? .mine(draft) : .theirs(draft), secondsLeft: secondsLeft)
    }
    return [.show(played)]
  }
}

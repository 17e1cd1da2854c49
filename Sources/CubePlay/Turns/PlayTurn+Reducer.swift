public import CubeLexicon
internal import CubeRules

extension PlayTurn {
  /// How a match is played.
  ///
  /// - Parameter words: The match's word list; nil where it is not here, then the service alone
  ///   judges words.
  public static func reducer(words: Lexicon?) -> Reducer<PlayTurn, PlayAction, PlayEffect> {
    let choosing = Drafting.reducer(words: words).scope(
      get: { (match: PlayTurn) in match.drafting },
      set: { match, drafting in
        match.setDraft(drafting.draft)
        match.notice = drafting.notice
      },
      action: { (action: PlayAction) in if case .draft(let draft) = action { draft } else { nil } },
      effect: { (never: Never) -> PlayEffect in })
    return choosing.followed(by: Reducer { match, action in match.reduce(action, words: words) })
  }

  private mutating func reduce(_ action: PlayAction, words: Lexicon?) -> [PlayEffect] {
    switch action {
    case .draft:
      // Choosing has taken every action that could change the choice.
      if case .playing(.sent, _) = stage { notice = .waiting }
      return []
    case .submit: return submit(words)
    case .answered(let answer): return take(answer, words)
    case .theirTurn(let turn): return take(turn, words)
    case .standing(let standing): return take(standing, words)
    case .ended(let ending):
      (stage, notice) = (.over(ending), nil)
      return []
    case .secondPassed: return passSecond()
    case .serviceLost:
      setDelivery(.waits)
      return []
    case .serviceFound: return sendAgain()
    }
  }

  private mutating func submit(_ words: Lexicon?) -> [PlayEffect] {
    switch stage {
    case .over: return []
    case .playing(.sent, _):
      notice = .waiting
      return []
    case .playing(.theirs, _):
      notice = .notYourTurn
      return []
    case .playing(.mine(let draft), let seconds):
      // The typed letters are another word than the chosen one.
      if case .noPath = notice { return [] }
      do throws(TurnRefusal) {
        let turn = try LegalTurn(
          draft.moves, on: game, seatCount: players.seatCount, words: words)
        let sent = SentTurn(draft: draft, turn: turn, delivery: .onItsWay)
        (stage, notice) = (.playing(.sent(sent), secondsLeft: seconds), nil)
        return [.send(turn.moves, number: turnNumber)]
      } catch {
        notice = .rule(error.reason)
        return []
      }
    }
  }

  private mutating func passSecond() -> [PlayEffect] {
    guard case .playing(let turn, let seconds?) = stage, seconds > .min else { return [] }
    stage = .playing(turn, secondsLeft: seconds - 1)
    // Only the service knows whether time is up.
    return seconds == 1 ? [.reload] : []
  }

  private mutating func setDelivery(_ delivery: SentTurn.Delivery) {
    guard case .playing(.sent(var sent), let seconds) = stage else { return }
    sent.delivery = delivery
    stage = .playing(.sent(sent), secondsLeft: seconds)
  }

  private mutating func sendAgain() -> [PlayEffect] {
    guard case .playing(.sent(let sent), _) = stage, sent.delivery == .waits else { return [] }
    setDelivery(.onItsWay)
    return [.send(sent.turn.moves, number: turnNumber)]
  }
}

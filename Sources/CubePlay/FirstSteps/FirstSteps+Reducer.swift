internal import CubeRules

extension FirstSteps {
  /// How the first steps go, by the same actions as a match.
  public static var reducer: Reducer<FirstSteps, MatchAction, FirstStepsEffect> {
    Reducer { steps, action in
      steps.advice = nil
      let before = steps.step
      if action == .play(.submit), before.isRead {
        guard let next = before.next else { return [.keep(.done), .leave] }
        steps.enter(next)
      } else {
        steps.advice = steps.take(action)
        while steps.hasReachedGoal, let next = steps.step.next { steps.enter(next) }
      }
      return steps.step == before ? [] : [.keep(.at(steps.step))]
    }
  }

  private mutating func enter(_ next: FirstStep) {
    step = next
    if next.beginsEmpty { _ = Self.play.reduce(&shown, .play(.draft(.clear))) }
  }

  /// Carries out an action that belongs to the step; else says something helpful.
  private mutating func take(_ action: MatchAction) -> Advice? {
    switch action {
    case .play(.submit): return submit()
    case .play(.draft(.cubeMarked)), .cursorMarked:
      guard step.isAboutRemoval else { return .removalIsLater }
      return choose(action, otherwise: .otherCube)
    case .play(.draft(.letterTyped)), .play(.draft(.faceTapped)), .play(.draft(.faceDragged)):
      if step.isAboutRemoval { return .wantsRemoval }
      guard let word = step.word else { return .noLetters }
      if word == Practice.wordOfTwoWays, action.isPointing { return .typeInstead }
      return spell(word, action)
    case .play(.draft), .cursorMoved, .cleared, .lookedBack, .valuesAsked, .play(.secondPassed):
      _ = Self.play.reduce(&shown, action)
      return nil
    // There is no service here.
    case .play, .arrived, .failed, .rematchAsked, .rematchAnswered, .giveUp, .share, .react,
      .ratingArrived:
      return nil
    // Letters spell here, and no moment passes by itself.
    case .pointingAsked, .cursorSought, .replayAsked, .ticked: return nil
    }
  }

  /// Goes on with the word of the step, or changes nothing.
  private mutating func spell(_ word: String, _ action: MatchAction) -> Advice? {
    let before = shown
    let typed = shown.turn.draft?.word?.word ?? ""
    _ = Self.play.reduce(&shown, action)
    let now = shown.turn.draft?.word?.word ?? ""
    if shown.turn.notice == nil, word.hasPrefix(now) { return nil }
    shown = before
    if typed == word { return .wordIsWhole(word) }
    return .otherLetter(wanted: String(word.dropFirst(typed.count).prefix(1)))
  }

  /// Marks a cube, or changes nothing.
  private mutating func choose(_ action: MatchAction, otherwise advice: Advice) -> Advice? {
    let before = shown
    _ = Self.play.reduce(&shown, action)
    guard shown.turn.notice != nil else { return nil }
    shown = before
    return advice
  }

  private mutating func submit() -> Advice? {
    let draft = shown.turn.draft
    switch step.goal {
    case .turn(_, let word):
      guard draft?.word?.word == word else { return .unfinished(word) }
    case .removal:
      guard draft?.marks.count == 2 else { return .needsTwo }
    case .marks, .cursor: return .needsTwo
    case .read, .letters, .fewer, .nothing, .otherWay, .lookingBack: return .notYet
    }
    for effect in Self.play.reduce(&shown, .play(.submit)) {
      guard case .play(.send(let moves, _)) = effect else { continue }
      Practice.play(moves, in: &match)
      _ = Self.play.reduce(&shown, .play(.answered(.accepted(secondsLeft: nil))))
      Practice.answer(&match)
      _ = Self.play.reduce(&shown, .arrived(match.practiceNews))
    }
    shown.show = nil
    return nil
  }

  var hasReachedGoal: Bool {
    let draft = shown.turn.draft
    let typed = draft?.word?.word ?? ""
    switch step.goal {
    case .read: return false
    case .letters(let word): return typed == word
    case .fewer(let word): return typed.count < word.count
    case .nothing: return draft == .empty
    case .otherWay: return (draft?.word?.shownIndex ?? 0) > 0
    case .turn(let count, _), .removal(let count): return ownTurnCount >= count
    case .lookingBack(let isWanted): return (shown.lookedBack > 0) == isWanted
    // A finger needs no cursor to mark a cube.
    case .cursor: return shown.cursor != nil || draft?.marks.isEmpty == false
    case .marks(let count): return (draft?.marks.count ?? 0) >= count
    }
  }

  var ownTurnCount: Int {
    shown.lines.reduce(0) { $0 + ($1.player == .me ? 1 : 0) }
  }
}

extension MatchAction {
  /// Whether a face is pointed at, rather than its letter typed.
  fileprivate var isPointing: Bool {
    switch self {
    case .play(.draft(.faceTapped)), .play(.draft(.faceDragged)): true
    default: false
    }
  }
}

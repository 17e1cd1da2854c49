extension NewMatchScreen {
  /// How choosing a match goes.
  public static func reducer(
    checks: FieldChecks
  ) -> Reducer<NewMatchScreen, NewMatchAction, NewMatchEffect> {
    Reducer { screen, action in screen.reduce(action, checks) }
  }

  private mutating func reduce(
    _ action: NewMatchAction, _ checks: FieldChecks
  ) -> [NewMatchEffect] {
    switch (action, stage) {
    case (.appeared, _): trouble = nil
    case (.answered(let answer), .asked(let wanted)),
      (.pendingAnswered(let answer), .pending(let wanted)):
      return take(answer, wanted)
    // The screen was left and opened again in the meantime.
    case (.pendingAnswered(let answer), .choosing): tell(answer)
    case (.doubtAnswered(true), .doubted(let wanted)):
      stage = .asked(wanted)
      return [.start(wanted, isSure: true)]
    case (.doubtAnswered(false), .doubted): stage = .choosing
    case (.moved(let count), .choosing): move(count)
    case (.typed(let character), .choosing): type(character, checks)
    case (.erased, .choosing): erase(checks)
    case (.chosen, .choosing): return choose()
    // Nothing is chosen while an answer is awaited.
    default: break
    }
    return []
  }

  private mutating func move(_ count: Int) {
    (notice, trouble) = (nil, nil)
    let items = Item.allCases
    guard let place = items.firstIndex(of: focus) else { return }
    focus = items[place.moved(count, upTo: items.count - 1)]
  }

  private mutating func type(_ character: Character, _ checks: FieldChecks) {
    (notice, trouble) = (nil, nil)
    switch focus {
    case .named: name.type(character, checks.playerName)
    case .join: code.type(character, checks.code)
    case .turnLimit: turnLimit.type(character, checks.turnLimit)
    case .casual where character == " ": isCasual.toggle()
    default: break
    }
  }

  private mutating func erase(_ checks: FieldChecks) {
    (notice, trouble) = (nil, nil)
    switch focus {
    case .named: name.erase(checks.playerName)
    case .join: code.erase(checks.code)
    case .turnLimit: turnLimit.erase(checks.turnLimit)
    default: break
    }
  }

  private mutating func choose() -> [NewMatchEffect] {
    (notice, trouble) = (nil, nil)
    guard let wanted else {
      if focus == .casual { isCasual.toggle() } else { move(1) }
      return []
    }
    if let fault = fault(of: wanted) {
      notice = fault
      return []
    }
    stage = .asked(wanted)
    return [.start(wanted, isSure: false)]
  }

  /// Why a match cannot be asked for, in words.
  private func fault(of wanted: NewMatch) -> String? {
    switch wanted {
    case .daily, .alone: return nil
    case .join:
      if code.isBlank { return "Type the code of the match first." }
      return code.fault == nil ? nil : "That is no code."
    case .named where name.isBlank: return "Type the name of the player first."
    case .named where name.fault != nil: return "That is no player's name."
    case .anyone, .named, .open:
      return turnLimit.isBlank || turnLimit.fault != nil
        ? "The time for a turn is not right." : nil
    }
  }

  /// The typed text stays after any answer.
  private mutating func take(_ answer: StartAnswer, _ wanted: NewMatch) -> [NewMatchEffect] {
    stage = .choosing
    switch answer {
    case .began(let match): return [.open(match)]
    case .invitedBefore: stage = .doubted(wanted)
    case .wrongName(let text): (focus, name.fault) = (.named, text)
    case .refused(let text): notice = text
    case .away(let text): trouble = text
    case .pending: stage = .pending(wanted)
    }
    return []
  }

  private mutating func tell(_ answer: StartAnswer) {
    switch answer {
    case .began: notice = "Your earlier start went through. The list shows it."
    case .refused(let text): notice = text
    case .invitedBefore, .wrongName, .away, .pending: break
    }
  }
}

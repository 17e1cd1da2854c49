extension SettingsScreen {
  /// How changing the settings goes.
  public static func reducer(
    checks: FieldChecks
  ) -> Reducer<SettingsScreen, SettingsAction, SettingsEffect> {
    Reducer { screen, action in
      switch (action, screen.content) {
      case (.appeared, _): return [.load]
      case (.arrived(let values), .loading), (.arrived(let values), .failed):
        screen.content = .shown(SettingsForm(values))
        return []
      case (.failed(let text), .loading), (.failed(let text), .failed):
        screen.content = .failed(text)
        return []
      case (.leaveAsked(let leaving), .loading), (.leaveAsked(let leaving), .failed):
        return [.leave(leaving)]
      case (_, .shown(var form)):
        let effects = form.reduce(action, checks)
        screen.content = .shown(form)
        return effects
      case (_, .loading), (_, .failed): return []
      }
    }
  }
}

extension SettingsForm {
  mutating func reduce(_ action: SettingsAction, _ checks: FieldChecks) -> [SettingsEffect] {
    switch (action, stage) {
    case (.arrived(let values), _): rebase(values)
    case (.answered(let answer), .saving(let leaving)): return take(answer, then: leaving)
    case (.doubtAnswered(let decision), .doubted(let leaving)):
      return decide(decision, leaving, checks)
    // A player who asks to leave twice means it. Sent changes are kept until they are answered.
    case (.leaveAsked(let leaving), .doubted), (.leaveAsked(let leaving), .saving(_?)):
      return [.leave(leaving)]
    case (.leaveAsked(let leaving), .editing):
      guard isChanged else { return [.leave(leaving)] }
      (stage, notice) = (.doubted(leaving), nil)
    case (.leaveAsked(let leaving), .saving(nil)): stage = .saving(then: leaving)
    case (.moved(let count), .editing): move(count)
    case (.typed(let character), .editing): type(character, checks)
    case (.erased, .editing): erase(checks)
    case (.chosen, .editing): return choose(checks)
    case (.saveAsked, .editing): return save(then: nil, checks)
    // The form stays, and nothing is changed while an answer is awaited.
    default: break
    }
    return []
  }

  /// Applies the player's changes to the settings as they are by now.
  private mutating func rebase(_ values: SettingsValues) {
    trouble = nil
    var edited = values
    for edit in saved.edits(to: self.edited) { edited.apply(edit) }
    saved = values
    if displayName.text != edited.displayName { displayName = TextEntry(edited.displayName) }
    (notifications, devices, blocked) = (edited.notifications, edited.devices, edited.blocked)
    for text in WishText.allCases where self[text].text != edited.wishes[text] {
      texts[text.rawValue] = TextEntry(edited.wishes[text])
    }
    choices = edited.wishes
    if !rows.contains(focus) { focus = rowInstead }
  }

  /// The row to select where the selected row is gone: the row that has taken its place, or the
  /// last of its kind, or the one that adds one of its kind.
  private var rowInstead: Row {
    switch focus {
    case .device: devices.isEmpty ? .newDevice : .device(devices.count - 1)
    case .blocked: blocked.isEmpty ? .newBlocked : .blocked(blocked.count - 1)
    case .notification, .displayName, .wish, .choice, .newDevice, .newBlocked, .save: .displayName
    }
  }

  private mutating func move(_ count: Int) {
    notice = nil
    guard let place = rows.firstIndex(of: focus) else { return }
    focus = rows[place.moved(count, upTo: rows.count - 1)]
  }

  private mutating func type(_ character: Character, _ checks: FieldChecks) {
    notice = nil
    switch focus {
    case .displayName: displayName.type(character, checks.displayName)
    case .newDevice: newDevice.type(character, checks.deviceName)
    case .newBlocked: newBlocked.type(character, checks.playerName)
    case .wish(let wish):
      texts[wish.rawValue].type(character, checks.check(wish))
      judgeQuietHours()
    case .notification, .choice, .device: if character == " " { toggle() }
    case .blocked, .save: break
    }
  }

  private mutating func erase(_ checks: FieldChecks) {
    notice = nil
    switch focus {
    case .displayName: displayName.erase(checks.displayName)
    case .newDevice: newDevice.erase(checks.deviceName)
    case .newBlocked: newBlocked.erase(checks.playerName)
    case .wish(let wish):
      texts[wish.rawValue].erase(checks.check(wish))
      judgeQuietHours()
    case .device(let index) where devices.indices.contains(index): devices.remove(at: index)
    case .blocked(let index) where blocked.indices.contains(index): blocked.remove(at: index)
    case .device, .blocked, .notification, .choice, .save: break
    }
    if !rows.contains(focus) { focus = rowInstead }
  }

  /// Quiet hours have a beginning and another end. A fault of one of the two alone comes first.
  private mutating func judgeQuietHours() {
    let (from, until) = (self[.quietFrom], self[.quietUntil])
    let end = WishText.quietUntil.rawValue
    if texts[end].fault == Self.halfQuiet || texts[end].fault == Self.emptyQuiet {
      texts[end].fault = nil
    }
    guard from.fault == nil, texts[end].fault == nil else { return }
    if from.isBlank != until.isBlank {
      texts[end].fault = Self.halfQuiet
    } else if !from.isBlank, from.text == until.text {
      texts[end].fault = Self.emptyQuiet
    }
  }

  private static let halfQuiet = "both times, or neither"
  private static let emptyQuiet = "another time than their beginning"

  private mutating func toggle() {
    switch focus {
    case .choice(let wish): choices[wish] = wish.option(after: choices[wish])
    case .notification(let index) where notifications.indices.contains(index):
      notifications[index].isOn.toggle()
    case .device(let index) where devices.indices.contains(index):
      // A device can only be sent with its token, and the token is not known here.
      guard !devices[index].hasToken else {
        notice = "What it may show is said on the device itself."
        return
      }
      devices[index].permission = devices[index].permission == .denied ? .authorized : .denied
    default: break
    }
  }

  private mutating func choose(_ checks: FieldChecks) -> [SettingsEffect] {
    notice = nil
    switch focus {
    case .displayName, .wish, .blocked: move(1)
    case .notification, .choice, .device: toggle()
    case .newDevice: addDevice(checks)
    case .newBlocked: addBlocked()
    case .save: return save(then: nil, checks)
    }
    return []
  }
}

// MARK: - Adding

extension SettingsForm {
  /// Adds the device that was typed, and is ready for the next one.
  private mutating func addDevice(_ checks: FieldChecks) {
    guard !newDevice.isBlank, newDevice.fault == nil else { return }
    if devices.contains(where: { $0.name == newDevice.text }) {
      newDevice.fault = "is there already"
    } else if devices.count >= checks.deviceLimit {
      notice = "There can be \(checks.deviceLimit) devices. Remove one first."
    } else {
      devices.append(
        DeviceSetting(name: newDevice.text, permission: .authorized, hasToken: false))
      newDevice = TextEntry()
    }
  }

  /// Adds the typed player, and is ready for the next one.
  private mutating func addBlocked() {
    guard !newBlocked.isBlank, newBlocked.fault == nil else { return }
    if edited.blocks(newBlocked.text) {
      newBlocked.fault = "is there already"
    } else {
      blocked.append(newBlocked.text)
      newBlocked = TextEntry()
    }
  }
}

// MARK: - Saving

extension SettingsForm {
  /// Saves the differences, with the texts typed and not added yet; goes to a fault first.
  private mutating func save(
    then leaving: Leaving?, _ checks: FieldChecks
  ) -> [SettingsEffect] {
    (stage, notice, trouble) = (.editing, nil, nil)
    addDevice(checks)
    addBlocked()
    if displayName.fault != nil {
      return wrong(.displayName)
    } else if let wish = WishText.allCases.first(where: { self[$0].fault != nil }) {
      return wrong(.wish(wish))
    } else if !newDevice.isBlank {
      return wrong(.newDevice)
    } else if !newBlocked.isBlank {
      return wrong(.newBlocked)
    }
    let edits = saved.edits(to: edited)
    guard !edits.isEmpty else {
      if let leaving { return [.leave(leaving)] }
      notice = "Nothing is changed."
      return []
    }
    stage = .saving(then: leaving)
    return [.save(edits)]
  }

  private mutating func wrong(_ row: Row) -> [SettingsEffect] {
    focus = row
    notice = notice ?? "\(SettingsForm.title(of: row)) is not right yet. Nothing was saved."
    return []
  }

  /// The kind of text that is typed in a row.
  private static func title(of row: Row) -> String {
    switch row {
    case .newDevice: "The name of another device"
    case .newBlocked: "The name of another player"
    case .wish(.timeZone): "The time zone"
    case .wish(.digest): "The time of the daily notification"
    case .wish: "The time of the quiet hours"
    case .displayName, .notification, .choice, .device, .blocked, .save:
      "The name in notifications"
    }
  }

  private mutating func decide(
    _ decision: SettingsDecision, _ leaving: Leaving, _ checks: FieldChecks
  ) -> [SettingsEffect] {
    switch decision {
    case .stay:
      stage = .editing
      return []
    case .throwAway: return [.leave(leaving)]
    case .save: return save(then: leaving, checks)
    }
  }

  private mutating func take(_ answer: SaveAnswer, then leaving: Leaving?) -> [SettingsEffect] {
    stage = .editing
    switch answer {
    case .saved:
      (saved, notice) = (edited, "Saved.")
      // The service may spell a name differently.
      return [leaving.map { .leave($0) } ?? .load]
    case .wrongName(let name, let text):
      blocked.removeAll { $0 == name }
      newBlocked = TextEntry(name)
      (newBlocked.fault, focus) = (text, .newBlocked)
      return wrong(.newBlocked)
    case .failed(let text):
      notice = text
      // Some of it may be saved.
      return [.load]
    case .away(let text):
      trouble = text
      return []
    }
  }
}

/// Notifications that were sent to the player, and that the player has not taken away.
public struct InboxScreen: Hashable, Sendable {
  /// The notifications as far as they have loaded, the newest first.
  public internal(set) var content = Loaded<[InboxRow]>.loading
  /// The place of the row that is selected.
  public internal(set) var selectedIndex = 0
  /// The notifications that are being taken away; nil: none.
  public internal(set) var leaving: Leaving?
  /// Why the last action failed, in words.
  public internal(set) var notice: String?

  /// Notifications to be taken away.
  public enum Leaving: Hashable, Sendable {
    /// One, by the service's name for it.
    case one(String)
    case all
  }

  /// Nothing is known yet.
  public init() {}

  /// The notifications as they arrived.
  public var rows: [InboxRow] { content.value ?? [] }

  /// The notification that is selected.
  public var selected: InboxRow? {
    rows.indices.contains(selectedIndex) ? rows[selectedIndex] : nil
  }
}

/// A notification that was sent.
public struct InboxRow: Hashable, Sendable {
  /// The service's name for it.
  public var id: String
  /// One line.
  public var title: String
  /// One sentence.
  public var text: String
  /// When it was sent, in words.
  public var time: String
  /// The match that it is about.
  public var match: MatchKey?
  /// The name of the other player in that match; nil: there is none.
  public var player: String?
  /// Whether it is about the player's keys, words or recovery.
  public var isOfKeys: Bool

  public init(
    id: String, title: String, text: String, time: String, match: MatchKey?,
    player: String? = nil, isOfKeys: Bool = false
  ) {
    (self.id, self.title, self.text, self.time) = (id, title, text, time)
    (self.match, self.player, self.isOfKeys) = (match, player, isOfKeys)
  }
}

/// An action on the notifications.
public enum InboxAction: Hashable, Sendable {
  /// The list came into sight, or was asked for again.
  case appeared
  case arrived([InboxRow])
  /// The list cannot be shown, for a reason in words.
  case failed(String)
  /// Another row was selected: so many further down.
  case moved(Int)
  /// The match of the selected row is to be shown.
  case chosen
  /// The selected row is to be taken away.
  case removed
  /// All rows are to be taken away.
  case cleared
  /// The notifications that were to be taken away are gone.
  case left
  /// They are not gone, for a reason in words.
  case refused(String)
}

/// An effect of an action on the notifications.
public enum InboxEffect: Hashable, Sendable {
  /// Ask for the list.
  case load
  /// Take notifications away.
  case see(InboxScreen.Leaving)
  /// Show a match.
  case open(MatchKey)
}

extension InboxScreen {
  /// How the notifications go.
  public static var reducer: Reducer<InboxScreen, InboxAction, InboxEffect> {
    Reducer { screen, action in screen.reduce(action) }
  }

  private mutating func reduce(_ action: InboxAction) -> [InboxEffect] {
    switch action {
    case .appeared: return [.load]
    case .arrived(let rows):
      content = .shown(rows)
      selectedIndex = max(0, min(selectedIndex, rows.count - 1))
    case .failed(let text):
      // A list that is there already stays.
      if case .shown = content { notice = text } else { content = .failed(text) }
    case .moved(let count):
      notice = nil
      selectedIndex = selectedIndex.moved(count, upTo: rows.count - 1)
    case .chosen: return selected?.match.map { [.open($0)] } ?? []
    case .removed: return selected.map { leave(.one($0.id)) } ?? []
    case .cleared: return rows.isEmpty ? [] : leave(.all)
    case .left:
      (leaving, notice) = (nil, nil)
      return [.load]
    case .refused(let text): (leaving, notice) = (nil, text)
    }
    return []
  }

  /// One wish at a time.
  private mutating func leave(_ wanted: Leaving) -> [InboxEffect] {
    guard leaving == nil else { return [] }
    (leaving, notice) = (wanted, nil)
    return [.see(wanted)]
  }
}

/// The rules that a service knows: the current ones for new matches, and all that running matches
/// may pin.
public struct Rulebook: Sendable {
  /// For new matches.
  public let current: Rules
  private let others: [Rules]

  /// `current` is for new matches; `others` are rules that older matches pin.
  public init(current: Rules, others: [Rules] = []) {
    self.current = current
    self.others = others
  }

  /// The rules of this build.
  public static let standard = Rulebook(current: .cube1)

  /// The rules that a match pins; nil where this build does not have them.
  public func named(_ name: String) -> Rules? {
    name == current.name ? current : others.first { $0.name == name }
  }

  /// The rules that a match pins, or a stand-in of that name that cannot judge.
  public func pinned(_ name: String) -> Rules { named(name) ?? Rules(unknown: name) }
}

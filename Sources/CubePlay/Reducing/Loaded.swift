/// The content of a screen, as far as it has loaded.
public enum Loaded<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Nothing yet.
  case loading
  /// It cannot be shown, for a reason in words.
  case failed(String)
  case shown(Value)

  /// The content; nil: it is not there.
  public var value: Value? {
    guard case .shown(let value) = self else { return nil }
    return value
  }

  /// It cannot be shown, for a reason in words. Content that is there already stays.
  mutating func fail(_ text: String) {
    if value == nil { self = .failed(text) }
  }
}

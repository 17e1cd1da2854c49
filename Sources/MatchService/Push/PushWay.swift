package import MatchInterfaces

/// A way of notifications that the settings chose, with what it needs. The way's own file has its
/// name, its settings and its provider. `PushWays.all` lists it.
package protocol PushWay: Hashable, Sendable {
  /// Its name in `CUBIST_PUSH`.
  static var name: String { get }
  /// Whether it serves devices of every kind, and players without one. One such way may be chosen.
  static var isForAll: Bool { get }

  /// Reads what it needs, and reports what is wrong.
  static func read(_ reader: inout SettingsReader) -> Self
  /// Where its notifications go, without a secret.
  var place: String { get }
  /// The path of the file with its private key; nil: it needs none.
  var keyFile: String? { get }
  func provider(_ randomness: Randomness) throws(PushWayFailure) -> PushProvider
}

extension PushWay {
  package static var isForAll: Bool { false }
  package var place: String { Self.name }
  package var keyFile: String? { nil }
}

/// A way whose provider cannot be made.
package struct PushWayFailure: Error, Hashable, Sendable {
  /// The file to blame.
  package var path: String
  /// The text for a person.
  package var reason: String
}

/// The ways that the settings chose, in their order.
package struct PushWays: Hashable, Sendable {
  /// Every way that there is.
  static let all: [any PushWay.Type] = [
    LogSettings.self, Webhook.self, WebPushSettings.self, APNsSettings.self,
  ]

  package private(set) var chosen: [any PushWay]

  package init(_ chosen: [any PushWay] = []) { self.chosen = chosen }

  /// The chosen way of this type. Nil: it is not chosen.
  package subscript<Way: PushWay>(_ type: Way.Type) -> Way? {
    get { chosen.lazy.compactMap { $0 as? Way }.first }
    set {
      guard let newValue else { return chosen.removeAll { $0 is Way } }
      if let index = chosen.firstIndex(where: { $0 is Way }) {
        chosen[index] = newValue
      } else {
        chosen.append(newValue)
      }
    }
  }

  /// The names as `CUBIST_PUSH` has them.
  package var names: String { chosen.map { type(of: $0).name }.joined(separator: ",") }

  /// A list with commas, each way once, and one at most that is for all. Nil for anything else.
  static func types(_ text: String) -> [any PushWay.Type]? {
    var types: [any PushWay.Type] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.filter { $0 != " " }
      guard let type = all.first(where: { $0.name == name }),
        !types.contains(where: { $0.name == name })
      else { return nil }
      types.append(type)
    }
    return types.count(where: { $0.isForAll }) > 1 ? nil : types
  }

  package static func == (one: PushWays, other: PushWays) -> Bool {
    one.chosen.map { AnyHashable($0) } == other.chosen.map { AnyHashable($0) }
  }

  package func hash(into hasher: inout Hasher) {
    for way in chosen { way.hash(into: &hasher) }
  }
}

extension SettingsReader {
  mutating func pushWays() -> PushWays {
    let names = PushWays.all.map { $0.name }.joined(separator: ", ")
    let forAll = PushWays.all.filter { $0.isForAll }.map { $0.name }.joined(separator: " and ")
    let types = value(
      .push, "a list of \(names), each once, and one of \(forAll) at most",
      standard: [LogSettings.self], parse: PushWays.types)
    var chosen: [any PushWay] = []
    for type in types { chosen.append(type.read(&self)) }
    return PushWays(chosen)
  }
}

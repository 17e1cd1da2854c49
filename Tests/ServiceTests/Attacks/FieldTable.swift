import Foundation
import MatchCore
import MatchWire

@testable import MatchWire

/// The players and things that the messages of a hostile player can name.
struct FieldScene {
  /// The attacker, and somebody else.
  var eve = PlayerID(rawValue: 1)
  var ann = PlayerID(rawValue: 2)
  var service = ServiceID(rawValue: 3)
  /// A match of Eve against Ann that is played, one that is over, and one of others.
  var mine = MatchID(rawValue: 4)
  var over = MatchID(rawValue: 5)
  var theirs = MatchID(rawValue: 6)
  /// The hash that the next turn of Eve's match builds on.
  var head = Hash.zero
  /// An event of Ann, and one of Eve.
  var annsEvent = EventID(rawValue: 7)
  var evesEvent = EventID(rawValue: 8)
  var now = Instant(microseconds: 1_777_600_000_000_000)
  /// A recovery that Eve's own key asks for, with the proof of the new key.
  var recovered = Event.PlayerRecovered(
    FieldScene.newKey.publicKey, proof: Array(repeating: 0, count: 64))
  // swift-format-ignore: NeverForceUnwrap
  static let newKey = Signer.ed25519(seed: Array(repeating: 9, count: 32))!

  /// Ids that lead nowhere: the lowest, the highest, one of the first moment that ids can tell, one
  /// of the last, one of now, and ids of other kinds of things.
  var nowhere: [String] {
    [
      "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "00000000-0000-7000-8000-000000000001", "ffffffff-ffff-7fff-bfff-ffffffffffff",
      "\(EventID(at: now, random: 5))", "\(service)", "\(annsEvent)", "\(mine)", "\(theirs)",
      "\(eve)", "\(ann)",
    ]
  }

  /// The id of an event made so many seconds from now.
  func id(_ seconds: Int64) -> String {
    "\(EventID(at: now.adding(seconds: seconds), random: UInt128(seconds.magnitude)))"
  }
}

/// The type of a field's value. Each type adds the values that are malformed in any such field.
enum FieldKind: Hashable {
  case text, id, integer, flag, list, object
}

/// A field of a message, the values that a hostile sender puts there, and the answers that are
/// right.
struct FieldRow {
  /// The type of message and the keys down to the field, with dots. A field that every message has
  /// is named by its key alone.
  let path: String
  let kind: FieldKind
  /// The answer where the field is left out or null.
  let leftOut: String
  /// Values by the answer that they get: the name of a refusal or of an acceptance; `ok` for an
  /// answer to a query. Several names with `/` between them: either is right. Texts stand without
  /// their quotation marks, everything else as it travels.
  let values: [String: [String]]

  init(
    _ path: String, _ kind: FieldKind, leftOut: String = "malformed",
    _ values: [String: [String]]
  ) {
    self.path = path
    self.kind = kind
    self.leftOut = leftOut
    self.values = values
  }

  /// A field with an id; an id that leads nowhere gets `unknown`.
  static func id(
    _ path: String, unknown: String, leftOut: String = "malformed", nowhere: [String],
    _ values: [String: [String]] = [:]
  ) -> FieldRow {
    let nowhere = nowhere.filter { id in !values.values.contains { $0.contains(id) } }
    return FieldRow(
      path, .id, leftOut: leftOut, values.merging([unknown: nowhere]) { $0 + $1 })
  }

  /// The type of message; nil for a field that every message has.
  var type: String? { keys.count > 1 ? keys[0] : nil }

  /// The keys from the payload down to the field.
  var fieldKeys: [String] { type == nil ? keys : Array(keys.dropFirst()) }

  private var keys: [String] { path.split(separator: ".").map(String.init) }
}

/// A message with one field that is not as its program would write it.
struct FieldAttack {
  let what: String
  let payload: [UInt8]
  /// The answers that are right.
  let answers: Set<String>
}

extension FieldRow {
  /// Every value of the row, and every value that is malformed in any field of its kind. `example`
  /// gives the payload of a message that is otherwise right, each time with an id of its own.
  func attacks(on example: () throws -> [UInt8]) throws -> [FieldAttack] {
    func attack(
      _ what: String, _ answer: String, _ change: (_ key: String, _ json: String) -> [String]
    ) throws -> FieldAttack {
      let object = try JSONReader.object(of: example())
      let text = object.text(replacing: fieldKeys[...], with: change)
      return FieldAttack(
        what: "\(path) \(what.prefix(80))", payload: Array(text.utf8),
        answers: Set(answer.split(separator: "/").map(String.init)))
    }
    var attacks = [
      try attack("left out", leftOut) { _, _ in [] },
      try attack("null", leftOut) { key, _ in ["\"\(key)\":null"] },
      try attack("twice", "malformed") { key, json in
        ["\"\(key)\":\(json)", "\"\(key)\":\(json)"]
      },
      try attack("twice, once escaped", "malformed") { key, json in
        let first = String(key.unicodeScalars.first?.value ?? 0, radix: 16)
        return ["\"\(key)\":\(json)", "\"\\u00\(first)\(key.dropFirst())\":\(json)"]
      },
    ]
    var given: Set<String> = []
    for (answer, values) in values.sorted(by: { $0.key < $1.key }) {
      for value in values {
        let json = isText ? "\"\(value)\"" : value
        given.insert(json)
        attacks.append(try attack("= \(json)", answer) { key, _ in ["\"\(key)\":\(json)"] })
      }
    }
    for json in malformed where !given.contains(json) {
      attacks.append(try attack("= \(json)", "malformed") { key, _ in ["\"\(key)\":\(json)"] })
    }
    return attacks
  }

  private var isText: Bool { kind == .text || kind == .id }

  /// The values that are malformed in any field of the kind.
  private var malformed: [String] {
    var texts: [String] = []
    if isText {
      texts += FieldRow.badTexts
      if kind == .id { texts += FieldRow.badIDs }
    }
    let others = FieldRow.typed.filter { isText ? $0.kind != .text : $0.kind != kind }
    return texts.map { "\"\($0)\"" } + others.map(\.json)
  }

  /// JSON of every type; nil: of a type that no field has.
  private static let typed: [(kind: FieldKind?, json: String)] =
    [
      (.flag, "true"), (.flag, "false"), (.integer, "1"), (.text, #""1""#), (.list, "[]"),
      (.list, "[\((0..<200).map { _ in "null" }.joined(separator: ","))]"), (.object, "{}"),
    ]
    + [
      "1.0", "-0", "0.5", "1e0", "1e400", "-1e400", "9007199254740993", "-9007199254740993",
      "9223372036854775807", "-9223372036854775808", "9223372036854775808",
      "340282366920938463463374607431768211456", "01", "+1", "0x1", "NaN", "Infinity", "nul", "",
      "[[[[[[[[[1]]]]]]]]]", #"{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}}"#,
    ].map { (nil, $0) }

  private static let badTexts = [
    "", #"\u0000"#, "\0", "a\nb", #"a\nb"#, #"\u001b[31mred"#, #"a\u202eb"#, #"\u2066a"#,
    #"\u200b"#, #"a\u200db"#, #"\ufeff"#, #"a\u0085b"#, #"\u2028"#, #"\ud800"#, #"\udc00"#,
    #"\udc00\ud800"#, #"\x41"#, String(repeating: "a", count: 700),
    String(repeating: "a", count: 2_000),
  ]

  private static let badIDs = [
    "1", "00000000-0000-0000-0000-00000000000", "00000000-0000-0000-0000-0000000000000",
    "000000000000000000000000000000000000", "{00000000-0000-0000-0000-000000000000}",
    "0000000A-0000-0000-0000-000000000000", #"00000000-0000-0000-0000-00000000000\u0660"#,
    " 00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000 ",
    #"00000000-0000-0000-0000-00000000000\u200b"#,
  ]
}

// MARK: Existing fields

extension JSONObject {
  /// The keys of every field, those of objects within included.
  func paths(under prefix: String) -> [String] {
    members.flatMap { member -> [String] in
      let path = prefix.isEmpty ? member.key : "\(prefix).\(member.key)"
      guard case .object(let inner) = member.value else { return [path] }
      return [path] + inner.paths(under: path)
    }
  }

  /// The object as it travels, with other members in the place of one member.
  fileprivate func text(
    replacing keys: ArraySlice<String>, with change: (_ key: String, _ json: String) -> [String]
  ) -> String {
    let texts = members.flatMap { member -> [String] in
      let json = String(decoding: member.value.serialized, as: UTF8.self)
      guard member.key == keys.first else { return ["\"\(member.key)\":\(json)"] }
      if keys.count == 1 { return change(member.key, json) }
      guard case .object(let inner) = member.value else { return [] }
      return ["\"\(member.key)\":\(inner.text(replacing: keys.dropFirst(), with: change))"]
    }
    return "{\(texts.joined(separator: ","))}"
  }
}

/// The parts of a message that are unset in all examples of its type: nil, false or empty. So a new
/// field is not missed.
func unsetParts(of examples: [Any]) -> Set<String> {
  var (set, unset): (Set<String>, Set<String>) = ([], [])
  func look(at value: Any, _ path: String) {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      guard let some = mirror.children.first?.value else {
        unset.insert(path)
        return
      }
      set.insert(path)
      return look(at: some, path)
    }
    if let flag = value as? Bool {
      if flag { set.insert(path) } else { unset.insert(path) }
      return
    }
    if mirror.displayStyle == .collection || mirror.displayStyle == .dictionary {
      if mirror.children.isEmpty { unset.insert(path) } else { set.insert(path) }
      return
    }
    for (index, child) in mirror.children.enumerated() {
      look(at: child.value, "\(path).\(child.label ?? "\(index)")")
    }
  }
  for example in examples { look(at: example, "") }
  return unset.subtracting(set)
}

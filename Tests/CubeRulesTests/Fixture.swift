import CubeRules
import MatchCore

// deploy/wasm compiles this file too.

/// Reads what the fixtures have in common. Embedded Swift has no `Codable`.
enum Fixture {
  static func objects<Value>(
    of bytes: [UInt8], _ read: (JSONObject) throws(WireFault) -> Value
  ) throws(WireFault) -> [Value] {
    guard case .array(let values) = try JSONReader.value(of: bytes, limits: .file) else {
      throw .malformed("an array is due")
    }
    var found: [Value] = []
    for value in values {
      guard case .object(let object) = value else { throw .malformed("an object is due") }
      found.append(try read(object))
    }
    return found
  }

  /// The first wrong value of a file, which has one at least; nil: there is none.
  static func firstWrong<Value>(
    of noun: String, in bytes: [UInt8], _ read: ([UInt8]) throws(WireFault) -> [Value],
    _ wrong: (_ number: Int, Value) -> String?
  ) -> String? {
    do throws(WireFault) {
      let values = try read(bytes)
      if values.isEmpty { return "there is no \(noun)" }
      for (number, value) in values.enumerated() {
        if let wrong = wrong(number, value) { return wrong }
      }
      return nil
    } catch {
      return text(error)
    }
  }

  static func puzzle(_ letters: String) throws(WireFault) -> Puzzle {
    guard let puzzle = Puzzle(letters) else { throw .malformed("\(letters) is no puzzle") }
    return puzzle
  }

  static func move(_ notation: String) throws(WireFault) -> Move {
    do throws(NotationError) { return try Move(notation: notation) } catch {
      throw .malformed(error.description)
    }
  }

  static func text(_ fault: WireFault) -> String {
    switch fault {
    case .malformed(let text): text
    case .unsupportedVersion(let version): "version \(version)"
    }
  }
}

/// A word list of a few words.
struct SomeWords: WordList {
  var spellings: Set<Spelling> = []

  /// The words of a fixture.
  init(_ object: JSONObject) throws(WireFault) {
    for word in try object.strings("words", count: 1000, limit: Spelling.countLimit) {
      guard let spelling = Spelling(word) else { throw .malformed("\(word) is no word") }
      spellings.insert(spelling)
    }
  }

  init(spellings: Set<Spelling>) { self.spellings = spellings }

  func contains(_ spelling: Spelling) -> Bool { spellings.contains(spelling) }
}

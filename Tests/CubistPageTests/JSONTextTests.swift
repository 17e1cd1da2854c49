import Foundation
import Testing

@testable import CubistPage

@Suite("JSON without Foundation")
struct JSONTextTests {
  @Test("Any text comes out as it went in")
  func texts() throws {
    let texts = ["", "a", "\"\\/", "ä€😀", "\u{0}\u{1f}\n\t", "\u{7f}\u{2028}"]
    var json = JSONText()
    json.object { json in
      json.array("texts")
      for text in texts { json.value(text) }
      json.endArray()
      json.field("number", -12)
      json.field("yes", true)
      json.name("inner")
      json.object { $0.field("no", false) }
      json.array("empty")
      json.endArray()
      json.field("last", "x")
    }
    let object = try JSONSerialization.jsonObject(with: Data(json.bytes))
    let found = try #require(object as? [String: Any])
    #expect(found["texts"] as? [String] == texts)
    #expect(found["number"] as? Int == -12)
    #expect(found["yes"] as? Bool == true)
    #expect((found["inner"] as? [String: Bool]) == ["no": false])
    #expect((found["empty"] as? [Int]) == [])
    #expect(found["last"] as? String == "x")
  }
}

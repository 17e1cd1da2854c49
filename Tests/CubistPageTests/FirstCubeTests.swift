import CubePlay
import CubistPage
import Foundation
import Testing

@Suite("The cube that is drawn before the game has arrived")
struct FirstCubeTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Web/first.js").standardized

  private static func object(_ text: some StringProtocol) throws -> NSDictionary {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  @Test("It is the state that the game begins with")
  func first() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let start = try #require(text.firstRange(of: "export const first = ")?.upperBound)
    let end = try #require(text.lastIndex(of: ";"))
    let page = RobotPage(seed: 5, firstSteps: .unseen)
    let dealt = try Self.object(String(decoding: page.json(), as: UTF8.self))
    #expect(try Self.object(text[start..<end]) == dealt)
  }
}

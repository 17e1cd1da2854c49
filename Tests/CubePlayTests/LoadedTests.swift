import Testing

@testable import CubePlay

@Suite("The content of a screen, as far as it has loaded")
struct LoadedTests {
  @Test("A failure takes the place of nothing and of another failure, and of no content")
  func failing() {
    var content = Loaded<[Int]>.loading
    #expect(content.value == nil)
    for text in ["away", "gone"] {
      content.fail(text)
      #expect(content == .failed(text) && content.value == nil)
    }
    content = .shown([])
    content.fail("away")
    #expect(content == .shown([]) && content.value == [])
  }
}

import Testing

@Suite("The same games everywhere")
struct WalkTests {
  @Test("A few games come out as they do in WebAssembly")
  func golden() {
    #expect(Walk.hash() == Walk.golden)
  }
}

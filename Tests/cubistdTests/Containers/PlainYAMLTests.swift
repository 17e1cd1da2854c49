import CustomDump
import Testing

@Suite("The part of YAML that the containers' files keep to")
struct PlainYAMLTests {
  @Test("Mappings, lists, quotes, anchors and merges are read as YAML means them")
  func reading() throws {
    let text = #"""
      # A comment
      x-a: &a
        one: 1
        two: {three: [c, "d e", 'f ''g'' \n'], h: i}
      # Own keys count before merged ones, the first merge before the second.
      b:
        <<: [*a, {one: 3, four: 4}]
        two: own
      list:
        - name: j
          value: -c
        - k:l
        - {m: "n \"o\""}
      ---
      p: ${Q:?r s}
      """#
    let documents = try PlainYAML.documents(in: text)
    #expect(documents.count == 2)
    let first = try #require(documents.first)
    expectNoDifference(first["x-a"]?["two"]?["three"]?.texts, ["c", "d e", #"f 'g' \n"#])
    expectNoDifference(
      first["b"], .map(["one": .text("1"), "two": .text("own"), "four": .text("4")]))
    expectNoDifference(
      first["list"]?.list,
      [
        .map(["name": .text("j"), "value": .text("-c")]), .text("k:l"),
        .map(["m": .text(#"n "o""#)]),
      ])
    expectNoDifference(documents.last, .map(["p": .text("${Q:?r s}")]))
  }

  @Test(
    "What could be read in two ways is refused, with its line",
    arguments: [
      ("a: 1\na: 2", 2), ("a: b: c", 1), ("a:\n  b: 1\n c: 2", 3), ("a: yes", 1), ("a: |\n  b", 1),
      ("a: b # c", 1), ("a: *b", 1), ("a: [b", 1), ("a: {b: c", 1), ("a: \"b", 1), ("a:\nb: c", 1),
      ("a:\tb", 1), ("\"a\": b", 1), ("a: {b: 1, b: 2}", 1),
    ])
  func refusing(text: String, line: Int) throws {
    let failure = #expect(throws: PlainYAML.Failure.self) {
      try PlainYAML.documents(in: text)
    }
    #expect(failure?.line == line, "\(String(describing: failure))")
  }
}

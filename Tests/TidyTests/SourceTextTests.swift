import Testing

@Suite("Reading Swift source")
struct SourceTextTests {
  @Test(
    "Comments and strings are no code, interpolations are",
    arguments: [
      ("a // b", "a "),
      ("a /* b /* c */ d */ e", "a  e"),
      (#"f("try! \" x") + g"#, #"f("") + g"#),
      (#"f("\(try! g(")")) x") + h"#, #"f("(try! g(""))") + h"#),
      ("f(#\"a \"b\" \\(c)\"#) + d", #"f("") + d"#),
    ])
  func blanking(source: String, code: String) {
    #expect(SourceText(source).code == [code])
  }

  @Test("Line numbers survive long strings and comments")
  func lineNumbers() {
    let source = SourceText("a = \"\"\"\n  try! x\n  \"\"\"\n/*\n*/ b")
    #expect(source.code == ["a = \"", "", "\"", "", " b"])
    #expect(source.lines.count == source.code.count)
  }
}

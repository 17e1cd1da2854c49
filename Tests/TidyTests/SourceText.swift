/// A Swift file as written, and with its comments and strings blanked out.
struct SourceText {
  /// The lines as written.
  let lines: [Substring]
  /// The same lines with nothing but code.
  let code: [String]

  /// Every Swift file of Sources and Tests by path, read once.
  static let all = Result {
    try Dictionary(
      uniqueKeysWithValues: ["Sources", "Tests"].flatMap {
        Tree.files(in: $0, endingIn: [".swift"])
      }.map { ($0, SourceText(try Tree.text($0))) })
  }

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var blanker = Blanker(rest: Array(text.utf8)[...])
    blanker.blank()
    code = blanker.code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Takes comments and strings out of Swift's bytes and keeps the line breaks.
private struct Blanker {
  var rest: ArraySlice<UInt8>
  var code: [UInt8] = []

  mutating func blank() {
    while let byte = rest.first {
      if begins("//") {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if begins("/*") {
        skipComment()
      } else if beginsString(byte) {
        skipString()
      } else {
        code.append(byte)
        rest.removeFirst()
      }
    }
  }

  private func begins(_ text: StaticString) -> Bool {
    rest.starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private func beginsString(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"")
      || (byte == UInt8(ascii: "#")
        && rest.first { $0 != UInt8(ascii: "#") } == UInt8(ascii: "\""))
  }

  private mutating func skipOne() {
    if rest.removeFirst() == UInt8(ascii: "\n") { code.append(UInt8(ascii: "\n")) }
  }

  /// Swift's comments nest.
  private mutating func skipComment() {
    var depth = 0
    repeat {
      if begins("/*") {
        depth += 1
        rest = rest.dropFirst(2)
      } else if begins("*/") {
        depth -= 1
        rest = rest.dropFirst(2)
      } else {
        skipOne()
      }
    } while depth > 0 && !rest.isEmpty
  }

  /// Leaves two quotes, and the interpolations, which are code.
  private mutating func skipString() {
    let hashes = rest.prefix { $0 == UInt8(ascii: "#") }
    rest = rest.dropFirst(hashes.count)
    let quotes = rest.prefix(begins("\"\"\"") ? 3 : 1)
    rest = rest.dropFirst(quotes.count)
    let escape = [UInt8(ascii: "\\")] + hashes
    code.append(UInt8(ascii: "\""))
    while !rest.isEmpty && !rest.starts(with: quotes + hashes) {
      if !rest.starts(with: escape) {
        skipOne()
        continue
      }
      rest = rest.dropFirst(escape.count)
      if begins("(") {
        copyParentheses()
      } else if !rest.isEmpty {
        skipOne()
      }
    }
    code.append(UInt8(ascii: "\""))
    rest = rest.dropFirst(quotes.count + hashes.count)
  }

  private mutating func copyParentheses() {
    var depth = 0
    repeat {
      guard let byte = rest.first else { return }
      if beginsString(byte) {
        skipString()
        continue
      }
      depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
      code.append(byte)
      rest.removeFirst()
    } while depth > 0
  }
}

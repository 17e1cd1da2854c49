import Foundation
import Testing

@testable import MatchWire

@Suite("Findings of fuzzing")
struct CorpusTests {
  /// One folder a target: inputs that together reach all the code that fuzzing has reached, and
  /// inputs that once broke something.
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Corpus")

  private static func inputs(_ target: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: corpus.appending(path: target), includingPropertiesForKeys: nil)
  }

  @Test("Every kept input does no harm, and every property holds", arguments: FuzzTarget.all)
  func replayed(target: FuzzTarget) throws {
    let inputs = try Self.inputs(target.name)
    #expect(!inputs.isEmpty)
    for input in inputs {
      let bytes = try [UInt8](Data(contentsOf: input))
      #expect(throws: Never.self, "\(target.name)/\(input.lastPathComponent)") {
        try target.run(bytes)
      }
    }
  }

  @Test("Every folder of inputs has its target")
  func folders() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    #expect(folders.filter { $0 != "dictionary" }.sorted() == FuzzTarget.all.map(\.name).sorted())
  }

  @Test("The answer to every type of query is read from some input")
  func answers() throws {
    let inputs = try Self.inputs("answer").map { try [UInt8](Data(contentsOf: $0)) }
    for type in Query.Kind.types {
      let count = Self.answerCount(to: type, in: inputs)
      #expect(count > 0, "\(type.name)")
    }
  }

  private static func answerCount<Payload: CodedQueryPayload>(
    to _: Payload.Type, in inputs: [[UInt8]]
  ) -> Int {
    inputs.count { bytes in
      let decoded = try? AnswerCodec.decode(bytes, as: Payload.Answer.self)
      if case .ok? = decoded?.answer { return true }
      return false
    }
  }

  @Test("A property that does not hold is told")
  func brokenProperty() throws {
    #expect(throws: BrokenProperty.self) { try hold(1 > 2, "1 is more than 2") }
    #expect(throws: BrokenProperty.self) {
      try attempt { throw BrokenProperty(description: "passed on") }
    }
    #expect(try attempt { throw CocoaError(.coderInvalidValue) } == nil)
  }
}

extension FuzzTarget: CustomTestStringConvertible {
  var testDescription: String { name }
}

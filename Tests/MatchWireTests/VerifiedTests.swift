import CubeLexicon
import Foundation
import MatchCore
import Testing

@testable import MatchCore
@testable import MatchRecord
@testable import MatchWire

@Suite("A record without libraries")
struct VerifiedTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  private func fixture(_ name: String = "record-1") throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appending(path: "\(name).json")))
  }

  @Test("A record shows the same in a browser's engine as here")
  func hash() throws {
    let hash = Verified.hash(of: try Verified.files.map(fixture))
    #expect(hash == Verified.golden)
  }

  @Test("Every example of a record is among those of the browser")
  func everyExample() throws {
    let found = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(found.sorted() == Verified.files.map { "\($0).json" }.sorted())
  }

  @Test("A record gives out its signatures, and shows the part before the first wrong one")
  func signatures() throws {
    let check = RecordVerifier(lexicons: .init(.everyWord)).check(try RecordDocument(fixture()))
    let whole = check.report(firstInvalid: nil)
    #expect(whole.isVerified)
    #expect(check.signatures.allSatisfy { Ed25519.verify($0.signed, $0.tag) })
    #expect(
      check.signatures.map(\.tag) == [.workingKey]
        + whole.document.entries.map { entry in
          (try? PayloadCodec.decodeEvent(entry.signed.payload)) == nil ? .service : .event
        })
    // The first is the certificate's.
    for entry in whole.document.entries.indices {
      let report = check.report(firstInvalid: entry + 1)
      #expect(report.game.fault?.entry == entry)
      #expect(report.game.fault?.reason == "its signature is not its key's")
      #expect(report.standings == Array(whole.standings.prefix(entry)))
      #expect(report.game.moves == Array(whole.game.moves.prefix(report.game.moves.count)))
      #expect(report.game.total == report.standings.last?.points.reduce(0, +) ?? 0)
    }
    let uncertified = check.report(firstInvalid: 0)
    #expect(uncertified.game.fault?.entry == nil && uncertified.standings.isEmpty)
    #expect(uncertified.game.moves.isEmpty && uncertified.game.total == 0)
  }

  @Test("A signature that no key can have made is not given out to be checked")
  func unacceptable() throws {
    var document = try RecordDocument(fixture())
    document.certificates[0].signature = [1] + Array(repeating: 0, count: 63)
    let check = RecordVerifier(lexicons: .init(.everyWord)).check(document)
    #expect(check.signatures.isEmpty)
    #expect(check.report { _ in true }.game.fault?.reason.contains("did not sign") == true)
  }

  @Test("Bytes survive base 64, and a text has no second form", arguments: 0..<70)
  func base64(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ count) }
    let text = Data(bytes).base64EncodedString()
    #expect(Base64.encode(bytes) == text)
    #expect(Base64.decode(text) == bytes)
    for index in text.indices {
      for other in ["A", "B", "/", "=", "-", "\n", "é"] {
        let changed = text.replacingCharacters(in: index...index, with: other)
        let found = Base64.decode(changed)
        #expect(found == nil || Base64.encode(found ?? []) == changed)
      }
    }
  }

  @Test(
    "Other forms of the same bytes are refused",
    arguments: [
      "AB==", "AAB=", "AA", "AAA", "AA=A", "=AAA", "====", "A===", "AAAA====", "AA==AAAA",
    ])
  func otherForms(text: String) { #expect(Base64.decode(text) == nil) }
}

import CubeLexicon
import CubistPage
import MatchCore
import MatchRecord
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("Records checked in the page")
struct RecordReviewTests {
  private static let verified =
    "VERIFIED: rules, scores, turn order, deadlines, hash chain, signatures and outcome hold."

  @Test("A record that holds is verified, in the words of the terminal's program")
  func good() throws {
    let document = try Records.document()
    let verdict = try Records.verdict(on: Records.bytes)
    #expect(verdict.isVerified && verdict.fault == nil)
    #expect(verdict.sentence == Self.verified)
    #expect(
      verdict.facts == [
        "Match \(document.match) of service \(document.service)",
        "Rules cube-1, word list every-word, 22 entries, 29 moves",
        "Seat 0: \(try #require(document.seats[0].player)), 24 points",
        "Seat 1: \(try #require(document.seats[1].player)), 30 points",
        "It ended: no cube is left",
        "The root key is the one that this browser knows.",
      ])
  }

  @Test("The root key of the service that this browser knows is told, and another one is refused")
  func rootKey() throws {
    let document = try Records.document()
    let own = Account.Pin(service: document.service, rootKey: document.rootKey)
    let known = try Records.verdict(on: Records.bytes, known: own)
    #expect(known.isVerified)
    #expect(known.facts.last == "The root key is the one that this browser knows.")
    let false_ = Account.Pin(service: document.service, rootKey: try Self.key(Spoken.rootKey))
    let forged = try Records.verdict(on: Records.bytes, known: false_)
    #expect(forged.sentence == "NOT VERIFIED." && !forged.isVerified)
    #expect(
      forged.fault
        == "The record does not hold: the root key is \(document.rootKey), not \(Spoken.rootKey).")
    #expect(forged.facts.last?.hasSuffix("this browser cannot say whose it is.") == true)
    let elsewhere = Account.Pin(
      service: ServiceID(rawValue: 1), rootKey: try Self.key(Spoken.rootKey))
    let foreign = try Records.verdict(on: Records.bytes, known: elsewhere)
    #expect(!foreign.isVerified && foreign.fault == nil)
    #expect(foreign.sentence.hasPrefix("Everything in it holds. But it is not of the service"))
  }

  private static func key(_ text: String) throws -> PublicKey { try #require(PublicKey(text)) }

  /// A change of a record, and the beginning of the sentence that names it.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: String
    let change: @Sendable (inout RecordDocument) throws -> Void
  }

  private static let forgeries = [
    Forgery(
      testDescription: "a changed word", fault: "Entry 4 does not hold: its signature is not"
    ) { document in
      // The same face twice is no word; a turn of other faces may be one.
      var payload = String(decoding: document.entries[4].signed.payload, as: UTF8.self)
      let moves = try #require(payload.firstMatch(of: /"moves":\["(\d{3}[TLR])/))
      payload.replaceSubrange(moves.1.startIndex..<moves.1.endIndex, with: "000T")
      #expect(payload != String(decoding: document.entries[4].signed.payload, as: UTF8.self))
      document.entries[4].signed.payload = Array(payload.utf8)
    },
    Forgery(
      testDescription: "a changed score",
      fault: "The record does not hold: the points are [24, 30]."
    ) { $0.points[0] += 1 },
    Forgery(
      testDescription: "a wrong outcome", fault: "The record does not hold: the outcome is another."
    ) { $0.outcome.results = [.won, .lost] },
    Forgery(
      testDescription: "an entry cut out",
      fault: "Entry 7 does not hold: it stands where entry 6 is"
    ) { $0.entries.remove(at: 6) },
    Forgery(
      testDescription: "the end cut off",
      fault: "Entry 21 does not hold: it is missing, and with it the service's word"
    ) { $0.entries.removeLast() },
    Forgery(
      testDescription: "a bad signature", fault: "Entry 9 does not hold: its signature is not"
    ) { $0.entries[9].signed.signature[40] ^= 1 },
    Forgery(
      testDescription: "a bad signature of the service at the end",
      fault: "Entry 21 does not hold: its signature is not"
    ) { $0.entries[21].signed.signature[40] ^= 1 },
    Forgery(
      testDescription: "a key of small order",
      fault: "The record does not hold: the root key did not sign the working key"
    ) { document in
      document.rootKey = try #require(PublicKey(bytes: [1] + Array(repeating: 0, count: 31)))
      document.certificates[0].signature = [1] + Array(repeating: 0, count: 63)
    },
    Forgery(
      testDescription: "another certificate",
      fault: "The record does not hold: the root key did not sign the working key"
    ) { $0.certificates[0].signature[40] ^= 1 },
  ]

  @Test("A changed record is not verified, and the entry that fails is named", arguments: forgeries)
  func forged(forgery: Forgery) throws {
    let verdict = try Records.verdict(on: try Records.changed(forgery.change), known: nil)
    #expect(!verdict.isVerified && verdict.sentence == "NOT VERIFIED.")
    #expect(verdict.fault?.hasPrefix(forgery.fault) == true, "\(verdict.fault ?? "none")")
  }

  @Test("A time that is changed without a new chain is found by its hash")
  func hash() throws {
    var document = try Records.document()
    document.entries[4].acceptedAt = document.entries[4].acceptedAt.adding(microseconds: 1)
    let verdict = try Records.verdict(on: document.encode())
    #expect(verdict.fault?.hasPrefix("Entry 4 does not hold: its hash is ") == true)
  }

  @Test("Where a browser checks no signature that is said, and all the rest is checked")
  func unchecked() throws {
    let review = try RecordReview(Records.bytes, words: .everyWord, known: nil)
    let verdict = review.verdict(nil)
    #expect(!verdict.isVerified && verdict.fault == nil)
    #expect(verdict.sentence.contains("The signatures are not checked"))
    let bytes = try Records.changed { $0.points[0] += 1 }
    let forged = try RecordReview(bytes, words: .everyWord, known: nil).verdict(nil)
    #expect(forged.sentence == "NOT VERIFIED." && forged.fault != nil)
  }

  @Test("Each signature counts, and one that was not told of is none")
  func every() throws {
    let review = try RecordReview(Records.bytes, words: .everyWord, known: nil)
    let valid = Records.valid(review.signatures)
    // One certificate, then one of each entry.
    #expect(valid == Array(repeating: true, count: 23))
    for index in valid.indices {
      var changed = valid
      changed[index] = false
      let fault = review.verdict(changed).fault
      #expect(
        fault?.hasPrefix(
          index == 0 ? "The record does not hold: the root" : "Entry \(index - 1) does not") == true
      )
      #expect(review.verdict(Array(valid[..<index])).fault == fault)
    }
    #expect(!review.isComplete)
  }

  @Test("The word list of the page is the one that counts")
  func words() throws {
    let review = try RecordReview(Records.bytes, words: .english, known: nil)
    #expect(
      review.verdict(Records.valid(review.signatures)).fault
        == "The record does not hold: this build does not have the word list \"every-word\".")
  }

  @Test("Files that are no record are refused by name")
  func refused() throws {
    func refusal(_ bytes: [UInt8]) -> String? {
      do throws(RecordFileError) {
        _ = try RecordReview(bytes, words: .everyWord, known: nil)
        return nil
      } catch {
        return RecordText.refusal(error, of: "x.json")
      }
    }
    #expect(refusal([]) == "x.json is not a Cubist record: not JSON.")
    #expect(refusal([0xff, 0, 7]) == "x.json is not a Cubist record: not JSON.")
    #expect(refusal(Array("[]".utf8)) == "x.json is not a Cubist record: an object is due.")
    #expect(
      refusal(Array(Records.bytes.dropLast(3)))
        == "x.json is not a Cubist record: not JSON from byte \(Records.bytes.count - 3) on.")
    let deep = Array(String(repeating: "[", count: 100_000).utf8)
    #expect(refusal(deep) == "x.json is not a Cubist record: not JSON from byte 16 on.")
    let version = String(decoding: Records.bytes, as: UTF8.self)
      .replacing(#""formatVersion":1"#, with: #""formatVersion":5"#)
    #expect(
      refusal(Array(version.utf8))
        == "x.json: The record is of format version 5, which this program does not know. Update it."
    )
    let limit = RecordReview.byteLimit
    #expect(
      refusal(Array(repeating: 0x20, count: limit + 1))
        == "x.json: The file has \(limit + 1) bytes, more than the \(limit) that are read.")
  }
}

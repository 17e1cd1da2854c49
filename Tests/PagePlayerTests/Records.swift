import CubeLexicon
import CubistPage
import Foundation
import MatchCore
import MatchRecord
import MatchWire

@testable import PagePlayer

/// Records for the tests of their checks.
enum Records {
  /// A whole match, by words of every kind.
  static let bytes: [UInt8] = {
    let path = #filePath.replacing(
      "PagePlayerTests/Records.swift", with: "MatchWireTests/Fixtures/record-1.json")
    return (try? Data(contentsOf: URL(filePath: path))).map { Array($0) } ?? []
  }()

  static func document() throws -> RecordDocument { try RecordDocument(bytes) }

  /// The service of the record and its root key.
  static func known() throws -> Account.Pin {
    let document = try document()
    return Account.Pin(service: document.service, rootKey: document.rootKey)
  }

  /// A record in which the signature of entry 9 is changed.
  static func tampered() throws -> [UInt8] {
    try changed { $0.entries[9].signed.signature[40] ^= 1 }
  }

  /// The record after a change, with hashes made anew, as a forger can without any key.
  static func changed(_ change: (inout RecordDocument) throws -> Void) throws -> [UInt8] {
    var document = try document()
    try change(&document)
    document.head = .zero
    for index in document.entries.indices {
      let entry = document.entries[index]
      document.entries[index] = Entry(
        after: document.head, position: entry.position, acceptedAt: entry.acceptedAt,
        signed: entry.signed)
      document.head = document.entries[index].hash
    }
    return document.encode()
  }

  /// The verdict on a record, with signatures that are checked as a browser does.
  static func verdict(
    on bytes: [UInt8], known: Account.Pin? = try? Records.known()
  ) throws -> RecordVerdict {
    let review = try RecordReview(bytes, words: .everyWord, known: known)
    return review.verdict(valid(review.signatures))
  }

  /// Whether each of some signatures is valid, from the bytes that the browser gets.
  static func valid(_ signatures: [UInt8]) -> [Bool] {
    var (rest, valid) = (signatures[...], [Bool]())
    func take(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    while !rest.isEmpty {
      let (key, signature) = (take(32), take(64))
      let count = take(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let parts = take(count).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = PublicKey(bytes: key), parts.count == 2,
        let tag = SignatureTag(rawValue: String(decoding: parts[0], as: UTF8.self))
      else {
        valid.append(false)
        continue
      }
      let signed = SignedPayload(key: key, signature: signature, payload: Array(parts[1]))
      valid.append(Ed25519.verify(signed, tag))
    }
    return valid
  }
}

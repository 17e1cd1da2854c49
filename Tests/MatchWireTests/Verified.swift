import CubeLexicon
import CubistBasics
import MatchCore
import MatchRecord

// deploy/wasm compiles this file too: a record shows the same in a browser's engine, where SHA-256
// is the project's own.

/// The report on a record, and the reports after each change in it, as one number.
enum Verified {
  /// Examples of the format's versions, in the folder Fixtures.
  static let files = ["record-1", "record-2", "record-2-invited", "record-2-recovered"]

  /// The number that every build has to reach for these files.
  static let golden: UInt64 = 987_960_776_117_978_680

  /// Verifies records, and hashes the reports and all signatures that they ask to have checked.
  static func hash(of records: [[UInt8]]) -> UInt64 {
    var hash = FNV1a()
    for record in records {
      add(record, to: &hash)
      // Numbers of a document read as others; letters of base 64 stand for other bytes.
      for start in stride(from: 0, to: record.count, by: record.count / 6) {
        var changed = record
        guard let digit = changed[start...].firstIndex(of: UInt8(ascii: "1")) else { break }
        changed[digit] = UInt8(ascii: "2")
        add(changed, to: &hash)
      }
    }
    return hash.value
  }

  private static func add(_ record: [UInt8], to hash: inout FNV1a) {
    do throws(RecordFileError) {
      let check = RecordVerifier(lexicons: Lexicons(.everyWord))
        .check(try RecordDocument(record))
      for signature in check.signatures {
        add(signature.signed.key.bytes + signature.message + signature.signed.signature, &hash)
      }
      add(GameReport.encode([check.report(firstInvalid: nil).game], masks: true), &hash)
      add(GameReport.encode([check.report { _ in false }.game], masks: true), &hash)
    } catch {
      add(Array(error.description.utf8), &hash)
    }
  }

  private static func add(_ bytes: [UInt8], _ hash: inout FNV1a) {
    for byte in bytes { hash.add(byte) }
  }
}

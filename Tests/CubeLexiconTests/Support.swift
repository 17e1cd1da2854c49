import CubeLexicon
import Foundation
import Testing

/// The repository's files that the tests compare with each other.
enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let readmePath = root.appending(path: "Sources/CEmbedded/README.md").path
  static let wordListPath = root.appending(path: "deploy/lexicon/english.txt").path
  static let graphPath = root.appending(path: "Sources/CEmbedded/english.lexicon").path

  /// The committed word list, as it stands: lower case and sorted.
  static let words: [String] = {
    let text = try? String(contentsOfFile: wordListPath, encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }
}

/// A packed graph written from the description of the format, apart from the code under test.
struct PackedFile {
  var magic = Array("CubeLex\0".utf8)
  var format: UInt32 = 2
  var name = Array("test-1".utf8)
  var wordCount: UInt32
  var units: [UInt32]
  var statedUnitCount: UInt32?

  var bytes: [UInt8] {
    let padding = [UInt8](repeating: 0, count: 40 - name.count)
    var body = Self.bytes(of: wordCount) + Self.bytes(of: statedUnitCount ?? UInt32(units.count))
    body += name + padding + units.flatMap(Self.bytes)
    return magic + Self.bytes(of: format) + Self.bytes(of: Self.checksum(body)) + body
  }

  /// The CRC-32 bit by bit.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = .max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 {
        crc = crc & 1 == 1 ? (crc >> 1) ^ 0xedb8_8320 : crc >> 1
      }
    }
    return ~crc
  }

  private static func bytes(of number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

/// The units of graphs written by hand.
enum Unit {
  /// An arc within a word.
  static func arc(_ letter: Unicode.Scalar, to place: UInt32) -> UInt32 {
    place << 6 | (letter.value - 64)
  }

  /// An arc that ends a word and may lead on.
  static func end(_ letter: Unicode.Scalar, to place: UInt32 = 0) -> UInt32 {
    arc(letter, to: place) | 32
  }
}

/// Calls a test with the path of a new file that is gone afterwards.
func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "lexicon-\(UUID().uuidString)")
  try Data(bytes).write(to: url)
  defer { try? FileManager.default.removeItem(at: url) }
  try body(url.path)
}

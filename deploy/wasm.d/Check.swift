// The module that shows that everything comes out the same in a browser's engine. deploy/wasm and
// Tests/Browser/test_page.py call it.

import CFixtures
import CWords
import CubistBasics

/// A check, with the first thing that comes out otherwise; nil: nothing does.
private struct Check {
  var name: String
  var firstWrong: () -> String?

  init(_ name: String, _ firstWrong: @escaping () -> String?) {
    (self.name, self.firstWrong) = (name, firstWrong)
  }

  /// A check by one number of everything.
  init(_ name: String, _ number: @escaping () -> UInt64, golden: UInt64) {
    self.init(name) {
      let found = number()
      return found == golden ? nil : "comes to \(found), not \(golden)"
    }
  }
}

private func checks() -> [Check] {
  [
    Check("words") { cubist_words_are_whole() ? nil : "the graph is another one" },
    Check("list", WordVectors.english, golden: WordVectors.englishGolden),
    Check("lexicon", WordVectors.firstWrong),
    Check("hashes", HashVectors.firstWrong),
    Check("recovery", RecoveryVectors.firstWrong),
    Check("digests") { PublishedDigests.firstWrong { HashVectors.portable([$0]) } },
    Check("games") { RecordedGame.firstWrong(in: bytes(of: cubist_games)) },
    Check("turns") { RecordedTurn.firstWrong(in: bytes(of: cubist_turns)) },
    Check("plays", Plays.firstWrong),
    Check("walk", Walk.hash, golden: Walk.golden),
    Check(
      "verified",
      {
        let (first, second, third, fourth) = cubist_records
        return Verified.hash(of: [first, second, third, fourth].map { bytes(of: $0) })
      },
      golden: Verified.golden),
    Check("spoken", Spoken.hash, golden: Spoken.golden),
  ]
}

private func bytes(of file: fixture) -> [UInt8] {
  Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
}

// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var text: [UInt8] = []

/// Makes all checks. Gives the number of bytes of the report: a line for each, `ok NAME` or
/// `wrong NAME: REASON`.
@_cdecl("check")
public func check() -> Int {
  cubist_unpack_words()
  text = []
  for check in checks() {
    let line = check.firstWrong().map { "wrong \(check.name): \($0)" } ?? "ok \(check.name)"
    text += Array("\(line)\n".utf8)
  }
  return text.count
}

/// Where the report stands.
@_cdecl("report")
public func report() -> UnsafePointer<UInt8>? { text.withUnsafeBufferPointer { $0.baseAddress } }

import FoundationEssentials
import Glibc
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// A folder that is gone after the test.
private final class TestFolder {
  let path: String

  init() throws {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/cubist-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("The service's keys")
struct ServiceKeyFileTests {
  private let folder: TestFolder
  let keys: ServiceKeyFile
  let root: RootKeyFile

  init() throws {
    folder = try TestFolder()
    (keys, root) = try ServiceKeyFile.create(
      now: .noon, randomness: TestRandomness().randomness)
  }

  func write(_ text: String, mode: mode_t = 0o600) throws -> String {
    let path = folder.path + "/file"
    try Data(text.utf8).write(to: URL(filePath: path))
    try #require(chmod(path, mode) == 0)
    return path
  }

  @Test("New keys make an identity, and its certificate verifies under its root key")
  func identity() throws {
    let identity = try keys.identity()
    #expect(identity.service == keys.service)
    #expect(identity.isWorkingKey(identity.signer.publicKey, at: .noon))
    #expect(identity.certificates.count == 1)
    #expect(
      identity.certificates[0].isValid(service: keys.service, rootKey: keys.rootKey))
    #expect(identity.rootKey != identity.signer.publicKey)
  }

  @Test("Written keys are read again, and only their owner may read them")
  func roundTrip() throws {
    let (path, rootPath) = (folder.path + "/keys", folder.path + "/root")
    try keys.create(at: path)
    try root.create(at: rootPath)
    #expect(try ServiceKeyFile.load(path) == keys)
    #expect(try RootKeyFile.load(rootPath) == root)
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("Keys are never written over a file that is there")
  func noOverwrite() throws {
    let path = try write("precious")
    #expect(throws: ServiceKeyError.file(path: path, reason: "File exists")) {
      try keys.create(at: path)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  // Failure: LiveFiles.Failure.notPrivate: Other users may read the file.
  @Test("A key file that others may read is refused", arguments: [0o640, 0o604, 0o644, 0o620])
  func notPrivate(mode: mode_t) throws {
    let path = try write("{}", mode: mode)
    #expect {
      try ServiceKeyFile.load(path)
    } throws: { error in
      "\(error)".contains("chmod 600") && "\(error)".contains("0\(String(mode, radix: 8))")
    }
  }

  // Failure: ServiceKeyError.file: The key file cannot be used.
  // Failure: ServiceKeyError.malformed: The file is not a key file.
  // Failure: LiveFiles.Failure.system: Carries the system's reason.
  // Failure: LiveFiles.Failure.notRegular: The path is a folder or a device.
  // Failure: LiveFiles.Failure.notText: The file is not UTF-8.
  // Failure: LiveFiles.Failure.tooLarge: The file is larger than any such file can be.
  @Test("A key file that is not there, a folder, or no key file is refused by name")
  func unreadable() throws {
    #expect(
      throws: ServiceKeyError.file(
        path: "/nowhere/keys", reason: "No such file or directory")
    ) { try ServiceKeyFile.load("/nowhere/keys") }
    #expect(throws: ServiceKeyError.file(path: folder.path, reason: "it is not a file")) {
      try ServiceKeyFile.load(folder.path)
    }
    for (text, what) in [
      ("", "the document cannot be read"), ("{}", "is missing"),
      (#"{"service":7}"#, "service"), ("[]", "the document is of another type"),
    ] {
      let path = try write(text)
      #expect {
        try ServiceKeyFile.load(path)
      } throws: { "\($0)".contains(what) }
    }
  }

  @Test("A new working key is certified, and the old certificate stays for the records it signed")
  func renewal() throws {
    var renewed = keys
    let later = Instant.noon.adding(seconds: 86_400)
    try renewed.renew(root: root, now: later, randomness: .live)
    let (before, after) = (try keys.identity(), try renewed.identity())
    #expect(after.signer.publicKey != before.signer.publicKey)
    #expect(after.isWorkingKey(before.signer.publicKey, at: later))
    #expect(after.isWorkingKey(after.signer.publicKey, at: later))
    #expect(
      after.secret.puzzleSeed(for: MatchID(rawValue: 1))
        == before.secret.puzzleSeed(for: MatchID(rawValue: 1)))
  }

  // Failure: ServiceKeyError.noCertificate: No certificate covers the working key at the database's
  //   time. Nothing is signed.
  @Test("A working key speaks from its certificate's first moment to its last, and never beyond")
  func term() throws {
    let identity = try keys.identity()
    let end = Instant.noon.adding(seconds: ServiceKeyFile.standardValidity)
    let first = Instant.noon.adding(seconds: -ServiceKeyFile.leadSeconds)
    #expect(identity.term.end == end)
    for time in [first, .noon, end.adding(microseconds: -1)] {
      #expect(throws: Never.self) { try identity.speaker(at: time) }
    }
    for time in [first.adding(microseconds: -1), end, end.adding(seconds: 1)] {
      #expect(throws: ServiceKeyError.noCertificate(identity.signer.publicKey, at: time)) {
        try identity.speaker(at: time)
      }
    }
  }

  @Test("Operators are warned from sixty days before the end on, with the remedy")
  func warning() throws {
    let term = try keys.identity().term
    let end = try #require(term.end)
    #expect(term.warning(at: .noon) == nil)
    #expect(term.warning(at: end.adding(seconds: -60 * 86_400)) == nil)
    for (left, words) in [
      (60 * 86_400 - 1, "ends in 59 days"), (3 * 86_400, "ends in 3 days"),
      (86_400, "ends in less than two days"), (1, "ends in less than two days"),
      (0, "ended at \(end)"), (-86_400, "ended at \(end)"),
    ] as [(Int64, String)] {
      let warning = try #require(term.warning(at: end.adding(seconds: -left)))
      #expect(warning.contains(words), "\(warning)")
      #expect(warning.contains("cubistd setup --renew ROOT-KEY-FILE"))
      #expect(warning.contains("\(term.key)"))
    }
  }

  // Failure: ServiceKeyError.otherRootKey: The root key belongs to another service.
  @Test("Another service's root key renews nothing")
  func otherRoot() throws {
    let other = try ServiceKeyFile.create(now: .noon, randomness: .live).root
    var renewed = keys
    #expect(throws: ServiceKeyError.self) {
      try renewed.renew(root: other, now: .noon, randomness: .live)
    }
    #expect(renewed == keys)
  }

  // Failure: ServiceKeyError.badCertificate: The certificate does not come from the root key.
  @Test("Unreadable keys, or keys without a certificate of the root key, make no identity")
  func badCertificates() throws {
    let identity = try keys.identity()
    let late = Instant.noon.adding(seconds: ServiceKeyFile.standardValidity)
    var forged = keys
    forged.certificates[0].validUntil = late.adding(seconds: 1)
    #expect(throws: ServiceKeyError.badCertificate(identity.signer.publicKey)) {
      try forged.identity()
    }
    var broken = keys
    broken.workingSeed = "12"
    #expect(throws: ServiceKeyError.malformed("workingSeed is not 64 hexadecimal digits")) {
      try broken.identity()
    }
    broken = keys
    broken.secret = "zz"
    #expect(throws: ServiceKeyError.self) { try broken.identity() }
  }

  @Test("Nothing secret is in a description or a dump")
  func redaction() {
    var text = "\(keys) \(root) \(String(reflecting: keys)) \(String(reflecting: root))"
    dump(keys, to: &text)
    dump(root, to: &text)
    #expect(!text.contains(keys.workingSeed))
    #expect(!text.contains(keys.secret))
    #expect(!text.contains(root.seed))
  }
}

import Foundation
import MatchCore
import MatchWire
import PlayerClient
import Testing

@Suite("A profile on disk")
final class LiveStoreTests {
  let root: String
  let folder: String
  var store: ProfileStore { .live(folder: folder) }

  init() {
    root = FileManager.default.temporaryDirectory.path + "/cubist-profile-" + UUID().uuidString
    folder = root + "/state/cubist/default"
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func mode(_ name: String) throws -> Int {
    let path = name.isEmpty ? folder : "\(folder)/\(name)"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  func write(_ text: String, _ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/pending", withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  func event(_ random: UInt128 = 1, after seconds: Int64 = 0) throws -> PendingEvent {
    let event = Event(
      service: .test, id: EventID(at: .noon.adding(seconds: seconds), random: random),
      player: PlayerKey.ann.player, action: .matchRequested(.random))
    let signed = try PlayerKey.ann.signer.sign(event)
    return try #require(PendingEvent(event: event, envelope: Envelope.encode(signed)))
  }

  @Test("An empty profile gives nothing, and nothing is made")
  func empty() throws {
    #expect(try store.loadKey() == nil)
    #expect(try store.loadProfile() == Profile())
    #expect(try store.loadURL() == nil)
    #expect(try store.loadPending() == PendingEvents(events: []))
    try store.removePending(EventID(at: .noon, random: 1))
    #expect(!FileManager.default.fileExists(atPath: root))
  }

  @Test("A file that cannot be put in its place is told, and leaves no part of it behind")
  func notInPlace() throws {
    // A folder in the place of the file.
    try FileManager.default.createDirectory(
      atPath: folder + "/url", withIntermediateDirectories: true)
    #expect(throws: ProfileError.self) { try store.saveURL("https://play.example.org") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["url"])
  }

  @Test("Kept values come back, and nobody else can read them")
  func roundTrip() throws {
    let profile = Profile(
      player: PlayerKey.ann.player, name: .ann, service: .test, rootKey: .root)
    try store.saveKey(.ann)
    try store.saveProfile(profile)
    try store.saveURL("amqps://ann:secret@example.org/cubist")
    let (first, second) = (try event(1), try event(2, after: 1))
    try store.savePending(second)
    try store.savePending(first)
    try store.journal(
      JournalLine(at: .noon, event: first.id, type: "matchRequested", what: .sent))

    #expect(try store.loadKey() == .ann)
    #expect(try store.loadProfile() == profile)
    #expect(try store.loadURL() == "amqps://ann:secret@example.org/cubist")
    #expect(try store.loadPending() == PendingEvents(events: [first, second]))
    for name in ["", "pending"] { #expect(try mode(name) == 0o700) }
    for name in ["key", "profile.json", "url", "journal.jsonl", "pending/\(first.id).json"] {
      #expect(try mode(name) == 0o600, "\(name)")
    }
    try store.removePending(first.id)
    #expect(try store.loadPending().events == [second])
    // Nothing half-written is left behind.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names == ["journal.jsonl", "key", "pending", "profile.json", "url"])
  }

  @Test("A folder that was open to others is closed")
  func closing() throws {
    try write("{\"v\":1}", "profile.json")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    try store.saveProfile(Profile())
    #expect(try mode("") == 0o700)
  }

  @Test("A pending event's file names its content, for ever in the same form")
  func goldenPending() throws {
    let event = try event()
    try store.savePending(event)
    let object = try JSONSerialization.jsonObject(
      with: Data(text("pending/\(event.id).json").utf8))
    let fields = try #require(object as? [String: Any])
    #expect(
      fields.keys.sorted() == ["envelope", "id", "madeAt", "sha256", "slot", "type", "v"])
    #expect(fields["type"] as? String == "matchRequested")
    #expect(fields["id"] as? String == event.id.description)
    #expect(fields["slot"] as? Int == event.slot.number)
    #expect(fields["envelope"] as? String == Data(event.envelope).base64EncodedString())
  }

  @Test("The code of an invitation of a device is in its pending file, and in no other one")
  func pendingCode() throws {
    let code = DeviceCode(random: 7)
    let event = Event(
      service: .test, id: EventID(at: .noon, random: 1), player: PlayerKey.ann.player,
      action: .deviceInvited(code.hash(at: .test)))
    let envelope = Envelope.encode(try PlayerKey.ann.signer.sign(event))
    let pending = try #require(PendingEvent(event: event, envelope: envelope, code: code))
    try store.savePending(pending)
    #expect(try store.loadPending().events == [pending])
    let path = "pending/\(event.id).json"
    for wrong in [DeviceCode(random: 8).text, "", "not a code"] {
      try write(text(path).replacing(code.text, with: wrong), path)
      #expect(try store.loadPending().damaged.count == 1, "\(wrong)")
      try store.savePending(pending)
    }
  }

  @Test(
    "A pending file that cannot be read is put aside under a name of its own, and told once",
    arguments: ["", "{", "{\"v\":1}", "[]", String(repeating: "x", count: 2_000_000)])
  func damagedPending(content: String) throws {
    let good = try event()
    try store.savePending(good)
    let name = "\(EventID(at: .noon, random: 5)).json"
    try write(content, "pending/\(name)")
    let loaded = try store.loadPending()
    #expect(loaded.events == [good])
    #expect(loaded.damaged == ["\(folder)/pending/\(name).bad"])
    #expect(try text("pending/\(name).bad") == content)
    #expect(try store.loadPending() == PendingEvents(events: [good]))
  }

  @Test("A pending file with one changed character, or under another event's name, is no event")
  func alteredPending() throws {
    let good = try event()
    try store.savePending(good)
    let path = "pending/\(good.id).json"
    let text = try text(path)
    let start = try #require(text.firstRange(of: "\"envelope\":\"")).upperBound
    var altered = text
    let index = text.index(start, offsetBy: 60)
    altered.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
    try write(altered, path)
    #expect(try store.loadPending().damaged.count == 1)

    try write(text, "pending/\(EventID(at: .noon, random: 6)).json")
    #expect(try store.loadPending().damaged.count == 1)
  }

  @Test("A killed program's half-written file is no event and no hindrance")
  func halfWritten() throws {
    let good = try event()
    try store.savePending(good)
    try write("{", "pending/.\(good.id).json.123.new")
    #expect(try store.loadPending() == PendingEvents(events: [good]))
  }

  // Failure: ProfileError.keyExists: The profile already has a key.
  @Test("A key is never replaced by another one")
  func keyExists() throws {
    try store.saveKey(.ann)
    try store.saveKey(.ann)
    #expect(throws: ProfileError.keyExists) { try store.saveKey(.bob) }
    #expect(try store.loadKey() == .ann)
    // The same key may speak for another player than before.
    try store.saveKey(PlayerKey.ann.speaking(for: PlayerKey.bob.player))
    #expect(try store.loadKey()?.player == PlayerKey.bob.player)
  }

  // Failure: ProfileError.exposed: Other users can read the key.
  @Test("A key that others can read is not used, and the remedy is named")
  func exposed() throws {
    try store.saveKey(.ann)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: folder + "/key")
    let error = ProfileError.exposed(path: folder + "/key")
    #expect(throws: error) { try store.loadKey() }
    #expect(error.description.contains("chmod 600"))
  }

  @Test("A damaged key is named without showing any of it")
  func damagedKey() throws {
    try store.saveKey(.ann)
    let text = try text("key")
    try write(text.replacing("0102", with: "0103"), "key")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder + "/key")
    #expect {
      try store.loadKey()
    } throws: { error in
      guard case ProfileError.damaged? = error as? ProfileError else { return false }
      return !"\(error)".contains("0304")
    }
  }

  // Failure: ProfileError.damaged: The content of a file is not valid.
  @Test(
    "A profile that is damaged or of another version is named",
    arguments: [
      ("", "not"), ("[]", "not a profile"), ("{\"v\":2}", "version 2"),
      ("{\"v\":1,\"player\":\"x\"}", "not an id"),
    ])
  func damagedProfile(content: String, reason: String) throws {
    try write(content, "profile.json")
    #expect {
      try store.loadProfile()
    } throws: { error in
      guard case ProfileError.damaged(folder + "/profile.json", _)? = error as? ProfileError
      else { return false }
      return "\(error)".contains(reason)
    }
  }

  @Test("Fields that a later version adds to a profile are ignored")
  func laterProfile() throws {
    try write("{\"v\":1,\"name\":\"Ann\",\"moon\":3}", "profile.json")
    #expect(try store.loadProfile() == Profile(name: .ann))
  }

  // Failure: ProfileError.lockHeld: Another program is sending.
  @Test("One program at a time has the lock, and the other is told which")
  func lock() throws {
    let lock = try store.lock()
    #expect(throws: ProfileError.lockHeld(processID: getpid())) { try store.lock() }
    lock.release()
    try store.lock().release()
    #expect(try mode("lock") == 0o600)
  }

  @Test("A lock file left by a dead program holds nobody up")
  func staleLock() throws {
    try write("99999", "lock")
    let lock = try store.lock()
    #expect(throws: ProfileError.lockHeld(processID: getpid())) { try store.lock() }
    lock.release()
  }

  @Test("The journal is one line an act, and only its newest four megabytes are kept")
  func journal() throws {
    let line = JournalLine(
      at: .noon, event: EventID(at: .noon, random: 1), type: "turnPlayed", what: .refused,
      refusal: "staleTurn")
    try store.journal(line)
    let first = try text("journal.jsonl")
    #expect(try JSONDecoder().decode(JournalLine.self, from: Data(first.utf8)) == line)
    #expect(first.hasSuffix("\n"))

    let full = String(repeating: "x", count: 2_200_000)
    try write(full, "journal.jsonl")
    try store.journal(line)
    #expect(try text("journal.jsonl") == first)
    #expect(try text("journal.1.jsonl") == full)
    #expect(try store.loadJournal() == Journal(lines: [line], damagedCount: 1))
  }

  @Test("A journal is read with its receipts; lines of older programs and torn ones do not hinder")
  func readingJournal() throws {
    #expect(try store.loadJournal() == Journal(lines: []))
    let id = EventID(at: .noon, random: 1)
    let receipt = Receipt(
      match: MatchID(rawValue: 5), version: 3, turn: 2, hash: .zero, points: [7, 0],
      outcome: Outcome(reason: .cleared, seat: nil, results: [.won, .lost]))
    let new = JournalLine(
      at: .noon, event: id, type: "turnPlayed", what: .accepted, receipt: receipt)
    let old = JournalLine(at: .noon, event: id, type: "turnPlayed", what: .accepted)
    let torn = #"{"at":1,"eve"#
    try write(
      #"{"at":\#(Instant.noon.microseconds),"event":"\#(id)","type":"turnPlayed","what":"accepted"}"#
        + "\n" + torn, "journal.jsonl")
    try store.journal(new)
    #expect(try store.loadJournal() == Journal(lines: [old, new], damagedCount: 1))
  }

  @Test("Progress in the first steps is kept, beside anything else in the file")
  func firstSteps() throws {
    #expect(try store.loadFirstSteps() == nil)
    try store.saveFirstSteps("7")
    #expect(try store.loadFirstSteps() == "7")
    #expect(try text("first-steps") == "7\n")
    #expect(try mode("first-steps") == 0o600)
    try write("", "first-steps")
    #expect(try store.loadFirstSteps() == nil)
  }

  // Failure: ProfileError.notAccessible: The system denies access. The message names its reason.
  @Test("A folder that cannot be made is named with the system's reason")
  func notAccessible() throws {
    try write("", "file")
    let store = ProfileStore.live(folder: folder + "/file/below")
    #expect {
      try store.saveURL("x")
    } throws: { error in
      guard case ProfileError.notAccessible(let path, let reason)? = error as? ProfileError
      else { return false }
      return path.hasPrefix(folder) && !reason.isEmpty
    }
  }

  @Test("An event of another program that runs is known as such, and no more once it has ended")
  func held() throws {
    let (first, second) = (try event(1), try event(2, after: 1))
    try store.savePending(first)
    try store.savePending(second)
    #expect(try store.loadPending().held == [], "both are this program's")
    // The other program's file, which it has locked.
    let content = try text("pending/\(second.id).json")
    try store.removePending(second.id)
    try write(content, "pending/\(second.id).json")
    let file = open("\(folder)/pending/\(second.id).json", O_RDONLY)
    try #require(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
    let pending = try store.loadPending()
    #expect(pending.held == [second.id] && pending.free == [first])
    // However it ends, the system gives the lock back.
    close(file)
    #expect(try store.loadPending() == PendingEvents(events: [first, second]))
  }

  @Test("A player's program on disk resumes another one's work")
  func resumed() throws {
    let world = World()
    try store.saveKey(.ann)
    try store.saveProfile(world.memory.profile)
    world.store = store
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().startMatch(.random))
    #expect(try store.loadPending().events.count == 1)
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.count == 1)
    #expect(world.desk.messages[0] == world.desk.messages[1])
    #expect(try store.loadPending().events.isEmpty)
    #expect(try text("journal.jsonl").split(separator: "\n").count == 3)
  }
}

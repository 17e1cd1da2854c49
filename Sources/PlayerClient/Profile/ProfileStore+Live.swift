import FoundationEssentials
import MatchCore
import MatchWire

extension ProfileStore {
  /// Keeps everything in a folder, which is made at the first write; see `ProfileName.folder`.
  ///
  /// The folder has mode 0700 and its files 0600: `key` (the exported key, one line),
  /// `profile.json`, `url`, `pending/ID.json` (one event a file), `lock`, and `journal.jsonl` with
  /// `journal.1.jsonl`, the sender's own log of the last five thousand events at least, in
  /// four megabytes at most, and `first-steps`. A pending event's file
  /// that cannot be read is kept as `pending/NAME.bad`.
  public static func live(folder: String) -> ProfileStore {
    let top = ProfileFiles(folder: folder)
    let pending = ProfileFiles(folder: folder + "/pending")
    return ProfileStore(
      lock: { () throws(ProfileError) in
        try top.makeFolder()
        return try top.lock()
      },
      loadKey: { () throws(ProfileError) in try top.loadKey() },
      saveKey: { key throws(ProfileError) in
        if let other = try top.loadKey(), other != key { throw .keyExists }
        try top.makeFolder()
        try top.write(Array("\(key.exported)\n".utf8), to: "key")
      },
      loadProfile: { () throws(ProfileError) in try top.loadProfile() },
      saveProfile: { profile throws(ProfileError) in
        try top.makeFolder()
        try top.write(json(profile, of: "profile.json"), to: "profile.json")
      },
      loadURL: { () throws(ProfileError) in
        let text = try top.read("url").map { String(decoding: $0, as: UTF8.self) }
        return text?.split(whereSeparator: \.isWhitespace).first.map { String($0) }
      },
      saveURL: { url throws(ProfileError) in
        try top.makeFolder()
        try top.write(Array("\(url)\n".utf8), to: "url")
      },
      loadPending: { () throws(ProfileError) in try pending.loadPending() },
      savePending: { event throws(ProfileError) in
        try pending.makeFolder()
        try pending.write(bytes(of: event), to: "\(event.id).json", isHeld: true)
      },
      removePending: { id throws(ProfileError) in try pending.remove("\(id).json") },
      journal: { line throws(ProfileError) in
        try top.makeFolder()
        if top.size(of: "journal.jsonl") > journalBytes {
          try top.move("journal.jsonl", to: "journal.1.jsonl")
        }
        try top.append(line: json(line, of: "journal.jsonl"), to: "journal.jsonl")
      },
      loadJournal: { () throws(ProfileError) in try top.loadJournal() },
      loadFirstSteps: { () throws(ProfileError) in
        let text = try top.read("first-steps").map { String(decoding: $0, as: UTF8.self) }
        return text?.split(whereSeparator: \.isWhitespace).first.map { String($0) }
      },
      saveFirstSteps: { text throws(ProfileError) in
        try top.makeFolder()
        try top.write(Array("\(text)\n".utf8), to: "first-steps")
      })
  }

  fileprivate static let journalBytes = 2 << 20

  private static func json(
    _ value: some Encodable, of name: String
  ) throws(ProfileError) -> [UInt8] {
    do {
      return try SortedJSON.line(value)
    } catch {
      throw .notAccessible(path: name, reason: "it cannot be encoded")
    }
  }

  private static func bytes(of event: PendingEvent) throws(ProfileError) -> [UInt8] {
    do {
      return try event.fileBytes
    } catch {
      throw .notAccessible(path: "\(event.id).json", reason: "it cannot be encoded")
    }
  }
}

extension ProfileFiles {
  fileprivate func loadKey() throws(ProfileError) -> PlayerKey? {
    guard let bytes = try read("key") else { return nil }
    guard !isExposed("key") else { throw .exposed(path: path("key")) }
    do throws(KeyTextError) {
      return try PlayerKey(exported: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw .damaged(path: path("key"), reason: error.description)
    }
  }

  fileprivate func loadProfile() throws(ProfileError) -> Profile {
    guard let bytes = try read("profile.json") else { return Profile() }
    do {
      return try JSONDecoder().decode(Profile.self, from: Data(bytes))
    } catch DecodingError.dataCorrupted(let context) {
      throw .damaged(path: path("profile.json"), reason: context.debugDescription)
    } catch {
      throw .damaged(path: path("profile.json"), reason: "it is not a profile")
    }
  }

  fileprivate func loadPending() throws(ProfileError) -> PendingEvents {
    var pending = PendingEvents(events: [])
    for name in try names() where name.hasSuffix(".json") && !name.hasPrefix(".") {
      // Another program may have had its answer in the meantime.
      guard let bytes = try readOrNil(name) else { continue }
      if let bytes, let event = PendingEvent(fileBytes: bytes), name == "\(event.id).json" {
        pending.events.append(event)
        if HeldFiles.isHeldElsewhere(path(name)) { pending.held.insert(event.id) }
      } else {
        try move(name, to: "\(name).bad")
        pending.damaged.append(path("\(name).bad"))
      }
    }
    return pending
  }

  fileprivate func loadJournal() throws(ProfileError) -> Journal {
    var journal = Journal(lines: [])
    let decoder = JSONDecoder()
    for name in ["journal.1.jsonl", "journal.jsonl"] {
      let bytes = try read(name, atMost: 2 * ProfileStore.journalBytes) ?? []
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        // A torn line, or a line of a later program, is only counted.
        if let line = try? decoder.decode(JournalLine.self, from: Data(line)) {
          journal.lines.append(line)
        } else {
          journal.damagedCount += 1
        }
      }
    }
    return journal
  }

  /// The bytes of a file; nil inside where it is too large to be valid, nil where there is none.
  private func readOrNil(_ name: String) throws(ProfileError) -> [UInt8]?? {
    do throws(ProfileError) {
      return try read(name).map { .some($0) }
    } catch {
      guard case .damaged = error else { throw error }
      return .some(nil)
    }
  }
}

import Foundation
import Glibc
import SystemCalls
import Testing

@Suite("Whose folders and files are good")
struct TrustedOwnersTests {
  /// A user who is not root: another one if root runs the tests, else the one who runs them.
  private static let them: uid_t = geteuid() == 0 ? 65_534 : geteuid()
  /// As root sees it, with a program of root's.
  private static let root = TrustedOwners(user: 0, caller: nil, program: "/usr/bin/env")

  private static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = "/tmp/cubist-owners-\(UUID().uuidString)"
    try SystemFile.makeFolder(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  /// Makes a folder that belongs to them.
  private static func makeTheirs(_ path: String) throws {
    try SystemFile.makeFolder(path)
    try #require(chown(path, them, gid_t.max) == 0)
  }

  private static func isRefused(_ place: TrustedOwners.Place, _ reason: String) -> Bool {
    guard case .strange(let said) = place else { return false }
    return said.contains(reason)
  }

  @Test("Root works in the folders of the user who called sudo, as SUDO_UID says, and nobody else")
  func sudo() throws {
    try Self.withFolder { top in
      let theirs = "\(top)/theirs"
      try Self.makeTheirs(theirs)
      let reason = "belongs to user \(Self.them)"
      let paths = [theirs, "\(theirs)/.cubist/demo"]
      for path in paths {
        let caller = TrustedOwners(user: 0, caller: "\(Self.them)", program: nil)
        #expect(caller.place(of: path) == .own(path))
        for text in [nil, "", "0", "-1", "\(Self.them) ", "nobody"] {
          let owners = TrustedOwners(user: 0, caller: text, program: nil)
          #expect(Self.isRefused(owners.place(of: path), reason), "\(text ?? "nil")")
        }
        // Anybody can set the variable for a process of their own.
        let other = TrustedOwners(user: Self.them - 1, caller: "\(Self.them)", program: nil)
        #expect(Self.isRefused(other.place(of: path), reason))
      }
    }
  }

  @Test("Whoever can change the program may own the folder, as a checkout that root runs")
  func program() throws {
    try Self.withFolder { top in
      let checkout = "\(top)/checkout"
      try Self.makeTheirs("\(checkout)/.build")
      try Self.makeTheirs("\(checkout)/.cubist")
      try Self.makeTheirs(checkout)
      let path = "\(checkout)/.cubist/test"
      let ours = TrustedOwners(user: 0, caller: nil, program: "\(checkout)/.build/cubistd")
      #expect(ours.place(of: path) == .own(path))
      #expect(Self.isRefused(Self.root.place(of: path), "belongs to user \(Self.them)"))
      // Others may write to the checkout, and so change the program.
      try #require(chmod(checkout, 0o777) == 0)
      #expect(ours.place(of: path) == .own(path))
      #expect(Self.isRefused(ours.place(of: checkout), "others may write to \(checkout) "))
      try #require(chmod("\(checkout)/.cubist", 0o777) == 0)
      #expect(Self.isRefused(ours.place(of: path), "others may write to \(checkout)/.cubist"))
    }
  }

  @Test("A link on the way counts with its owner, and the way goes on from where it leads")
  func links() throws {
    try Self.withFolder { top in
      let theirs = "\(top)/theirs"
      try Self.makeTheirs(theirs)
      try SystemFile.makeFolder("\(top)/a/b")
      let owners = TrustedOwners(user: 0, caller: "\(geteuid())", program: nil)
      let wanted = TrustedOwners.Place.own("\(top)/a/b/new")
      for (name, target) in [("1", "\(top)/a/b"), ("2", "a/b"), ("3", "./2//"), ("4", "a/../3")] {
        try #require(symlink(target, "\(top)/\(name)") == 0)
        #expect(owners.place(of: "\(top)/\(name)/new") == wanted)
        #expect(SystemFile.absolute("\(top)/\(name)/new") == "\(top)/a/b/new")
      }
      #expect(owners.place(of: "\(top)/1/../b/new/") == wanted)
      #expect(owners.place(of: "\(top)/a/absent/../b/./new") == wanted)
      try #require(lchown("\(top)/2", Self.them, gid_t.max) == 0)
      let reason = "\(top)/2 is a link of user \(Self.them)"
      if geteuid() == 0 {
        for name in ["2", "3", "4"] {
          #expect(Self.isRefused(owners.place(of: "\(top)/\(name)/new"), reason))
        }
        #expect(owners.place(of: "\(top)/1/new") == wanted)
      }
      // It leads to itself.
      try #require(symlink("round", "\(top)/round") == 0)
      #expect(Self.isRefused(owners.place(of: "\(top)/round/new"), "round is a link that leads"))
    }
  }

  @Test("A path without a slash begins in the folder that the process works in")
  func relative() {
    let here = FileManager.default.currentDirectoryPath
    let name = "absent-\(UUID().uuidString)"
    #expect(SystemFile.absolute("\(name)/x") == "\(SystemFile.absolute(here))/\(name)/x")
    #expect(SystemFile.absolute("/") == "/" && SystemFile.absolute("/../tmp/..") == "/")
  }

  @Test("A file in place of a folder is refused by name, and nothing is made")
  func file() throws {
    try Self.withFolder { top in
      let owners = TrustedOwners(user: geteuid(), caller: nil, program: nil)
      try SystemFile.replace("\(top)/file", with: [], mode: 0o600)
      for path in ["\(top)/file", "\(top)/file/new"] {
        #expect(try Self.isRefused(owners.makeFolder(path), "\(top)/file is no folder"))
      }
      #expect(try owners.makeFolder("\(top)/new/er") == .own("\(top)/new/er"))
      #expect(SystemFile.exists("\(top)/new/er"))
    }
  }

  @Test(
    "A folder that a user's own group may write to is good: nobody else is in that group",
    .enabled(if: geteuid() == 0))
  func privateGroup() throws {
    try Self.withFolder { top in
      // Tests of root need this user anyway.
      let entry = try #require(getpwnam("postgres"))
      let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
      let owners = TrustedOwners(user: user, caller: nil, program: nil)
      try #require(chown(top, user, group) == 0 && chmod(top, 0o775) == 0)
      #expect(owners.place(of: top) == .own(top))
      try #require(chown(top, user, 65_534) == 0)
      #expect(Self.isRefused(owners.place(of: top), "others may write to \(top)"))
    }
  }

  @Test("What is read is a file of this user's or of root's: no other one's, no link, no pipe")
  func reading() throws {
    try Self.withFolder { top in
      let theirs = TrustedOwners(user: Self.them, caller: nil, program: nil)
      let path = "\(top)/file"
      try SystemFile.replace(path, with: [1, 2, 3], mode: 0o600)
      try #require(chown(path, Self.them, gid_t.max) == 0)
      #expect(theirs.strangeness(of: path) == nil)
      #expect(try theirs.read(path, atMost: 3) == [1, 2, 3])
      #expect(try theirs.read(path, atMost: 2) == nil)
      // Not even that of the user who called sudo.
      for owners in [Self.root, TrustedOwners(user: 0, caller: "\(Self.them)", program: nil)] {
        #expect(owners.strangeness(of: path) == "it belongs to user \(Self.them)")
        #expect(throws: SystemError(code: EPERM, path: path)) {
          try owners.read(path, atMost: 3)
        }
        #expect(try owners.read(path, orOf: Self.them, atMost: 3) == [1, 2, 3])
      }
      try #require(symlink(path, "\(top)/link") == 0 && mkfifo("\(top)/pipe", 0o600) == 0)
      #expect(theirs.strangeness(of: "\(top)/link") == "it is a link")
      #expect(theirs.strangeness(of: "\(top)/pipe") == "it is no file")
      #expect(theirs.strangeness(of: "\(top)/absent") == nil)
      for (name, code) in [("link", ELOOP), ("pipe", EINVAL), ("absent", ENOENT)] {
        #expect(throws: SystemError(code: code, path: "\(top)/\(name)")) {
          try theirs.read("\(top)/\(name)", atMost: 3)
        }
      }
    }
  }
}

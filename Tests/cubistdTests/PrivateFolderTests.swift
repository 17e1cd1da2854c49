import MatchInterfaces
import Testing

@testable import cubistd

@Suite("The folder of a private service")
struct PrivateFolderTests {
  @Test("A folder has one owner at a time")
  func lock() throws {
    try withFolder { folder in
      var first = try FolderLock(folder)
      #expect(first != nil)
      #expect(try FolderLock(folder) == nil)
      first = nil
      #expect(try FolderLock(folder) != nil)
    }
  }

  @Test("A second service of a folder is told how to end the first, and that nothing is lost")
  func secondService() throws {
    try withFolder { path in
      let folder = try PrivateFolder(path)
      let first = try UpCommand.lock(folder)
      let failure = #expect(throws: OperatorFailure.self) { _ = try UpCommand.lock(folder) }
      withExtendedLifetime(first) {}
      let text = try #require(failure?.description)
      #expect(text.contains("uses \(folder.path)\nEnd that one with Ctrl-C"))
      #expect(text.hasSuffix("nothing is lost."))
    }
  }

  @Test("A password is made once, and only its owner may read it")
  func password() throws {
    try withFolder { path in
      let folder = try PrivateFolder("\(path)/new")
      let first = try folder.password(of: "player", randomness: .live)
      #expect(first.count > 15)
      #expect(try folder.password(of: "player", randomness: .failing) == first)
      #expect(try mode("\(folder.path)/password-player") == 0o600)
    }
  }
}

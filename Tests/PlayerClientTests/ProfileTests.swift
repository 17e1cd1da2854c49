import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("Keys and names of profiles")
struct ProfileTests {
  static let exported =
    "cubist-key-1:0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20:"

  @Test("An exported key is one line, the same for ever, and comes back")
  func golden() throws {
    #expect(PlayerKey.ann.exported == Self.exported + "d9ffc1ac")
    #expect(try PlayerKey(exported: PlayerKey.ann.exported) == .ann)
    #expect(try PlayerKey(exported: "  \(PlayerKey.bob.exported.lowercased())\r\n") == .bob)
    #expect(PlayerKey.ann.publicKey == PlayerKey.ann.signer.publicKey)
  }

  @Test("A key's description never holds its secret")
  func secrecy() {
    #expect(!"\(PlayerKey.ann)".contains("0102030405060708"))
  }

  // Failure: KeyTextError.notAKey: The text is not an exported key.
  // Failure: KeyTextError.incomplete: The text is cut off.
  // Failure: KeyTextError.unsupportedVersion: A later build exported the key.
  // Failure: KeyTextError.checksumMismatch: A character is wrong.
  @Test(
    "A text that is no key is refused by name",
    arguments: [
      ("", KeyTextError.notAKey), ("hello", .notAKey), ("cubist-key-3:00:00", .unsupportedVersion),
      ("cubist-key-1", .incomplete), ("cubist-key-1:0102:00000000", .incomplete),
      (exported + "d9ffc1ac:", .incomplete), (exported + "00000000", .checksumMismatch),
      (exported.replacing("0102", with: "0103") + "d9ffc1ac", .checksumMismatch),
      (exported.replacing("0102", with: "010x") + "d9ffc1ac", .incomplete),
    ])
  func refused(text: String, error: KeyTextError) {
    #expect(throws: error) { try PlayerKey(exported: text) }
    #expect(!error.description.contains("0102"))
  }

  @Test("A new key is made of the randomness that is passed in")
  func making() {
    #expect(PlayerKey.make(using: .seeded(1)) == PlayerKey.make(using: .seeded(1)))
    #expect(PlayerKey.make(using: .seeded(1)) != PlayerKey.make(using: .seeded(2)))
    #expect(PlayerKey(seed: [1, 2, 3]) == nil)
  }

  // Failure: ProfileError.noHome: Neither HOME nor XDG_STATE_HOME names a folder.
  @Test("A profile's folder follows the XDG rules")
  func folder() {
    let name = ProfileName.standard
    #expect(
      name.folder(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/cubist/default")
    #expect(name.folder(environment: ["HOME": "/h"]) == "/h/.local/state/cubist/default")
    // A relative path is to be ignored, says the specification.
    #expect(
      name.folder(environment: ["XDG_STATE_HOME": "s", "HOME": "/h"])
        == "/h/.local/state/cubist/default")
    #expect(name.folder(environment: [:]) == nil)
    #expect(name.folder(environment: ["HOME": ""]) == nil)
  }

  @Test(
    "A profile's name can lead out of no folder",
    arguments: ["", ".", "..", "a/b", "a b", "ä", String(repeating: "a", count: 33), "a\0"])
  func badNames(text: String) {
    #expect(ProfileName(text) == nil)
  }

  @Test("A profile's name may have letters, digits, dashes and underscores")
  func goodNames() {
    #expect(ProfileName("My-2nd_profile")?.text == "My-2nd_profile")
    #expect(ProfileName(String(repeating: "a", count: 32)) != nil)
  }
}

import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Keys of devices at the prompt")
struct KeyCommandTests {
  private static let phone = Made.key(5)
  private static let code = "K3F7-9QMN-2XVB"

  /// A lab whose service knows ada's keys and takes every change of them.
  private static func lab() -> CommandLab {
    let lab = CommandLab()
    lab.service.onQuery = { kind in
      switch kind {
      case .keys: .answer(Made.keys)
      case .invitationOf: .answer(InvitingPlayer(player: Made.ada, name: Made.name("ada")))
      default: nil
      }
    }
    lab.service.onEvent = { event in
      switch event.action {
      case .deviceInvited: .reply(.accepted(.deviceInvited(until: Made.codeEnd)))
      case .keyAdded: .reply(.accepted(.keyAdded(event.player, Made.name("ada"))))
      case .keyRemoved(let wish): .reply(.accepted(.keyRemoved(wish.key)))
      default: .reply(.refused(.unavailable))
      }
    }
    return lab
  }

  /// A lab of a new device.
  private static func device() -> CommandLab {
    let lab = lab()
    lab.memory.key = nil
    lab.memory.profile = Profile(service: Made.service, rootKey: Made.root)
    return lab
  }

  // MARK: List and invitation

  @Test("Keys are a table with this device's own, and open invitations are told")
  func list() {
    expectNoDifference(
      Self.lab().run("key list").output,
      """
      Key       Added      By        Device
      ed4928c6  1 day ago            this one
      6e7a1cdd  1 h ago    ed4928c6

      6e7a1cdd lets one more device in. Its code ends in 10 min.

      """)
  }

  @Test("A key is shown by eight digits, or more where another one begins like it")
  func short() throws {
    let other = try #require(PublicKey(String(repeating: "0", count: 64)))
    let like = try #require(PublicKey("000000000" + String(repeating: "1", count: 55)))
    let keys = ShortKeys([other, like])
    #expect(keys.short(other) == "0000000000" && keys.short(like) == "0000000001")
    #expect(ShortKeys([other]).short(other) == "00000000")
    #expect(keys.matching("0000").count == 2 && keys.matching("0000000001") == [like])
  }

  @Test("An invitation shows its code")
  func invite() throws {
    let lab = Self.lab()
    let run = lab.run("key invite")
    expectNoDifference(
      run.output, "The code 16Q4-G4JX-DH22 adds one device of yours. It ends in 10 min.\n")
    #expect(run.errors == "Next: cubist key add 16Q4-G4JX-DH22   # for the new device\n")
    let code = try #require(DeviceCode(typed: "16Q4-G4JX-DH22"))
    #expect(lab.service.events.map(\.action) == [.deviceInvited(code.hash(at: Made.service))])
  }

  @Test("An invitation without an answer is repeated with the same code")
  func inviteAgain() {
    let lab = Self.lab()
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("key invite").status == 75)
    lab.service.onEvent = { _ in .reply(.accepted(.deviceInvited(until: Made.codeEnd))) }
    let run = lab.run("key invite")
    #expect(run.output.hasPrefix("The code 16Q4-G4JX-DH22 adds"))
    #expect(run.errors.contains("invitation of a device went through: its code is 16Q4-G4JX-DH22."))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
    let next = lab.run("key invite")
    #expect(next.status == 0 && next.output.hasPrefix("The code "))
    #expect(!next.output.contains("16Q4-G4JX-DH22"))
  }

  // MARK: A new device

  @Test(
    "A new device makes a key, shows the code however it is typed, and is the player's",
    arguments: [code, "k3f79qmn2xvb"])
  func add(typed: String) throws {
    let lab = Self.device()
    let run = lab.run("key add \(typed)")
    #expect(run.output == "You are ada on this device, too.\n" && run.status == 0)
    let code = try #require(DeviceCode(typed: Self.code))
    #expect(lab.service.queries == [.invitationOf(.init(code.hash(at: Made.service)))])
    #expect(lab.service.events.map(\.action) == [.keyAdded(code, device: .terminal)])
    #expect(lab.service.events.map(\.player) == [Made.ada])
    #expect(lab.memory.profile.player == Made.ada)
    let key = try #require(lab.memory.key)
    #expect(key.player == Made.ada && key.isLater)
    // Its copy plays as the same player.
    #expect(lab.run("key export").output == "\(key.exported)\n")
    lab.memory = ProfileMemory()
    lab.files["ada.key"] = Array(key.exported.utf8)
    #expect(lab.run("key import ada.key --json").output.contains("\(Made.ada)"))
    #expect(lab.memory.key?.player == Made.ada)
  }

  @Test("A new device has the name that its player gives it, also at a service that takes none")
  func addNamed() throws {
    let lab = Self.device()
    let code = try #require(DeviceCode(typed: Self.code))
    lab.service.onEvent = { event in
      guard event.action == .keyAdded(code) else { return .reply(.refused(.malformed("too long"))) }
      return .reply(.accepted(.keyAdded(event.player, Made.name("ada"))))
    }
    let run = lab.run("key add \(Self.code) --device old.laptop")
    #expect(run.output == "You are ada on this device, too.\n" && run.status == 0)
    #expect(
      lab.service.events.map(\.action) == [
        .keyAdded(code, device: DeviceName("old.laptop")), .keyAdded(code),
      ])
    #expect(Self.device().run("key add \(Self.code) --device a/b").status == 64)
  }

  @Test("The list of keys names their devices, for people and for programs")
  func names() {
    let lab = Self.lab()
    var keys = Made.keys
    keys.keys[1].device = DeviceName("phone")
    lab.service.onQuery = { if case .keys = $0 { .answer(keys) } else { nil } }
    #expect(lab.run("key list").output.contains("6e7a1cdd  1 h ago    ed4928c6  phone\n"))
    #expect(lab.run("key list --json").output.contains(#""device":"phone""#))
  }

  @Test("An addition without an answer is repeated, and counts once")
  func addAgain() {
    let lab = Self.device()
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("key add \(Self.code)").status == 75)
    lab.service.onEvent = { .reply(.accepted(.keyAdded($0.player, Made.name("ada")))) }
    let run = lab.run("key add \(Self.code)")
    #expect(run.output == "You are ada on this device, too.\n" && run.status == 0)
    #expect(run.errors.contains("addition of a device went through: you are ada."))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("A code that nobody invites with is refused as the service would, and nothing is sent")
  func wrongCode() {
    let lab = Self.device()
    lab.service.onQuery = { if case .invitationOf = $0 { .refusal(.codeUnknown) } else { nil } }
    let run = lab.run("key add \(Self.code)")
    #expect(run.status == 1 && run.output == "")
    #expect(run.errors == "cubist: \(Refusal.deviceCodeInvalid.message)\n")
    #expect(lab.service.events == [])
  }

  @Test("A profile of a player takes no other player's code")
  func taken() {
    let lab = Self.lab()
    let run = lab.run("key add \(Self.code)")
    #expect(run.status == 1 && lab.service.events == [])
    #expect(
      run.errors == """
        cubist: This profile is ada's already. Add the device under another profile.
        Try: cubist --profile OTHER key add \(Self.code)

        """)
  }

  // MARK: Removal

  @Test("A key of another device is removed by its first digits")
  func remove() {
    let lab = Self.lab()
    let run = lab.run("key remove 6E7A")
    #expect(run.output == "The device with the key 6e7a1cdd plays as you no more.\n")
    #expect(lab.service.events.map(\.action) == [.keyRemoved(Self.phone.publicKey)])
    #expect(lab.run("key remove 0000").status == 3)
    #expect(lab.service.events.count == 1)
  }

  @Test("The own key is removed only after a yes")
  func removeOwn() {
    let lab = Self.lab()
    let unasked = lab.run("key remove ed49")
    #expect(unasked.status == 64 && lab.service.events == [])
    #expect(unasked.errors.hasSuffix("Try: cubist key remove ed4928c6 --yes\n"))
    lab.isTerminal = true
    lab.lines = ["n"]
    #expect(lab.run("key remove ed49").status == 1)
    #expect(lab.service.events == [])
    lab.lines = ["y"]
    let run = lab.run("key remove ed49")
    #expect(run.output == "This device plays as you no more. Your other devices do.\n")
    #expect(lab.service.events.map(\.action) == [.keyRemoved(Made.adaKey.publicKey)])
    #expect(lab.run("key remove ed49 --json --yes").output.contains(#""own":true"#))
  }

  @Test("A removal without an answer is repeated, and counts once")
  func removeAgain() {
    let lab = Self.lab()
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("key remove ed49 --yes").status == 75)
    lab.service.onEvent = { _ in .reply(.accepted(.keyRemoved(Made.adaKey.publicKey))) }
    // The list is not needed: a removed key could not ask for it.
    lab.service.onQuery = { _ in .refusal(.keyRevoked) }
    let run = lab.run("key remove ed49 --yes")
    #expect(run.status == 0 && run.output.hasPrefix("This device plays as you no more."))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }
}

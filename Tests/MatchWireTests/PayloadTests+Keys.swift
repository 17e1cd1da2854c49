// swift-format-ignore-file: NeverForceUnwrap

import MatchCore

extension PayloadTests {
  private static let key = PublicKey(bytes: Array(repeating: 0xb, count: 32))!
  private static let keyText = String(repeating: "0b", count: 32)
  private static let proofText = String(repeating: "0c", count: 64)
  private static let idText = "00000000-0000-0000-0000-000000000009"

  /// Events about keys.
  static let keyEvents: [(Event.Action, String)] = [
    (
      .deviceInvited(.zero),
      #""deviceInvited"\#(from),"invitation":"\#(String(repeating: "0", count: 64))"}"#
    ),
    (
      .keyAdded(DeviceCode("0123456789AZ")!), #""keyAdded"\#(from),"code":"0123456789AZ"}"#
    ),
    (
      .keyAdded(DeviceCode("0123456789AZ")!, device: DeviceName("phone")),
      #""keyAdded"\#(from),"code":"0123456789AZ","device":"phone"}"#
    ),
    (
      .keyRemoved(key),
      #""keyRemoved"\#(from),"key":"\#(keyText)"}"#
    ),
    (
      .recoveryKeyNamed(key), #""recoveryKeyNamed"\#(from),"key":"\#(keyText)"}"#
    ),
    (
      .playerRecovered(key, proof: Array(repeating: 0xc, count: 64)),
      #""playerRecovered"\#(from),"key":"\#(keyText)","proof":"\#(proofText)"}"#
    ),
    (
      .recoveryObjected(EventID(rawValue: 9)),
      #""recoveryObjected"\#(from),"recovery":"\#(idText)"}"#
    ),
    (
      .recoveryWithdrawn(EventID(rawValue: 9)),
      #""recoveryWithdrawn"\#(from),"recovery":"\#(idText)"}"#
    ),
    (
      .recoveryDue(
        of: PlayerID(rawValue: 9), recovery: EventID(rawValue: 9), key: key,
        due: Instant(microseconds: 7)),
      #""recoveryDue"\#(from),"of":"\#(idText)","recovery":"\#(idText)","#
        + #""key":"\#(keyText)","dueAt":7}"#
    ),
  ]

  /// Events that bring keys in. Records carry them, so they have no byte to spare.
  static let originEvents: [Event.Action] = [
    .deviceInvited(.zero), .keyAdded(DeviceCode(random: 0)), .recoveryKeyNamed(key),
    .playerRecovered(key, proof: Array(repeating: 0xc, count: 64)),
  ]
}

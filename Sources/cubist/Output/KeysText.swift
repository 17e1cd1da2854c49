import GameScreens
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews
import TerminalScreen

/// Keys and invitations of devices in words.
enum KeysText {
  static func text(
    _ list: KeyList, own: PublicKey?, now: Instant, _ style: TerminalStyle
  ) -> String {
    let keys = ShortKeys(list.keys.map(\.key))
    var table = TerminalTable([
      .init(heading: "Key"), .init(heading: "Added"), .init(heading: "By"),
      .init(heading: "Device"),
    ])
    for row in list.keys {
      table.append([
        keys.short(row.key), Wording.when(row.addedAt, now: now),
        row.inviter.map(keys.short) ?? "", row.key == own ? "this one" : "",
      ])
    }
    let invitations = list.invitations.map { invitation in
      "\(keys.short(invitation.inviter)) lets one more device in. Its code ends "
        + "\(Wording.when(invitation.until, now: now)).\n"
    }
    let rest = invitations.joined() + RecoveryText.sentences(list.recovery, now: now)
    return table.text(style) + (rest.isEmpty ? "" : "\n") + rest
  }

  static func text(_ ticket: DeviceTicket, now: Instant) -> String {
    """
    The code \(spoken(ticket.code)) adds one device of yours. It ends \
    \(Wording.when(ticket.until, now: now)).

    """
  }

  /// A code in groups of four.
  static func spoken(_ code: DeviceCode) -> String {
    let text = code.text
    return stride(from: 0, to: text.count, by: 4).map { text.dropFirst($0).prefix(4) }
      .joined(separator: "-")
  }
}

/// Keys by their first digits.
struct ShortKeys {
  static let shortestLength = 8

  let keys: [PublicKey]

  init(_ keys: [PublicKey]) { self.keys = keys }

  /// The shortest beginning, of eight digits or more, that no other one of the keys has.
  func short(_ key: PublicKey) -> String {
    let text = key.description
    return (Self.shortestLength..<text.count).lazy.map { String(text.prefix($0)) }
      .first { matching($0).allSatisfy { $0 == key } } ?? text
  }

  /// The keys that begin with a text.
  func matching(_ text: String) -> [PublicKey] {
    keys.filter { $0.description.hasPrefix(text.lowercased()) }
  }
}

/// The keys of the player.
struct KeysDocument: Encodable {
  var keys: [Row]
  var invitations: [KeyList.Invitation]
  var recovery: KeyList.Recovery?

  struct Row: Encodable {
    var key: PublicKey
    var addedAt: Instant
    /// The key that let it in; nil: the player's first one.
    var inviter: PublicKey?
    /// True for the key of this profile.
    var own: Bool?
  }

  init(_ list: KeyList, own: PublicKey?) {
    keys = list.keys.map {
      Row(
        key: $0.key, addedAt: $0.addedAt, inviter: $0.inviter, own: $0.key == own ? true : nil)
    }
    invitations = list.invitations
    recovery = list.recovery
  }
}

/// A code that adds a device.
struct DeviceInvitationDocument: Encodable {
  var code: String
  var until: Instant
}

/// A key that was removed.
struct KeyRemovedDocument: Encodable {
  var key: PublicKey
  /// True for the key of this profile.
  var own: Bool?
}

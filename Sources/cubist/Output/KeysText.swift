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
        row.inviter.map(keys.short) ?? "",
        [row.device?.text, row.key == own ? "this one" : nil].compactMap(\.self)
          .joined(separator: ", "),
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
    The code \(ticket.code.grouped) adds one device of yours. It ends \
    \(Wording.when(ticket.until, now: now)).

    """
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
    /// The player's name for its device; nil: it has none.
    var device: DeviceName?
    /// True for the key of this profile.
    var own: Bool?
  }

  init(_ list: KeyList, own: PublicKey?) {
    keys = list.keys.map {
      Row(
        key: $0.key, addedAt: $0.addedAt, inviter: $0.inviter, device: $0.device,
        own: $0.key == own ? true : nil)
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

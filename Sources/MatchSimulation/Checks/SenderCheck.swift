import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// Checks after a run that the store holds everything that players were told, that all it holds was
/// signed, and that no wish was fulfilled twice.
struct SenderCheck {
  private let world: World
  private var store: SimulatedStore { world.store }

  init(_ world: World) { self.world = world }

  func violations() -> [String] {
    world.checkConfirmed()
    return world.senders.sent.flatMap(violations) + strangers() + wishes() + told() + codes()
  }

  private func violations(_ sent: SenderLog.Sent) -> [String] {
    let name = "event \(sent.key.event)"
    let stored = store.replies[sent.key]
    var found: [String] = []
    if sent.replies.count > 1 { found.append("\(name) got two answers") }
    if let reply = sent.replies.first {
      if stored == nil {
        found.append("\(name) was answered and has no stored reply")
      } else if stored?.reply != reply {
        found.append("\(name) was answered otherwise than is stored")
      }
    }
    // The journal is the program's own account.
    switch sent.verdict {
    case .accepted?:
      if !store.isAccepted(sent) { found.append("\(name) is accepted in the journal only") }
    case .refused?:
      if store.isAccepted(sent), sent.replies.first == stored?.reply {
        found.append("\(name) is refused in the journal only")
      }
    case .unsent?:
      if stored != nil { found.append("\(name) was certainly not sent, and has a reply") }
    case .sent?, .resent?, .dropped?, nil: break
    }
    return found
  }

  /// Every event with a reply must have been signed by its player, with that payload.
  private func strangers() -> [String] {
    store.replies.filter { world.signed($0.key)?.payloadHash != $0.value.payloadHash }
      .map { "event \($0.key.event) of player \($0.key.player) has a reply and was never signed" }
      .sorted()
  }

  /// Each wish must come true once, however often it was sent, and despite all kills.
  private func wishes() -> [String] {
    var fulfilled: [Int: [EventID]] = [:]
    for sent in world.senders.sent {
      guard let wish = sent.wish, store.isAccepted(sent) else { continue }
      fulfilled[wish, default: []].append(sent.key.event)
    }
    return fulfilled.filter { $0.value.count > 1 }.map {
      "wish \($0.key) came true by \($0.value.map(\.description).joined(separator: " and "))"
    }.sorted()
  }

  /// The seats and turns that players were told of must be theirs, or seats that they left again.
  private func told() -> [String] {
    world.told.compactMap { player, wish, told in
      switch told {
      case .registered(let name):
        store.players[player]?.name == name ? nil : "player \(player) is not called \(name)"
      case .seat(let ticket):
        store.matches[ticket.match]?.isSeat(ticket.seat, of: player) ?? false
          ? nil : "player \(player) was told of a seat in match \(ticket.match)"
      case .turn(let receipt):
        store.entries[receipt.match]?.contains { $0.hash == receipt.hash } ?? false
          ? nil : "turn \(receipt.turn) of match \(receipt.match) was said to count"
      case .done, .noted: nil
      }
    }
  }

  /// One code admits one player. Where codes are required, nobody comes in without one.
  private func codes() -> [String] {
    guard store.needsCode else { return [] }
    let used = store.registrationCodes.values.compactMap(\.self)
    return Set(used) == Set(store.players.keys) && used.count == store.players.count
      ? [] : ["\(store.players.count) players registered by \(used.count) codes"]
  }
}

extension SimulatedStore {
  /// Whether an event was accepted as it was signed.
  func isAccepted(_ sent: SenderLog.Sent) -> Bool { acceptance(of: sent) != nil }

  /// The answer to an event that was accepted as it was signed.
  func acceptance(of sent: SenderLog.Sent) -> Acceptance? {
    guard let stored = replies[sent.key], stored.payloadHash == sent.payloadHash,
      case .accepted(let acceptance) = (try? ReplyCodec.decode(stored.reply))?.reply
    else { return nil }
    return acceptance
  }
}

extension Match {
  /// Whether a seat is a player's, or the player has left one.
  fileprivate func isSeat(_ seat: Int, of player: PlayerID) -> Bool {
    self.seat(of: player) == seat || wasLeft(by: player)
  }
}

import CubePlay
import MatchCore
import MatchWire
import ServiceNews

/// Settings that are being saved: first the names are looked up, then one event follows the other.
struct Saving {
  var effect: GameEffect
  /// The players that are still to be looked up.
  var players: [SettingsChanges.Player]
  /// The events that are still to be told.
  var actions: [Event.Action] = []
}

extension ServiceWorld {
  /// Saves settings, and the rest of an earlier saving that the player did not wait for.
  mutating func save(_ edits: [SettingsEdit], _ effect: GameEffect) -> [GameAction] {
    let changes = SettingsChanges(edits)
    var saving = Saving(effect: effect, players: changes.players)
    if !changes.settings.isEmpty { saving.actions.append(.settingsChanged(changes.settings)) }
    for name in changes.removed { saving.actions.append(.deviceRemoved(name)) }
    for device in changes.devices { saving.actions.append(.deviceRegistered(device)) }
    if let left = self.saving, left.effect != effect {
      saving.players = left.players + saving.players
      saving.actions = left.actions + saving.actions
    }
    self.saving = saving
    return goOn(effect)
  }

  /// Whether settings are saved by an effect that the player did not wait for.
  func isLeft(_ effect: GameEffect) -> Bool {
    guard case .menu(.settings(.save)) = effect else { return false }
    return saving?.effect != effect
  }

  /// An effect was not carried out.
  mutating func failed(_ effect: GameEffect, _ trouble: ScreenTrouble) -> [GameAction] {
    guard !isLeft(effect) else { return trouble.isAway ? [.connectionLost] : [] }
    if case .menu(.settings(.save)) = effect { saving = nil }
    return effect.failed(trouble)
  }

  /// The player that a setting names is found.
  mutating func found(_ player: PlayerView, _ effect: GameEffect) -> [GameAction] {
    guard !isLeft(effect), var saving, let change = saving.players.first else { return [] }
    guard player.id != account.player else { return wrong(change.name, "is your own name") }
    saving.players.removeFirst()
    saving.actions.append(
      change.isBlocked ? .playerBlocked(player.id) : .playerUnblocked(player.id))
    self.saving = saving
    return goOn(effect)
  }

  mutating func nobodyFound(_ effect: GameEffect) -> [GameAction] {
    guard !isLeft(effect), let name = saving?.players.first?.name else { return [] }
    return wrong(name, "nobody has that name")
  }

  /// Goes on with the next look-up or event.
  mutating func goOn(_ effect: GameEffect) -> [GameAction] {
    guard !isLeft(effect), var saving else { return [] }
    if let change = saving.players.first {
      guard let name = PlayerName(change.name) else {
        return wrong(change.name, "no player's name")
      }
      ask(.player(name), for: effect)
      return []
    }
    guard !saving.actions.isEmpty else {
      self.saving = nil
      return [.menu(.settings(.answered(.saved)))]
    }
    let action = saving.actions.removeFirst()
    self.saving = saving
    tell(action, for: effect)
    return []
  }

  private mutating func wrong(_ name: String, _ why: String) -> [GameAction] {
    saving = nil
    return [.menu(.settings(.answered(.wrongName(name, why))))]
  }
}

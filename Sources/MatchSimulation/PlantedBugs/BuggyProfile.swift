import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

extension SimulatedPlayer {
  /// The profile's store with the mistake: at each start of the program, pending events are signed
  /// anew, as if they had never been sent.
  var storeRenewingPending: ProfileStore {
    var store = memory.store
    let load = store.loadPending
    var isRenewed = false
    store.loadPending = { () throws(ProfileError) in
      if !isRenewed { for event in try load().events { self.renew(event) } }
      isRenewed = true
      return try load()
    }
    return store
  }

  private func renew(_ pending: PendingEvent) {
    var event = pending.event
    event.id = EventID(at: world.clock.now, random: random.randomness.next128())
    guard let signer = signer ?? memory.key?.signer, let signed = try? signer.sign(event),
      let renewed = PendingEvent(event: event, envelope: Envelope.encode(signed))
    else { return }
    memory.pending[pending.id] = nil
    memory.pending[renewed.id] = renewed
    let wish = world.senders.event(EventKey(player: id, event: pending.id))?.wish
    world.senders.add(renewed, wish: wish, at: world.clock.now)
  }
}

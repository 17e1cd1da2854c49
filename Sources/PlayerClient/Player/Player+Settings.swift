public import MatchCore

// What the player sets. Each throws what `send` throws, and `ClientError.refused` where the service
// says no.
extension Player {
  /// Changes what is set about notifications; what the change does not name stays.
  public func change(_ change: SettingsChange) throws(ClientError) {
    try note(.settingsChanged(change))
  }

  /// Declares the account a bot's, once and for ever: it has no place on any board from then on.
  public func declareBot() throws(ClientError) { try change(SettingsChange(isBot: true)) }

  /// Says that a device can be notified, or not any more.
  public func register(_ device: Device) throws(ClientError) {
    try note(.deviceRegistered(device))
  }

  /// Takes a device away; one that is not there is no failure.
  public func removeDevice(_ name: DeviceName) throws(ClientError) {
    try note(.deviceRemoved(name))
  }

  /// Says that notifications were seen.
  public func see(_ seen: InboxSeen) throws(ClientError) { try note(.inboxSeen(seen)) }

  private func note(_ action: Event.Action) throws(ClientError) {
    guard case .noted = try acceptance(send(action)) else { throw .foreignReply }
  }
}

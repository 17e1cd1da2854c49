public import MatchCore

// The player's settings. Each call throws the errors of `send`, and `ClientError.refused` where the
// service says no.
extension Player {
  /// Changes the settings of notifications; settings that the change does not name stay.
  public func change(_ change: SettingsChange) throws(ClientError) {
    _ = try act(change)
  }

  /// Declares the account a bot's, once and for ever. From then on it has no place on any board.
  public func declareBot() throws(ClientError) { try change(SettingsChange(isBot: true)) }

  /// Says that a device can be notified, or not any more.
  public func register(_ device: Device) throws(ClientError) {
    _ = try act(device)
  }

  /// Takes a device away; one that is not there is no failure.
  public func removeDevice(_ name: DeviceName) throws(ClientError) {
    _ = try act(Event.DeviceRemoved(name))
  }

  /// Asks for a notification on all devices, to see that it arrives.
  public func testNotifications() throws(ClientError) { _ = try act(Event.NotificationTested()) }

  /// Says that notifications were seen.
  public func see(_ seen: InboxSeen) throws(ClientError) { _ = try act(seen) }
}

public import MatchCore
import MatchInterfaces
public import MatchWire

// The keys that speak for the player: the one that gave the player's id, and those of devices that
// were let in later.
extension Player {
  /// The key that signs.
  public var publicKey: PublicKey { signer.publicKey }

  /// The keys that speak for the player, and the open invitations of devices.
  public func keys() throws(ClientError) -> KeyList { try ask(Query.Keys()) }

  /// The player who lets a device in that shows a code. A device asks before it is anybody's.
  /// - Throws: `ClientError.queryRefused` with `codeUnknown` where nobody does, any more.
  public func inviter(_ code: DeviceCode) throws(ClientError) -> InvitingPlayer {
    try ask(Query.InvitationOf(code.hash(at: try pinnedService())))
  }

  /// Lets one more device in. The code is kept with the event until it is told: the service does not
  /// know it.
  public func inviteDevice() throws(ClientError) -> DeviceTicket {
    let ticket = try invite()
    // The answer to a wish of an hour ago tells a code that is over.
    return ticket.until > now ? ticket : try invite()
  }

  private func invite() throws(ClientError) -> DeviceTicket {
    let service = try pinnedService()
    let code = DeviceCode(random: randomness.next())
    let action = Event.Action.deviceInvited(code.hash(at: service))
    let (event, reply) = try deliver(Intent(action)) { () throws(ClientError) in
      Unsent(action: action, code: code)
    }
    _ = try acceptance(reply)
    guard let ticket = DeviceTicket(event, reply) else { throw .foreignReply }
    return ticket
  }

  /// Shows a code, so that this profile's key speaks for the player who lets it in.
  ///
  /// - Parameter device: The player's name for this device. Records of its matches have it.
  /// - Throws: `ClientError.recovering` where the key waits for a recovery.
  @discardableResult
  public func showCode(
    _ code: DeviceCode, to inviter: PlayerID, device: DeviceName? = nil
  ) throws(ClientError) -> PlayerName {
    do throws(ClientError) {
      return try show(.keyAdded(code, device: device), to: inviter)
    } catch {
      // A former service takes no name. The code is good still.
      guard device != nil, case .refused("malformed", _, _) = error else { throw error }
      return try show(.keyAdded(code), to: inviter)
    }
  }

  private func show(
    _ action: Event.Action, to inviter: PlayerID
  ) throws(ClientError) -> PlayerName {
    try checkFree()
    let (_, reply) = try deliver(Intent(action)) { () throws(ClientError) in
      Unsent(action: action, player: inviter)
    }
    guard let name = Event.KeyAdded.answer(try acceptance(reply)) else { throw .foreignReply }
    return name
  }

  /// A key must not speak for the player any more; perhaps this profile's own.
  public func removeKey(_ key: PublicKey) throws(ClientError) {
    _ = try act(Event.KeyRemoved(key))
  }
}

/// An invitation of a device, as the program knows it that made the code.
public struct DeviceTicket: Hashable, Sendable {
  public let code: DeviceCode
  /// The end of its validity, exclusive.
  public let until: Instant

  public init(code: DeviceCode, until: Instant) {
    self.code = code
    self.until = until
  }

  /// The invitation of an event that was answered; nil where that was another event, or a refusal.
  public init?(_ event: PendingEvent, _ reply: ReceivedReply) {
    guard case .accepted(.deviceInvited(let until)) = reply, let code = event.code else {
      return nil
    }
    self.init(code: code, until: until)
  }
}

package import Logging
package import MatchInterfaces
package import MatchService
import MatchWire

/// Everything that the parts of one gateway share.
package struct Gateway: Sendable {
  package let settings: GatewaySettings
  package let clock: WallClock
  package let randomness: Randomness
  package let log: Logger
  package let life = GatewayLife()
  package let meters = GatewayMeters()
  package let desk: GatewayDesk
  package let service: ServiceKnowledge
  package let changes: ChangeDesk
  package let wall: Wall
  let unnamedProxies = UnnamedProxies()
  let ownNames: OwnNames
  let failedRequests = FailedRequests()
  let cache: PublicCache
  let verifier: SignatureVerifier
  /// The page's index with each card that names nobody.
  let indexes: [LinkCard: WebPage.File]
  /// The index with cards that name players.
  let cards = CardTable()

  /// More messages than the requests that may wait: the gateway asks questions of its own.
  private static let ownMessages = 256
  /// Without a limit of waits.
  private static let messageLimit = 1_000_000

  /// - Parameters:
  ///   - descriptors: The file descriptors that the process may have for connections.
  ///   - wake: Wakes the thread with the broker's connection.
  package init(
    _ settings: GatewaySettings, descriptors: Int? = nil,
    verifier: SignatureVerifier = .live, clock: WallClock, randomness: Randomness, log: Logger,
    wake: @escaping @Sendable () -> Void
  ) {
    self.settings = settings
    (self.clock, self.randomness, self.log) = (clock, randomness, log)
    self.verifier = verifier
    ownNames = OwnNames(at: settings.listen, origin: settings.publicAddress)
    desk = GatewayDesk(
      limit: settings.waits.map { $0 + Gateway.ownMessages } ?? Gateway.messageLimit,
      clock: clock, wake: wake)
    service = ServiceKnowledge(clock: clock, randomness: randomness)
    changes = ChangeDesk(desk: desk, clock: clock, randomness: randomness, meters: meters)
    wall = Wall(settings, descriptors: descriptors, clock: clock)
    cache = PublicCache(desk: desk, clock: clock, randomness: randomness)
    let cards = [LinkCard.game, .invitation, .sharedGame].map { card in
      (card, WebPage.shared.index(card, at: settings.publicAddress))
    }
    indexes = Dictionary(uniqueKeysWithValues: cards)
  }

  /// Time has passed: called ten times a second.
  func tick() {
    desk.expire(at: clock.uptimeNanoseconds())
    changes.tick()
  }
}

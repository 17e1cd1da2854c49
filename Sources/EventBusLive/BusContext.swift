public import Logging
public import MatchInterfaces
public import MatchWire

/// The parts that every live bus of the service is made from.
public struct BusContext: Sendable {
  public var address: BrokerAddress
  /// The names of exchanges and queues.
  public var names: Names
  /// Paces new attempts to connect.
  public var clock: WallClock
  /// Jitters those attempts, and names a reader's own queue.
  public var randomness: Randomness
  /// The log of lost connections and refused messages.
  public var log: Logger

  public init(
    address: BrokerAddress, names: Names = Names(), clock: WallClock, randomness: Randomness,
    log: Logger
  ) {
    self.address = address
    self.names = names
    self.clock = clock
    self.randomness = randomness
    self.log = log
  }
}

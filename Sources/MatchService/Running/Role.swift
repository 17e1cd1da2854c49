import CubistBasics
package import MatchInterfaces

/// Something that the service does all the time, one step after another, on one thread.
///
/// A step waits for a fraction of a second at most, so that a role can be stopped between two
/// steps.
package protocol Role {
  /// Does one step of work.
  /// - Returns: how much was done; 0 if there was nothing to do.
  /// - Throws: `Interruption`; the role is of no use afterwards but for `leave`.
  @discardableResult
  func step() throws(Interruption) -> Int
  /// Finishes: gives back unfinished work and closes connections.
  func leave()
  /// The reason why it cannot work although its steps go well: it waits, and keeps its work in
  /// hand.
  var trouble: Interruption? { get }
  /// Hears between two steps that its connection to the store is lost, and connects anew by itself.
  /// - Throws: `Interruption` if it does not.
  func storeIsLost(_ error: StoreError) throws(Interruption)
}

extension Role {
  /// A role that does not wait is interrupted instead.
  package var trouble: Interruption? { nil }
  /// It is made anew.
  package func storeIsLost(_ error: StoreError) throws(Interruption) { throw .store(error) }
}

/// Why a step did not end well.
package enum Interruption: Error, Hashable, Sendable, CustomStringConvertible {
  /// The store failed: stop consuming until it answers again.
  case store(StoreError)
  /// The bus failed: open it anew.
  case bus(BusError)
  /// The service may not sign: wait for a working key that is certified.
  case keys(ServiceKeyError)
  /// The receiver of notifications takes none; the role goes on trying.
  case receiver(String)
  /// It cannot listen for clients; it goes on trying.
  case listener(String)

  /// The beginning of the text where the bus failed.
  package static let busMark = "event bus "

  /// The text for a log.
  package var description: String {
    switch self {
    case .store(let error): "\(error)"
    case .bus(let error): Interruption.busMark + "\(error)"
    case .keys(let error): "\(error)"
    case .receiver(let text), .listener(let text): text
    }
  }

  /// Which side failed: a label of metrics.
  var side: String {
    switch self {
    case .store: "store"
    case .bus: "bus"
    case .keys: "keys"
    case .receiver: "receiver"
    case .listener: "listener"
    }
  }
}

func onStore<Result>(
  _ body: @autoclosure () throws(StoreError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.store, body)
}

func onStore<Result>(
  _ body: () throws(StoreError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.store, body)
}

func onKeys<Result>(
  _ body: @autoclosure () throws(ServiceKeyError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.keys, body)
}

func onKeys<Result>(
  _ body: () throws(ServiceKeyError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.keys, body)
}

func onBus<Result>(
  _ body: @autoclosure () throws(BusError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.bus, body)
}

func onBus<Result>(
  _ body: () throws(BusError) -> Result
) throws(Interruption) -> Result {
  try mapErrors(Interruption.bus, body)
}

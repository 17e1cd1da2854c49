package import MatchInterfaces
import Synchronization

/// Judges the addresses that requests lead to, each before a connection is made or used again.
///
/// One address of a client's choice has `perMinute` requests in a minute, whichever names lead there.
/// It may belong to somebody who has nothing to do with the service.
package final class PushReach: Sendable {
  private let gate: PushGate
  private let clock: WallClock
  private let budgets: Mutex<TokenBuckets<InternetAddress>?>
  /// Addresses that are remembered at most before those with all of their requests are forgotten.
  private static let memoryLimit = 8_192

  /// - Parameter perMinute: The requests to one address; nil: any number.
  package init(_ gate: PushGate, perMinute: Int?, clock: WallClock) {
    self.gate = gate
    self.clock = clock
    budgets = Mutex(perMinute.map(TokenBuckets.init))
  }

  /// The reason to refuse an address of 16 bytes (IPv4 as `::ffff:a.b.c.d`) and a port to a request
  /// whose URL a client chose. Nil: it may be reached.
  package func refusal(of bits: UInt128, port: Int, for url: String) -> String? {
    if let refusal = gate.refusal(of: bits, port: port) { return refusal }
    let address = InternetAddress(bits: bits)
    // Names of makers lead where the makers want. The operator answers for the networks of the gate.
    guard !PushOrigin(of: url).isOfMaker, !gate.isAllowed(address) else { return nil }
    let uptime = clock.uptimeNanoseconds()
    let seconds = budgets.withLock { budgets -> Int64? in
      budgets?.forgetFull(beyond: PushReach.memoryLimit, at: uptime)
      return budgets?.take(from: (address.carried ?? address).counted, at: uptime)
    }
    return seconds.map { "the address has had its requests, and more in \($0) s" }
  }
}

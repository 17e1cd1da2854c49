import MatchService

/// Addresses with the same beginning, which may all be one party's.
struct Network: Hashable, Sendable {
  /// Its first address.
  let first: InternetAddress
  /// The bits that its addresses have in common; for IPv4 those of the form `::ffff:a.b.c.d`.
  let length: Int

  /// How often each size of a network has the registrations of one address.
  static let factors = [1, 2, 4]

  private init(_ length: Int, of address: InternetAddress) {
    first = InternetAddress(bits: address.bits & ~UInt128(0) << UInt128(128 - length))
    self.length = length
  }

  /// The networks of an address, the smallest first.
  ///
  /// A household has 64 or 56 bits of IPv6, a company or a tenant of a data center 48. Whoever has
  /// several addresses of IPv4 mostly has them beside each other.
  static func all(of address: InternetAddress) -> [(network: Network, factor: Int)] {
    let sizes =
      address.isIPv4
      ? [(length: 128, factor: 1), (length: 120, factor: 4)]
      : [(length: 64, factor: 1), (length: 56, factor: 2), (length: 48, factor: 4)]
    return sizes.map { (Network($0.length, of: address), $0.factor) }
  }

  /// The largest of them: what one party has at most.
  static func largest(of address: InternetAddress) -> Network {
    Network(address.isIPv4 ? 120 : 48, of: address)
  }
}

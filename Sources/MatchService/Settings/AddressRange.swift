#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An address of the internet. An IPv4 address that IPv6 carries (`::ffff:a.b.c.d`) is one of IPv4.
package struct InternetAddress: Hashable, Sendable {
  /// The address as IPv6 writes it, an IPv4 address as `::ffff:a.b.c.d`.
  package let bits: UInt128

  private static let mapped: UInt128 = 0xffff << 32

  package init(bits: UInt128) { self.bits = bits }

  /// Reads the text form of IPv4 or IPv6, without a port and without brackets. Nil for anything
  /// else, names included.
  package init?(_ text: some StringProtocol) {
    // Longer ones do not exist, and a zero byte would end the text for the C library.
    guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
    let text = String(text)
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bits = InternetAddress.mapped | UInt128(UInt32(bigEndian: four.s_addr))
      return
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    bits = withUnsafeBytes(of: &six) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
  }

  /// Whether it is of IPv4.
  package var isIPv4: Bool { bits >> 32 == 0xffff }

  /// Whether it leads to this machine alone.
  package var isLoopback: Bool { isIPv4 ? UInt8(truncatingIfNeeded: bits >> 24) == 127 : bits == 1 }

  /// The part that limits count as one: an IPv4 address, or the first 64 bits of IPv6.
  package var counted: InternetAddress {
    isIPv4 ? self : InternetAddress(bits: bits & ~UInt128(UInt64.max))
  }
}

/// An address, or all addresses with the same beginning: `10.0.0.0/8`.
package struct AddressRange: Hashable, Sendable {
  private let first: UInt128
  private let mask: UInt128

  /// Reads an address or a range in the form of CIDR; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = InternetAddress(parts[0]) else { return nil }
    var length = 128
    if parts.count == 2 {
      let limit = address.isIPv4 ? 32 : 128
      guard let given = Int(parts[1]), 0...limit ~= given else { return nil }
      length = given + 128 - limit
    }
    mask = length == 0 ? 0 : ~UInt128(0) << UInt128(128 - length)
    first = address.bits & mask
  }

  package func contains(_ address: InternetAddress) -> Bool { address.bits & mask == first }
}

extension InternetAddress: CustomStringConvertible {
  /// The text form of IPv4 or IPv6.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let isMade =
      if isIPv4 {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: bits).bigEndian) {
          inet_ntop(AF_INET, $0.baseAddress, &text, socklen_t(text.count)) != nil
        }
      } else {
        withUnsafeBytes(of: bits.bigEndian) {
          inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) != nil
        }
      }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return isMade ? String(decoding: bytes, as: UTF8.self) : ""
  }
}

extension AddressRange {
  /// A list with commas; nil if a part of it is no range.
  package static func list(_ text: String) -> [AddressRange]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " } }
    let ranges = parts.compactMap { AddressRange($0) }
    return ranges.count == parts.count ? ranges : nil
  }
}

/// The addresses that a client may lead the service to: those of the internet, on the port of HTTPS.
package struct PushGate: Hashable, Sendable {
  /// The operator's networks that clients may name all the same, on any port.
  package var allowed: [AddressRange]

  package init(allowed: [AddressRange] = []) { self.allowed = allowed }

  /// The reason to refuse an address of 16 bytes (IPv4 as `::ffff:a.b.c.d`) and a port. Nil: it may
  /// be reached.
  package func refusal(of bits: UInt128, port: Int) -> String? {
    let address = InternetAddress(bits: bits)
    guard !isAllowed(address) else { return nil }
    if let kind = address.specialKind { return "the address is \(kind)" }
    return port == 443 ? nil : "the port is not 443"
  }

  /// Whether it is in one of the operator's networks.
  func isAllowed(_ address: InternetAddress) -> Bool {
    let inner = address.carried
    return allowed.contains { range in
      range.contains(address) || inner.map(range.contains) ?? false
    }
  }
}

extension InternetAddress {
  /// The kind of an address that is no ordinary one of the internet. Nil: it is one.
  ///
  /// An address that carries one of IPv4 is judged by that one. Sources: the IANA registries of
  /// special-purpose addresses for IPv4 and IPv6, RFC 6890 and RFC 8190.
  package var specialKind: String? {
    if isIPv4 { return InternetAddress.kind(of: self, among: InternetAddress.special4) }
    if let carried { return carried.specialKind }
    if let kind = InternetAddress.kind(of: self, among: InternetAddress.special6) { return kind }
    // Only this part of IPv6 is given out.
    return bits >> 125 == 1 ? nil : "not assigned"
  }

  /// The IPv4 address that an address of IPv6 stands for by one of the ways of transition.
  var carried: InternetAddress? {
    guard !isIPv4 else { return nil }
    let four: UInt128? =
      if bits >> 32 == UInt128(0x64_ff9b) << 64 {
        // NAT64: 64:ff9b::/96.
        bits & 0xffff_ffff
      } else if bits >> 112 == 0x2002 {
        // 6to4: 2002::/16.
        bits >> 80 & 0xffff_ffff
      } else if bits >> 96 == 0x2001_0000 {
        // Teredo: 2001::/32, with the client's address inverted.
        ~bits & 0xffff_ffff
      } else {
        nil
      }
    return four.map { InternetAddress(bits: 0xffff << 32 | $0) }
  }

  private static func kind(
    of address: InternetAddress, among ranges: [(range: AddressRange?, kind: String)]
  ) -> String? {
    ranges.first { $0.range?.contains(address) ?? false }?.kind
  }

  static let special4: [(range: AddressRange?, kind: String)] = [
    (AddressRange("0.0.0.0/8"), "unspecified"),
    (AddressRange("10.0.0.0/8"), "private"),
    (AddressRange("100.64.0.0/10"), "of a carrier's network"),
    (AddressRange("127.0.0.0/8"), "a loopback"),
    (AddressRange("169.254.0.0/16"), "link-local"),
    (AddressRange("172.16.0.0/12"), "private"),
    (AddressRange("192.0.0.0/24"), "reserved"),
    (AddressRange("192.0.2.0/24"), "for documentation"),
    (AddressRange("192.88.99.0/24"), "reserved"),
    (AddressRange("192.168.0.0/16"), "private"),
    (AddressRange("198.18.0.0/15"), "for benchmarks"),
    (AddressRange("198.51.100.0/24"), "for documentation"),
    (AddressRange("203.0.113.0/24"), "for documentation"),
    (AddressRange("224.0.0.0/4"), "a multicast one"),
    (AddressRange("240.0.0.0/4"), "reserved"),
  ]

  static let special6: [(range: AddressRange?, kind: String)] = [
    (AddressRange("::/128"), "unspecified"),
    (AddressRange("::1/128"), "a loopback"),
    // The rest of the former form of carried IPv4 addresses.
    (AddressRange("::/96"), "reserved"),
    // NAT64 of an operator's own network.
    (AddressRange("64:ff9b:1::/48"), "private"),
    (AddressRange("100::/64"), "a black hole"),
    (AddressRange("2001::/23"), "reserved"),
    (AddressRange("2001:db8::/32"), "for documentation"),
    (AddressRange("3fff::/20"), "for documentation"),
    (AddressRange("5f00::/16"), "reserved"),
    (AddressRange("fc00::/7"), "private"),
    (AddressRange("fe80::/10"), "link-local"),
    (AddressRange("fec0::/10"), "private"),
    (AddressRange("ff00::/8"), "a multicast one"),
  ]
}

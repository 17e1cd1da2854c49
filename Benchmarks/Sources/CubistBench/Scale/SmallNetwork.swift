import Foundation
import Glibc

/// A bridge, and network namespaces beside it: machines as the service sees them.
///
/// The servers listen on 127.0.0.1 of this process's namespace. In the other ones the loopback
/// device stays down, and 127.0.0.1 is a route to the bridge. So every byte to a server crosses
/// the bridge, and addresses are the same everywhere.
final class SmallNetwork {
  /// A namespace with an address of its own.
  struct Place {
    let name: String
    let address: String
    fileprivate let device: String

    /// The command line that runs a program there.
    func command(_ program: [String]) -> [String] {
      ["/usr/sbin/ip", "netns", "exec", name] + program
    }
  }

  private static let bridge = "cubist-scale"
  private static let address = "10.77.0.1"
  /// The addresses that a place may have.
  static let range = "10.77.0.0/24"
  static let capacity = 200

  private let log: String
  private let delayMilliseconds: Double
  private var count = 0

  /// - Parameter log: The file for what the commands say.
  init(delayMilliseconds: Double, log: String) throws {
    self.log = log
    self.delayMilliseconds = delayMilliseconds
    try ip("link", "add", SmallNetwork.bridge, "type", "bridge")
    try ip("addr", "add", "\(SmallNetwork.address)/24", "dev", SmallNetwork.bridge)
    try ip("link", "set", SmallNetwork.bridge, "up")
    try run(["/bin/sh", "-c", SmallNetwork.routesLoopback(SmallNetwork.bridge)])
  }

  /// Makes one more namespace.
  func place() throws -> Place {
    count += 1
    guard count <= SmallNetwork.capacity else { throw BenchFailure("too many namespaces") }
    let place = Place(
      name: "cubist-\(count)", address: "10.77.0.\(count + 1)", device: "cubist-\(count)")
    try ip("netns", "add", place.name)
    try ip(
      "link", "add", place.device, "type", "veth", "peer", "name", "eth0", "netns", place.name)
    try ip("link", "set", place.device, "master", SmallNetwork.bridge, "up")
    try ip("-n", place.name, "addr", "add", "\(place.address)/24", "dev", "eth0")
    try ip("-n", place.name, "link", "set", "eth0", "up")
    try run(place.command(["/bin/sh", "-c", SmallNetwork.routesLoopback("eth0")]))
    try ip(
      "-n", place.name, "route", "add", "127.0.0.1/32", "via", SmallNetwork.address, "dev", "eth0")
    if delayMilliseconds > 0 {
      // Both ends delay by half of it.
      let half = "\(delayMilliseconds / 2)ms"
      try run(place.command(["/usr/sbin/tc"] + SmallNetwork.netem("eth0", half)))
      try run(["/usr/sbin/tc"] + SmallNetwork.netem(place.device, half))
    }
    return place
  }

  /// The bytes that a place has sent and received.
  func bytes(of places: [Place]) -> Double {
    let table = (try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8)) ?? ""
    var sum = 0.0
    for line in table.split(separator: "\n") {
      let parts = line.split(separator: ":")
      guard parts.count == 2,
        places.contains(where: { $0.device == parts[0].trimmingCharacters(in: .whitespaces) })
      else { continue }
      let fields = parts[1].split(separator: " ").compactMap { Double($0) }
      if fields.count > 8 { sum += fields[0] + fields[8] }
    }
    return sum
  }

  private static func routesLoopback(_ device: String) -> String {
    "echo 1 >/proc/sys/net/ipv4/conf/\(device)/route_localnet"
  }

  private static func netem(_ device: String, _ delay: String) -> [String] {
    ["qdisc", "add", "dev", device, "root", "netem", "delay", delay, "limit", "100000"]
  }

  private func ip(_ words: String...) throws { try run(["/usr/sbin/ip"] + words) }

  private func run(_ command: [String]) throws {
    _ = try Child.run(
      command, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], log: log)
  }
}

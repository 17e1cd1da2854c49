import CubistBasics
import MatchCore
import PagePlayer

// deploy/wasm compiles this file too: the page's player says the same in a browser's engine, where
// an `Int` has 32 bits and SHA-256 is the project's own.

/// What the page's player says and shows while it takes a name, as one number.
enum Spoken {
  /// The number that every build has to reach.
  static let golden: UInt64 = 7_697_136_535_181_158_440

  static let key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
  static let service = "5e71ce00-0000-0000-0000-000000000001"
  /// The player of that key.
  static let player = "60e8a2ff-7745-0eaf-e635-22cbafef2282"
  static let rootKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
  /// The time of the page's clock, which is an hour behind the service's.
  static let now = Instant(microseconds: 1_777_600_000_000_000)

  static func hash() -> UInt64 {
    var hash = FNV1a()
    guard var page = PagePlayer(kept: key, seed: 5) else { return 0 }
    func add(_ bytes: [UInt8]) { for byte in bytes { hash.add(byte) } }
    func ask(_ wish: String, _ answer: (String) -> String) {
      guard let wish = PageWish(wish), let message = page.message(wish, at: now) else {
        return add([0])
      }
      add(page.envelope(message, signature: Array(repeating: 7, count: 64)) ?? [])
      page.hear(Array(answer(id(in: message)).utf8), at: now, roundTrip: 90_000)
      add(page.json())
    }
    ask("whoami") { $0 }
    ask("service") { serviceInfo(to: $0) }
    ask("register ada") { refusedName(to: $0) }
    ask("register Ada_2 ABCD1234") { registered("Ada_2", to: $0) }
    ask("whoami") { account("Ada_2", to: $0) }
    ask("whoami") { _ in account("Ada_2", to: service) }
    ask("service") { serviceInfo(to: $0, from: player) }
    return hash.value
  }

  /// The id that a message names.
  static func id(in message: [UInt8]) -> String {
    let start = Array("\"id\":\"".utf8)
    let place = message.indices.first { message[$0...].starts(with: start) }
    guard let place else { return "" }
    return String(decoding: message[(place + start.count)...].prefix(36), as: UTF8.self)
  }

  static func serviceInfo(to query: String, from service: String = service) -> String {
    """
    {"v":1,"query":"\(query)","ok":{"certificates":[],"limits":{"entries":1024,"moves":81,\
    "payloadBytes":1024,"queriesPerMinute":600,"turnBytes":4096},"now":1777603600000000,\
    "oldestClient":"0.1.0","queueCount":16,"registration":"code","rootKey":"\(rootKey)",\
    "service":"\(service)","version":"0.1.0"}}
    """
  }

  static func refusedName(to event: String) -> String {
    """
    {"v":1,"event":"\(event)","refused":{"name":"nameTaken","values":{"name":"ada"},\
    "message":"The name \\"ada\\" is taken."}}
    """
  }

  static func registered(_ name: String, to event: String) -> String {
    """
    {"v":1,"event":"\(event)","accepted":{"type":"registered",\
    "player":"\(player)","name":"\(name)"}}
    """
  }

  static func account(_ name: String, to query: String) -> String {
    """
    {"v":1,"query":"\(query)","ok":{"id":"\(player)",\
    "name":"\(name)","rating":{"deviation":350,"isProvisional":true,"matches":0,"rating":1500},\
    "registeredAt":1777603600000000}}
    """
  }
}

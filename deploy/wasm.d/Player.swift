// The module of the page's player at a service, which the page calls. Bytes go in and out through
// one buffer; see docs/web.md.

import MatchCore
import MatchWire
import PagePlayer

// A module of WebAssembly has one thread.
nonisolated(unsafe) private var player: PagePlayer?
nonisolated(unsafe) private var answer: [UInt8] = []
/// Room for the largest answer.
nonisolated(unsafe) private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(
  capacity: 1 << 18)

/// Where the page writes at most 256 KB.
@_cdecl("input")
public func input() -> UnsafeMutablePointer<UInt8>? { buffer.baseAddress }

/// Where the last answer stands.
@_cdecl("output")
public func output() -> UnsafePointer<UInt8>? { answer.withUnsafeBufferPointer { $0.baseAddress } }

/// Begins with so many bytes of input: what was kept of a player, or the public key alone. Gives
/// the number of bytes of the state; 0: the input is neither.
@_cdecl("start")
public func start(_ seed: UInt64, _ count: Int) -> Int {
  player = PagePlayer(kept: text(count), seed: seed)
  return write(player?.json())
}

/// Makes what is to be signed for a wish of so many bytes, at a time in microseconds. Gives its
/// number of bytes; 0: the input is no wish, or the service has to be asked about itself first.
@_cdecl("message")
public func message(_ now: Int64, _ count: Int) -> Int {
  guard let wish = PageWish(text(count)) else { return 0 }
  return write(player?.message(wish, at: Instant(microseconds: now)))
}

/// Makes the body of a message: so many bytes of input are the signature of 64 bytes and what was
/// signed. Gives its number of bytes; 0: the input is something else.
@_cdecl("envelope")
public func envelope(_ count: Int) -> Int {
  let input = buffer.prefix(count)
  return write(
    player?.envelope(Array(input.dropFirst(64)), signature: Array(input.prefix(64))))
}

/// Expects the reply to the event whose body of so many bytes was sent before. Gives 1; 0: it is not
/// this player's.
@_cdecl("resume")
public func resume(_ count: Int) -> Int {
  player?.resume(Array(buffer.prefix(count))) == true ? 1 : 0
}

/// Takes a reply or an answer of so many bytes, that came at a time and took so long, both in
/// microseconds. Gives the number of bytes of the state.
@_cdecl("hear")
public func hear(_ now: Int64, _ roundTrip: Int64, _ count: Int) -> Int {
  player?.hear(
    Array(buffer.prefix(count)), at: Instant(microseconds: now), roundTrip: roundTrip)
  return write(player?.json())
}

/// Makes the text of the file that keeps a secret key, of its seed of 32 bytes. Gives its number of
/// bytes.
@_cdecl("keyText")
public func keyText(_ count: Int) -> Int {
  write(Array("\(KeyText.encode(Array(buffer.prefix(count))))\n".utf8))
}

private func text(_ count: Int) -> String { String(decoding: buffer.prefix(count), as: UTF8.self) }

private func write(_ bytes: [UInt8]?) -> Int {
  answer = bytes ?? []
  return answer.count
}

// The functions of Web/player.wasm, the page of a player at a service. Bytes go in and out through
// one buffer; see docs/web.md.

import CubeLexicon
import CubePlay
import CubistPage
import MatchCore
import MatchWire
import PagePlayer

// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var page: ServicePage?
// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var answer: [UInt8] = []
// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)

/// Where the page writes so many bytes.
@_cdecl("input")
public func input(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
  if count > buffer.count {
    buffer.deallocate()
    buffer = .allocate(capacity: count)
  }
  return buffer.baseAddress
}

/// Where the last answer stands.
@_cdecl("output")
public func output() -> UnsafePointer<UInt8>? { answer.withUnsafeBufferPointer { $0.baseAddress } }

/// Begins with so many bytes of input: what was kept of a player, or the public key alone, of zeros
/// where the page cannot sign; a second line is the code of a shared game to be shown. Gives the
/// number of bytes of the state; 0: the input is neither. The words were copied before.
@_cdecl("start")
public func start(_ seed: UInt64, _ count: Int) -> Int {
  let lines = text(count).split(separator: "\n", maxSplits: 1)
  let account = lines.first.flatMap { Account(kept: String($0), seed: seed) }
  let code = lines.dropFirst().first.flatMap { ShareCode(typed: $0) }
  page = account.map { ServicePage(account: $0, words: .english, sharedGame: code) }
  return writeState()
}

/// Carries out an action of so many bytes. Gives the number of bytes of the state; 0: the input is no
/// action.
@_cdecl("act")
public func act(_ count: Int) -> Int {
  page?.act(bytes(count)) == true ? writeState() : 0
}

/// Makes the next message, at a time in microseconds. Gives its number of bytes: one for its kind, 36
/// for its id, and the bytes to be signed. 0: there is none.
@_cdecl("next")
public func next(_ now: Int64) -> Int {
  guard let message = page?.world.next(at: Instant(microseconds: now)) else { return 0 }
  return write([message.kind.rawValue] + Array(message.id.description.utf8) + message.message)
}

/// Makes the body of a message: so many bytes of input are the signature of 64 bytes and the signed
/// ones. The key of recovery words has signed it, or this browser's own. Gives its number of bytes; 0:
/// the input is something else.
@_cdecl("envelope")
public func envelope(_ isByWords: Bool, _ count: Int) -> Int {
  let input = bytes(count)
  let account = page?.world.account
  return write(
    account?.envelope(
      Array(input.dropFirst(64)), signature: Array(input.prefix(64)), isByWords: isByWords))
}

/// Expects the reply to the event whose body of so many bytes was sent before. Gives the 36 bytes of
/// its id; 0: it is not this player's.
@_cdecl("resume")
public func resume(_ count: Int) -> Int {
  guard let id = page?.world.resume(bytes(count)) else { return 0 }
  return write(Array(id.description.utf8))
}

/// Gives the seconds after which the event of an id is sent again; -1: it is answered.
@_cdecl("waits")
public func waits(_ count: Int) -> Int {
  guard let id = id(count), let seconds = page?.world.resendPause(id) else { return -1 }
  return Int(clamping: seconds)
}

/// Takes a reply or an answer of so many bytes, that came at a time and took so long, both in
/// microseconds. Gives the number of bytes of the state.
@_cdecl("hear")
public func hear(_ now: Int64, _ roundTrip: Int64, _ count: Int) -> Int {
  page?.hear(bytes(count), at: Instant(microseconds: now), roundTrip: roundTrip)
  return writeState()
}

/// Takes a public answer: so many bytes of input are the id of its message and the content, which
/// is empty where there is nothing at that path. Times are as for an answer. Gives the number of
/// bytes of the state.
@_cdecl("published")
public func published(_ now: Int64, _ roundTrip: Int64, _ count: Int) -> Int {
  if let id = id(min(count, 36)) {
    let content = Array(bytes(count).dropFirst(36))
    page?.published(
      content.isEmpty ? nil : content, to: id, at: Instant(microseconds: now), roundTrip: roundTrip)
  }
  return writeState()
}

/// Tells that the query of an id got no answer, and whether the service was reached, and failed.
/// Gives the number of bytes of the state.
@_cdecl("lost")
public func lost(_ isFailure: Bool, _ count: Int) -> Int {
  if let id = id(count) { page?.lost(id, isFailure: isFailure) }
  return writeState()
}

/// Tells that the event of an id has no answer yet. Gives the number of bytes of the state.
@_cdecl("delayed")
public func delayed(_ count: Int) -> Int {
  if let id = id(count) { page?.delayed(id) }
  return writeState()
}

/// Takes so many bytes of the stream of changes. Gives the number of bytes of the state; 0: the
/// stream cannot be read.
@_cdecl("stream")
public func stream(_ count: Int) -> Int {
  page?.streamed(bytes(count)) == true ? writeState() : 0
}

/// Tells that the stream of changes is over. Gives the number of bytes of the state.
@_cdecl("ended")
public func ended() -> Int {
  page?.streamEnded()
  return writeState()
}

/// The most bytes of a record that are read.
@_cdecl("recordLimit")
public func recordLimit() -> Int { ServicePage.recordLimit }

/// Checks a file: so many bytes of input are its name, then so many its own. The file has a size in
/// all; below 0, it cannot be read. Gives the number of bytes of the state.
@_cdecl("file")
public func file(_ size: Int64, _ nameCount: Int, _ count: Int) -> Int {
  page?.check(
    file: Array(buffer.dropFirst(nameCount).prefix(count)), size: size, named: text(nameCount))
  return writeState()
}

/// Gives the signatures that the browser is to check: the number of the check in four bytes, then for
/// each a key of 32 bytes, a signature of 64, the length of the message in four, and the message. Gives
/// their number of bytes; 0: there are none.
@_cdecl("signatures")
public func signatures() -> Int { write(page?.takeSignatures()) }

/// Takes the browser's verdicts in a check: a byte for each signature, 1 or 0; none: it cannot check
/// them. Gives the number of bytes of the state.
@_cdecl("verdicts")
public func verdicts(_ number: Int, _ count: Int) -> Int {
  page?.hear(verdicts: bytes(count), of: number)
  return writeState()
}

/// Gives the record that the player saves: the length of its name in a byte, the name, and the record.
/// Gives their number of bytes; 0: there is none.
@_cdecl("record")
public func record() -> Int {
  guard let (name, bytes) = page?.takeRecord() else { return 0 }
  return write([UInt8(clamping: name.utf8.count)] + Array(name.utf8) + bytes)
}

/// Makes the text of the file that keeps a secret key, of its seed of 32 bytes. Gives its number of
/// bytes.
@_cdecl("keyText")
public func keyText(_ count: Int) -> Int {
  write(Array("\(KeyText.encode(bytes(count)))\n".utf8))
}

private func bytes(_ count: Int) -> [UInt8] { Array(buffer.prefix(count)) }

private func text(_ count: Int) -> String { String(decoding: buffer.prefix(count), as: UTF8.self) }

private func id(_ count: Int) -> EventID? { EventID(text(count)) }

private func write(_ bytes: [UInt8]?) -> Int {
  answer = bytes ?? []
  return answer.count
}

private func writeState() -> Int { write(page?.serviceJSON()) }

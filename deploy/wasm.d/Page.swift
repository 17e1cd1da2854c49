// The functions of Web/cubist.wasm that the page calls. Text goes through the memory of the module:
// the page writes into a buffer, calls, and reads the answer.

import CubePlay
import CubistPage
import CWords

// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var page: RobotPage?
// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var answer: [UInt8] = []
// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private var buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)

/// Where the page writes text of so many bytes.
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

/// Opens the game; so many bytes of input say how far the first steps have come. Gives the number of
/// bytes of the answer.
@_cdecl("start")
public func start(_ seed: UInt64, _ count: Int) -> Int {
  cubist_unpack_words()
  let progress = FirstStepsProgress(String(decoding: buffer.prefix(count), as: UTF8.self))
  page = RobotPage(seed: seed, firstSteps: progress)
  return write()
}

/// Goes on with the game that so many bytes of input lead to. Gives the number of bytes of the
/// answer; 0: nothing is changed, as the module cannot have written them.
@_cdecl("resume")
public func resume(_ count: Int) -> Int {
  guard let opened = page,
    let resumed = RobotPage(kept: buffer.prefix(count), firstSteps: opened.app.firstSteps)
  else { return 0 }
  page = resumed
  return write()
}

/// Has the output say what `resume` needs. Gives the number of bytes; 0: nothing is under way.
@_cdecl("kept")
public func kept() -> Int {
  answer = page?.kept ?? []
  return answer.count
}

/// Carries out an action of so many bytes. Gives the number of bytes of the answer; 0: the input is
/// no action.
@_cdecl("act")
public func act(_ count: Int) -> Int {
  guard let action = RobotAction(buffer.prefix(count)) else { return 0 }
  page?.act(action)
  return write()
}

private func write() -> Int {
  answer = page?.json() ?? []
  return answer.count
}

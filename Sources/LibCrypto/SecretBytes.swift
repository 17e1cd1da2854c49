import COpenSSL

/// Bytes that are wiped when nobody needs them any more.
package final class SecretBytes: Sendable {
  // SAFETY: written before anybody else has the object, and wiped when nobody has it.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  /// A copy of bytes.
  package init(_ bytes: [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
  }

  /// Bytes that a function writes. It says whether it did.
  init?(count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Bool) {
    memory = .allocate(byteCount: count, alignment: 1)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let isWritten = memory.withMemoryRebound(to: UInt8.self) { bytes in
      bytes.baseAddress.map(write) ?? false
    }
    guard isWritten else { return nil }
  }

  deinit {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  /// How many there are.
  package var count: Int { memory.count }

  /// A copy, which is not wiped.
  package var bytes: [UInt8] { Array(memory) }

  /// Lends the bytes.
  func lend<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(memory))
  }
}

import CRabbitMQ

/// Scratch memory that C calls borrow.
///
/// Strings and tables are laid out here, so that no call needs a closure for each of them.
/// Everything in it dies at ``reset()``.
final class Arena {
  private static let chunkSize = 4096
  private var chunks: [UnsafeMutableRawBufferPointer]
  private var used = 0

  init() {
    chunks = [.allocate(byteCount: Self.chunkSize, alignment: 16)]
  }

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  func reset() {
    while chunks.count > 1 { chunks.removeLast().deallocate() }
    used = 0
  }

  private func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let start = (used + 15) & ~15
    let last = chunks[chunks.count - 1]
    if start + count <= last.count {
      used = start + count
      return .init(rebasing: last[start..<start + count])
    }
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(count, Self.chunkSize), alignment: 16)
    chunks.append(chunk)
    used = count
    return .init(rebasing: chunk[..<count])
  }

  func bytes(_ text: String) -> amqp_bytes_t {
    var text = text
    return text.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
  }

  func bytes(_ source: UnsafeRawBufferPointer) -> amqp_bytes_t {
    guard !source.isEmpty else { return amqp_bytes_t(len: 0, bytes: nil) }
    let target = allocate(source.count)
    target.copyMemory(from: source)
    return amqp_bytes_t(len: source.count, bytes: target.baseAddress)
  }

  /// Copies C structs, which need no destruction.
  func copies<T>(_ source: [T]) -> UnsafeMutablePointer<T>? {
    guard !source.isEmpty else { return nil }
    let target = allocate(source.count * MemoryLayout<T>.stride).bindMemory(to: T.self)
    _ = target.initialize(from: source)
    return target.baseAddress
  }
}

extension amqp_bytes_t {
  /// The bytes; valid as long as the memory they point to.
  var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: len) }

  /// The bytes as text; bytes that are not UTF-8 are replaced.
  var text: String { String(decoding: buffer, as: UTF8.self) }
}

/// The bytes that are on their way to a client.
struct Output {
  /// Shorter content goes out with the bytes before it.
  private static let joinedBytes = 16_384

  private var parts: [[UInt8]] = []
  private var written = 0

  var isEmpty: Bool { parts.isEmpty }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if let last = parts.indices.last, bytes.count < Output.joinedBytes {
      parts[last] += bytes
    } else {
      parts.append(bytes)
    }
  }

  /// The next bytes, and whether others follow.
  var next: (bytes: ArraySlice<UInt8>, isMore: Bool) {
    (parts.first?[written...] ?? [], parts.count > 1)
  }

  /// The system took some of the next bytes.
  mutating func remove(_ count: Int) {
    written += count
    guard written == parts.first?.count else { return }
    parts.removeFirst()
    written = 0
  }
}

import CZlib

/// Compression for clients that accept it.
enum Gzip {
  /// The bytes compressed; nil if that makes them no shorter.
  static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 is the largest window, and 16 more make the form that of gzip.
    let begun = deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard begun == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var bytes = bytes
    let packed = bytes.withUnsafeMutableBufferPointer { input in
      // Room for less than all: whatever needs more is not shorter.
      [UInt8](unsafeUninitializedCapacity: max(0, input.count - 1)) { output, count in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
      }
    }
    return packed.isEmpty ? nil : packed
  }
}

import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// Compression for clients that accept it.
enum Gzip {
  /// The bytes compressed; nil if that makes them no shorter.
  static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    // The compressor is a handler of HTTP. A channel without a connection runs it.
    let channel = EmbeddedChannel(handler: NIOHTTPRequestCompressor(encoding: .gzip))
    defer { _ = try? channel.finish() }
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
    let parts: [HTTPClientRequestPart] = [
      .head(head), .body(.byteBuffer(ByteBuffer(bytes: bytes))), .end(nil),
    ]
    var packed: [UInt8] = []
    do {
      for part in parts { try channel.writeOutbound(part) }
      while let part = try channel.readOutbound(as: HTTPClientRequestPart.self) {
        if case .body(.byteBuffer(let buffer)) = part { packed += buffer.readableBytesView }
      }
    } catch { return nil }
    return (1..<bytes.count).contains(packed.count) ? packed : nil
  }
}

import CWeb
import FoundationEssentials
import MatchCore

/// The page for browsers. Its files are carried in the binary.
///
/// The files stand in a folder that is named by their hash. So a browser may keep them for ever, and
/// asks only for a new index and a new service worker.
package struct WebPage: Sendable {
  /// A content, as it is sent.
  struct Form: Sendable {
    let bytes: [UInt8]
    /// Strong, so the forms of a file have different ones.
    let tag: String

    init(_ bytes: [UInt8]) { (self.bytes, tag) = (bytes, PublicCache.tag(of: bytes)) }
  }

  struct File: Sendable {
    let mediaType: String
    let plain: Form
    /// Compressed, if that makes it shorter.
    let packed: Form?

    init(mediaType: String, _ bytes: [UInt8], isPacked: Bool = true) {
      self.mediaType = mediaType
      plain = Form(bytes)
      packed = isPacked ? Gzip.packed(bytes).map { Form($0) } : nil
    }
  }

  /// The page of this binary. Compressing takes a moment, so a gateway has it made at its start.
  package static let shared = WebPage()

  /// The fields of every answer that a browser may show.
  static let guards: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      """
      default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'self'; \
      form-action 'none'; frame-ancestors 'none'
      """
    ),
    // No page that opened this one, or that this one opened, reaches its window.
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    // Nobody's page shows this one in a frame, to have a player click at what cannot be seen.
    ("X-Frame-Options", "DENY"),
  ]

  /// The name of the folder with all files but the service worker.
  let folder: String
  let index: File
  /// The index before and after the place of a link's card.
  private let indexParts: (opening: String, rest: String)
  /// The service worker. Its address is the same in every build, as browsers want it.
  let worker: File
  private let files: [Substring: File]

  private init() {
    let embedded = UnsafeBufferPointer(start: cubist_web_files, count: cubist_web_files_count)
    let contents = embedded.map { file in
      (
        name: String(cString: file.name), mediaType: String(cString: file.media_type),
        bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
      )
    }
    let list = contents.map { "\($0.name) \(Hash(sha256Of: $0.bytes))\n" }.joined()
    folder = String(Hash(sha256Of: Array(list.utf8)).description.prefix(Self.folderLength))
    let text = String(decoding: contents[0].bytes, as: UTF8.self)
    let head = "<head>\n"
    let parts = text.split(separator: head, maxSplits: 1, omittingEmptySubsequences: false)
    indexParts = (
      opening: "\(parts[0])\(head)<base href=\"/\(folder)/\">\n",
      rest: parts.dropFirst().joined()
    )
    index = File(
      mediaType: contents[0].mediaType, Array((indexParts.opening + indexParts.rest).utf8))
    let others = contents.dropFirst(2)
    let kept = [contents[0]] + others.prefix(cubist_web_game_files_count - 2)
    let names = kept.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let sent = [(contents[0].name, index.plain.bytes)] + others.map { ($0.name, $0.bytes) }
    let digests = sent.map { name, bytes in
      "\"\(name)\": \"sha256-\(Data(Hash(sha256Of: bytes).bytes).base64EncodedString())\""
    }.joined(separator: ", ")
    let build =
      "const build = \"\(folder)\";\nconst files = [\(names)];\nconst digests = { \(digests) };\n"
    worker = File(mediaType: contents[1].mediaType, Array(build.utf8) + contents[1].bytes)
    var files = [Substring(contents[0].name): index]
    for (name, mediaType, bytes) in others {
      files[Substring(name)] = File(mediaType: mediaType, bytes)
    }
    self.files = files
  }

  /// The index with the card of a link to it.
  ///
  /// - Parameter address: The service's public address, if that is known.
  /// - Parameter isPacked: Whether it is to be sent often, so that compressing it is worth while.
  func index(_ card: LinkCard, at address: String?, isPacked: Bool = true) -> File {
    let tags = card.tags(picture: "\(address ?? "")/\(folder)/card.png")
    return File(
      mediaType: index.mediaType, Array((indexParts.opening + tags + indexParts.rest).utf8),
      isPacked: isPacked)
  }

  /// A file of the folder with that name.
  func file(in folder: Substring, _ name: Substring) -> File? {
    folder == self.folder ? files[name] : nil
  }

  private static let folderLength = 32

  /// Whether it may be the folder of this page, or of that of another build.
  static func isFolder(_ name: Substring) -> Bool {
    name.utf8.count == folderLength
      && name.utf8.allSatisfy { byte in
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
      }
  }
}

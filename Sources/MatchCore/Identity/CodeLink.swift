/// The code in a link of the service, such as `https://play.example.org/g/7K3QX2M9`.
public struct CodeLink: Hashable, Sendable {
  /// What a link leads to.
  public enum Target: Hashable, Sendable {
    /// An open invitation.
    case invitation
    /// A game that somebody shared.
    case shared
    /// The addition of a device.
    case device
    /// A link of another form, or a code alone.
    case unknown
  }

  public var target: Target
  /// The code as it stands in the link; the whole text where that is no link.
  public var code: String

  /// Reads what a person pastes: a link, in `<` and `>` or with a full stop at its end perhaps, or a
  /// code alone.
  public init(pasted text: some StringProtocol) {
    let bytes = Self.trimmed(text.utf8)
    let (path, fragment) = Self.split(bytes, at: UInt8(ascii: "#"))
    let add = Array("add=".utf8)
    if let fragment, fragment.starts(with: add) {
      self.init(.device, fragment.dropFirst(add.count))
      return
    }
    let parts = Self.split(path, at: UInt8(ascii: "?")).0.split(separator: UInt8(ascii: "/"))
    let isLink = bytes.contains(UInt8(ascii: "/"))
    // The host is no code.
    let scheme = parts.first?.last == UInt8(ascii: ":") ? 1 : 0
    guard isLink, parts.count > scheme + 1, let last = parts.last else {
      self.init(.unknown, bytes)
      return
    }
    let kind = parts[parts.count - 2]
    self.init(
      kind.elementsEqual("g".utf8)
        ? .invitation : kind.elementsEqual("s".utf8) ? .shared : .unknown, last)
  }

  private init(_ target: Target, _ code: some Sequence<UInt8>) {
    self.target = target
    self.code = String(decoding: Array(code), as: UTF8.self)
  }

  private static func trimmed(_ text: some Sequence<UInt8>) -> ArraySlice<UInt8> {
    var bytes = ArraySlice(Array(text))
    func isBorder(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x09, 0x0a, 0x0d, UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "."), UInt8(ascii: ","):
        true
      default: false
      }
    }
    while let first = bytes.first, isBorder(first) { bytes.removeFirst() }
    while let last = bytes.last, isBorder(last) { bytes.removeLast() }
    return bytes
  }

  private static func split(
    _ bytes: ArraySlice<UInt8>, at mark: UInt8
  ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
    guard let place = bytes.firstIndex(of: mark) else { return (bytes, nil) }
    return (bytes[..<place], bytes[(place + 1)...])
  }
}

extension ShareCode {
  /// Takes a code as a person types it, or a link with one.
  public init?(pasted text: some StringProtocol) { self.init(typed: CodeLink(pasted: text).code) }
}

extension DeviceCode {
  /// Takes a code as a person types it, or a link with one.
  public init?(pasted text: some StringProtocol) { self.init(typed: CodeLink(pasted: text).code) }
}

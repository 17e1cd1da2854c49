/// The parts of an answer's bytes, found without reading all of it.
enum AnswerBytes {
  /// The content of `{"v":1,"query":…,"ok":CONTENT}`. Nil for a refusal.
  static func content(_ bytes: [UInt8]) -> [UInt8]? {
    let member = Array(",\"ok\":".utf8)
    for start in [withID, withoutID] where bytes.count > start + member.count + 1 {
      if bytes[start...].starts(with: member), bytes.last == UInt8(ascii: "}") {
        return Array(bytes[(start + member.count)..<(bytes.count - 1)])
      }
    }
    return nil
  }

  /// The bytes of `{"v":1,"query":"…"`, the id in its 36 characters.
  private static let withID = 53
  /// The bytes of `{"v":1,"query":null`.
  private static let withoutID = 19
}

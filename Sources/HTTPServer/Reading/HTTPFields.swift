/// The fields of a head, in their order, as they came.
package struct HTTPFields: Sendable {
  /// A field's name and value, as offsets from the beginning of the head.
  struct Place: Sendable {
    var name: Range<Int>
    var value: Range<Int>
  }

  /// The bytes of the head, and no others: a request that waits keeps them.
  private let bytes: [UInt8]
  private let places: [Place]

  init(_ bytes: ArraySlice<UInt8>, _ places: [Place]) {
    (self.bytes, self.places) = (Array(bytes), places)
  }

  /// The values of a field, one for each line that has it.
  /// - Parameter name: In lower case.
  package func values(_ name: String) -> [String] {
    places.filter { isNamed(name, $0) }.map { text($0.value) }
  }

  /// The number of lines that have a field.
  /// - Parameter name: In lower case.
  package func count(of name: String) -> Int { places.count { isNamed(name, $0) } }

  /// The memory of the fields.
  var byteCount: Int { bytes.count + places.count * MemoryLayout<Place>.stride }

  private func isNamed(_ name: String, _ place: Place) -> Bool {
    guard place.name.count == name.utf8.count else { return false }
    return zip(slice(place.name), name.utf8).allSatisfy { byte, wanted in
      byte == wanted || byte | 0x20 == wanted && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }
  }

  private func slice(_ place: Range<Int>) -> ArraySlice<UInt8> {
    bytes[place]
  }

  /// A character for each byte. As UTF-8 a byte that a client chooses could join with the comma that a
  /// proxy adds, or become an ASCII letter in lower case.
  private func text(_ place: Range<Int>) -> String {
    let bytes = slice(place)
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }
}

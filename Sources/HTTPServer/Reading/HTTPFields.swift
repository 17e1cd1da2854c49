/// The fields of a head, in their order, as they came.
package struct HTTPFields: Sendable {
  /// A field's name and value, as offsets from the beginning of the head.
  struct Place: Sendable {
    var name: Range<Int>
    var value: Range<Int>
  }

  /// The bytes that the head is in. Requests that came together share them.
  private let bytes: [UInt8]
  private let start: Int
  private let places: [Place]

  init(_ bytes: [UInt8], from start: Int, _ places: [Place]) {
    (self.bytes, self.start, self.places) = (bytes, start, places)
  }

  /// The values of a field, one for each line that has it.
  /// - Parameter name: In lower case.
  package func values(_ name: String) -> [String] {
    places.filter { isNamed(name, $0) }.map { text($0.value) }
  }

  /// The number of lines that have a field.
  /// - Parameter name: In lower case.
  package func count(of name: String) -> Int { places.count { isNamed(name, $0) } }

  /// The memory of the fields: each has a little more than its text.
  var byteCount: Int { places.reduce(0) { $0 + $1.name.count + $1.value.count + 32 } }

  private func isNamed(_ name: String, _ place: Place) -> Bool {
    guard place.name.count == name.utf8.count else { return false }
    return zip(slice(place.name), name.utf8).allSatisfy { byte, wanted in
      byte == wanted || byte | 0x20 == wanted && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }
  }

  private func slice(_ place: Range<Int>) -> ArraySlice<UInt8> {
    bytes[(start + place.lowerBound)..<(start + place.upperBound)]
  }

  private func text(_ place: Range<Int>) -> String { String(decoding: slice(place), as: UTF8.self) }
}

/// Lists of small numbers as text: each number is a character, and a space ends each list.
struct KeptText {
  private(set) var bytes: [UInt8] = []
  /// The place of the next list to be read.
  private var place = 0

  init() {}

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Whether nothing is left to be read.
  var isRead: Bool { place == bytes.count }

  /// Writes numbers from 0 to 93.
  mutating func write(_ numbers: [Int]) {
    for number in numbers { bytes.append(Self.zero + UInt8(number)) }
    bytes.append(Self.end)
  }

  /// The next list; nil where there is none, or where a number reaches the limit.
  mutating func read(below limit: Int) -> [Int]? {
    var numbers: [Int] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == Self.end { return numbers }
      let number = Int(byte) - Int(Self.zero)
      guard 0..<limit ~= number else { return nil }
      numbers.append(number)
    }
    return nil
  }

  private static let end = UInt8(ascii: " ")
  private static let zero = UInt8(ascii: "!")
}

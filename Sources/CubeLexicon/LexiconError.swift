/// Why a word list could not be loaded.
public enum LexiconError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system could not open or read the file, for the reason given.
  case unreadable(path: String, reason: String)
  /// The path names a folder, a pipe or a device.
  case notAFile(path: String)
  /// There are more bytes than ``Lexicon/maximumFileSize``.
  case tooLarge
  /// There is no word.
  case empty
  /// A line of a text file holds something other than the letters A–Z and a–z.
  case notAWord(line: Int)
  /// A line of a text file has more letters than ``Lexicon/maximumWordLength``.
  case lineTooLong(line: Int)
  /// The bytes are not a packed graph, which begins with eight fixed bytes.
  case notPacked
  /// A packed graph has another number of bytes than it says.
  case truncated
  /// A packed graph is of a format that this build does not know.
  case unknownFormat(UInt32)
  /// A packed graph's version name is not one that ``LexiconVersion`` allows.
  case badVersion
  /// The bytes of a packed graph are not those that were written.
  case checksumMismatch
  /// A packed graph is not a word graph; the unit is where that shows.
  case damaged(GraphFault, unit: Int)

  /// A fault of a packed graph whose checksum fits.
  public enum GraphFault: String, Hashable, Sendable {
    /// A unit has bits that mean nothing.
    case unknownBits
    /// An arc points outside the graph.
    case arcOutOfRange
    /// An arc points at itself or before it.
    case arcBackward
    /// An arc points at a place without a node.
    case arcToNothing
    /// No arc leads to the node of an arc.
    case unreachable
    /// An arc neither ends a word nor leads on.
    case deadEnd
    /// A word has more letters than ``Lexicon/maximumWordLength``.
    case wordTooLong
    /// The number of words is not the number stated.
    case wrongWordCount
  }

  /// A sentence for a person: the fault and the remedy.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "The word list \(path) cannot be read: \(reason)."
    case .notAFile(let path): "\(path) is not a file; name a word list."
    case .tooLarge:
      "The word list is too large; a file may have \(Lexicon.maximumFileSize) bytes."
    case .empty: "The word list is empty; put one word on each line."
    case .notAWord(let line):
      "Line \(line) of the word list is not a word of the letters A to Z; correct or remove it."
    case .lineTooLong(let line):
      "Line \(line) of the word list has over \(Lexicon.maximumWordLength) letters; remove it."
    case .notPacked: "The bytes are not a packed word list; make one, or name a text file."
    case .truncated: "The packed word list is incomplete; make or copy it again."
    case .unknownFormat(let format):
      "The packed word list has format \(format), which this version does not know; make it again."
    case .badVersion: "The packed word list has no valid version name; make it again."
    case .checksumMismatch: "The packed word list was changed or damaged; make or copy it again."
    case .damaged(let fault, let unit):
      "The packed word list is not a word graph (\(fault.rawValue) at unit \(unit)); make it again."
    }
  }
}

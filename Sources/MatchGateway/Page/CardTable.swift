import Synchronization

/// The page's index with the card of each shared game that was asked for lately, by the tag of the
/// service's answer. Anybody can ask for a card again and again, so making one must not be needed
/// each time. The table knows nothing of the age of an answer: another answer has another tag.
final class CardTable: Sendable {
  /// The most cards that are kept.
  static let capacity = 64

  private let files = Mutex(BoundedTable<String, WebPage.File>(capacity: CardTable.capacity))

  /// The number of cards that are kept.
  var count: Int { files.withLock { $0.count } }

  /// The index with the card of the answer with a tag; made now, unless it is kept.
  ///
  /// - Parameter make: Makes it. Nil, which is not kept, if the answer gives no card.
  func file(_ tag: String, make: () -> WebPage.File?) -> WebPage.File? {
    let kept = files.withLock { table -> WebPage.File? in
      guard let file = table[tag] else { return nil }
      // One that is used is young again.
      table[tag] = file
      return file
    }
    if let kept { return kept }
    guard let made = make() else { return nil }
    files.withLock { table in table[tag] = made }
    return made
  }
}

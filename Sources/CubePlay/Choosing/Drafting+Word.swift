internal import CubeLexicon
internal import CubeRules

extension Drafting {
  func typing(_ letter: Letter, _ words: Lexicon?) throws(Hindrance) -> Draft {
    var picks = draft.word?.picks ?? []
    if letter == .u, picks.last == .qWithoutU {
      picks[picks.count - 1] = .letter(.q)
    } else {
      picks.append(letter == .q ? .qWithoutU : .letter(letter))
    }
    return try choosing(picks, words, otherwise: .noPath([letter]))
  }

  func tapping(_ face: Face, _ words: Lexicon?) throws(Hindrance) -> Draft {
    let path = draft.word?.shown.faces ?? []
    guard face != path.last else { return takingBack(words) }
    guard !path.contains(face) else { throw Hindrance(notice: .rule(.faceRepeated(face))) }
    guard cleared.playable.contains(face) else {
      throw Hindrance(notice: .rule(.faceHidden(face)))
    }
    let picks = (draft.word?.picks ?? []) + [.face(face)]
    return try choosing(picks, words, otherwise: path.last.map { .rule(.notTouching($0, face)) })
  }

  /// A finger passes silently over faces that cannot be chosen.
  func dragging(over face: Face, _ words: Lexicon?) throws(Hindrance) -> Draft {
    if case .twoMarked = draft { return draft }
    let path = draft.word?.shown.faces ?? []
    if path.count > 1, face == path[path.count - 2] { return takingBack(words) }
    guard !path.contains(face), path.last?.touches(face) ?? true else { return draft }
    return try choosing((draft.word?.picks ?? []) + [.face(face)], words, otherwise: nil)
  }

  func takingBack(_ words: Lexicon?) -> Draft {
    guard let word = draft.word else {
      return switch draft {
      case .twoMarked(let first, _): .marked(first, then: nil)
      default: .empty
      }
    }
    let shorter = WordDraft(
      word.picks.dropLast(), keeping: word.shown.faces, on: cleared, words: words)
    return draft.with(shorter) ?? draft
  }

  /// The draft with other picks, where they have a path.
  private func choosing(
    _ picks: [Pick], _ words: Lexicon?, otherwise notice: Notice?
  ) throws(Hindrance) -> Draft {
    let before = draft.word?.shown.faces ?? []
    let word = WordDraft(picks, keeping: before, on: cleared, words: words)
    guard let longer = draft.with(word) else { throw Hindrance(notice: .full) }
    guard word != nil else { throw Hindrance(notice: notice) }
    return longer
  }
}

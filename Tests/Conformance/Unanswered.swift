package import MatchInterfaces

extension Interface {
  /// The names of the questions that have no answer set.
  package var unanswered: [String] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let question = child.value as? any Question, !question.isAnswered else { return nil }
      return "\(question.name)"
    }
  }
}

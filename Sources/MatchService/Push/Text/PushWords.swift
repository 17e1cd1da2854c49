import MatchCore
import MatchInterfaces

/// The words of one notification.
struct PushWords: Hashable {
  /// One line.
  var title: String
  /// One sentence, or a few.
  var body: String

  init(_ title: String, _ body: String) {
    self.title = title
    self.body = body
  }

  /// The words of a job.
  init(_ job: PushJob, _ details: PushStore.Details) {
    let facts = PushFacts(job, details)
    switch details.preferences.language {
    case .english: self = .english(facts)
    case .german: self = .german(facts)
    }
  }

  /// The words of jobs that come as one.
  init(_ news: PushNews, in language: PushLanguage) {
    switch language {
    case .english: self = .english(news)
    case .german: self = .german(news)
    }
  }
}

/// Counts with their words in a sentence, such as `2 turns, 1 invitation and 1 offer`. Nil: all are 0.
func joined(
  _ counts: [(count: Int, one: String, many: String)], and word: String
) -> String? {
  list(
    counts.filter { $0.count > 0 }.map { "\($0.count) \($0.count == 1 ? $0.one : $0.many)" },
    and: word)
}

/// A list in a sentence, such as `Ann, Bob and Cyd`. Nil: it is empty.
private func list(_ items: [String], and word: String) -> String? {
  guard let last = items.last, items.count > 1 else { return items.last }
  return "\(items.dropLast().joined(separator: ", ")) \(word) \(last)"
}

/// The facts that words may name.
struct PushFacts {
  var kind: PushJob.Kind
  /// The other player.
  var name: String?
  var day: Day?
  var yesterday: PushStore.Standing?
  var ending: Ending
  var waiting: PushStore.Waiting?
  var week: PushStore.WeekReview?

  enum Ending {
    case ordinary
    /// The invitation was declined.
    case declined
    /// The invitation was taken back, since the account of the player who invited has ended.
    case withdrawn
    /// Somebody gave up before the first move.
    case uncounted
  }

  init(_ job: PushJob, _ details: PushStore.Details) {
    kind = job.kind
    name = details.opponent.flatMap { PushName($0.name) }?.text
    day = job.day
    yesterday = details.yesterday
    ending =
      switch details.reason {
      case .declined: .declined
      case .withdrawn: .withdrawn
      default: job.turn != nil ? .uncounted : .ordinary
      }
    waiting = details.waiting
    week = details.week
  }
}

/// The facts about several matches, in one notification.
struct PushNews {
  /// The players of one topic.
  struct Names {
    /// Each once, as far as known. There are ``PushNews/nameLimit`` of them at most.
    var shown: [String]
    /// How many more there are.
    var others: Int
  }

  /// How many matches it tells of.
  let matchCount: Int
  /// How many matches each topic has: at least one.
  let counts: [(topic: PushJob.Kind.Topic, count: Int)]
  /// Of the only topic. Nil: there are several.
  let names: Names?

  static let nameLimit = 3

  init(_ bundle: PushBundle) {
    let parts = Dictionary(grouping: bundle.shown) { $0.topic }
    matchCount = bundle.shown.count
    // The key of one topic tells of all that waits. Others tell of what is new.
    let waiting = parts.count == 1 ? bundle.lead.details.waiting : nil
    counts = PushJob.Kind.Topic.allCases.compactMap { topic in
      parts[topic].map { (topic, max($0.count, waiting?.count(of: topic) ?? 0)) }
    }
    names = counts.count == 1 ? Names(bundle.shown.compactMap(\.details.opponent)) : nil
  }
}

extension PushStore.Waiting {
  fileprivate func count(of topic: PushJob.Kind.Topic) -> Int {
    switch topic {
    case .turn: turns
    case .offer: offers
    case .invitation: invitations
    case .beginning, .refusal, .ending, .reaction: 0
    }
  }
}

extension PushNews.Names {
  fileprivate init(_ players: [PushStore.Opponent]) {
    var ids: Set<PlayerID> = []
    let all = players.filter { ids.insert($0.id).inserted }.compactMap { PushName($0.name)?.text }
    shown = Array(all.prefix(PushNews.nameLimit))
    others = all.count - shown.count
  }

  /// A list in a sentence, such as `Ann, Bob and 2 others`. Nil: no name is known.
  func list(and word: String, _ others: (Int) -> String) -> (text: String, isOne: Bool)? {
    let items = self.others > 0 ? shown + [others(self.others)] : shown
    return MatchService.list(items, and: word).map { ($0, items.count == 1) }
  }
}

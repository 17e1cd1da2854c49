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

  /// The words of turns that come as one.
  init(turns: PushTurns, in language: PushLanguage) {
    switch language {
    case .english: self = .english(turns)
    case .german: self = .german(turns)
    }
  }
}

/// The facts that words may name.
struct PushFacts {
  var kind: PushJob.Kind
  /// The other player.
  var name: String?
  var day: Day?
  var yesterday: PushStore.Standing?
  var ending: Ending
  /// How many matches wait.
  var waiting: Int?
  var week: PushStore.WeekReview?

  enum Ending {
    case ordinary
    /// The invitation was declined.
    case declined
    /// Somebody gave up before the first move.
    case uncounted
  }

  init(_ job: PushJob, _ details: PushStore.Details) {
    kind = job.kind
    name = details.opponent.flatMap { PushName($0.name) }?.text
    day = job.day
    yesterday = details.yesterday
    ending = details.reason == .declined ? .declined : job.turn != nil ? .uncounted : .ordinary
    waiting = details.waiting
    week = details.week
  }
}

/// The facts about several turns that come as one.
struct PushTurns {
  /// How many matches wait: at least one.
  var count: Int
  /// The players who wait, each once, as far as known. There are ``PushTurns/nameLimit`` of them at
  /// most.
  var names: [String]
  /// How many other players wait.
  var others: Int

  static let nameLimit = 3

  /// - Parameter waiting: How many matches wait in all, if that is known.
  init(_ details: [PushStore.Details], waiting: Int?) {
    var ids: Set<PlayerID> = []
    let opponents = details.compactMap(\.opponent).filter { ids.insert($0.id).inserted }
    let all = opponents.compactMap { PushName($0.name)?.text }
    names = Array(all.prefix(PushTurns.nameLimit))
    others = all.count - names.count
    count = max(1, details.count, waiting ?? 0)
  }
}

import MatchCore
import Testing

@testable import MatchService

@Suite("States of the roles that lead")
struct LeadStateTests {
  private static let second: UInt64 = 1_000_000_000

  /// Takes events at seconds, and gives the change that the last one brings.
  private func watch(
    _ events: [(ReaderWatch.Event, UInt64)]
  ) -> (watch: ReaderWatch, change: ReaderWatch.Change?) {
    var watch = ReaderWatch.unproven(waitingSince: nil)
    var change: ReaderWatch.Change?
    for (event, time) in events { change = watch.take(event, at: time * Self.second) }
    return (watch, change)
  }

  @Test("Time passes only after a first answer, and not while a query waits for too long")
  func silence() {
    #expect(!watch([(.asked, 0), (.looked, 0)]).watch.letsTimePass)
    #expect(watch([(.asked, 0), (.answered, 1), (.looked, 1)]).watch.letsTimePass)
    let waiting: [(ReaderWatch.Event, UInt64)] = [
      (.answered, 0), (.asked, 1), (.looked, 1), (.asked, 2), (.looked, 5),
    ]
    #expect(watch(waiting).watch == .answering(waitingSince: Self.second))
    let silent = watch(waiting + [(.looked, 6)])
    #expect(silent.watch == .silent && silent.change == .fellSilent)
    let again = watch(waiting + [(.looked, 6), (.looked, 7)])
    #expect(again.watch == .silent && again.change == nil, "it is said once")
  }

  @Test("An outage that has begun ends with an answer, and with nothing else")
  func outage() {
    for event in [ReaderWatch.Event.asked, .couldNotAsk, .looked] {
      let after = watch([(.asked, 0), (.looked, 5), (event, 6)])
      #expect(after.watch == .silent && after.change == nil, "\(event)")
    }
    let over = watch([(.asked, 0), (.looked, 5), (.answered, 6)])
    #expect(over.watch == .answering(waitingSince: nil) && over.change == .answersAgain)
  }

  @Test("A query that could not be sent counts for nothing, unless one waits for too long")
  func unsent() {
    #expect(watch([(.asked, 0), (.couldNotAsk, 4)]).watch == .unproven(waitingSince: nil))
    #expect(
      watch([(.answered, 0), (.asked, 0), (.couldNotAsk, 4)]).watch
        == .answering(waitingSince: nil))
    #expect(watch([(.asked, 0), (.couldNotAsk, 5), (.looked, 5)]).watch == .silent)
  }

  private static func key(_ day: Int32, _ mode: SoloMode = .unlimited) -> DailyKey {
    DailyKey(day: Day(number: day), mode: mode, language: .english)
  }

  @Test("Players are told of one challenge at a time, and of each once")
  func dailies() {
    let (one, other) = (Self.key(1), Self.key(1, .timed))
    var round = DailyRound.idle(done: [])
    round.take(.begun(one))
    round.take(.begun(other))
    #expect(round == .telling(one, done: []))
    round.take(.ended([other]))
    #expect(round == .telling(one, done: [other]))
    round.take(.paused)
    #expect(round == .idle(done: [other]))
    round.take(.begun(one))
    round.take(.ended([one]))
    #expect(round == .idle(done: [one, other]))
    round.take(.begun(one))
    #expect(round == .idle(done: [one, other]))
  }

  @Test("A daily that does not count any more is neither told nor remembered")
  func narrowed() {
    let (old, new) = (Self.key(1), Self.key(2))
    var round = DailyRound.telling(old, done: [Self.key(1, .timed), Self.key(2, .timed)])
    round.take(.narrowed(to: [old, Self.key(2, .timed)]))
    #expect(round == .telling(old, done: [Self.key(2, .timed)]))
    round.take(.narrowed(to: [new]))
    #expect(round == .idle(done: []))
  }

  @Test("Each lead begins with work of its own")
  func leadership() {
    var leadership = Leadership<Int>.following
    var said: [String] = []
    func take(_ leads: Bool, _ work: Int) {
      leadership.take(leads: leads) { () throws(Never) in
        said.append("begins")
        return work
      } end: {
        said.append("ends")
      }
    }
    take(false, 1)
    take(true, 2)
    take(true, 3)
    #expect(leadership.work == 2)
    take(false, 4)
    take(true, 5)
    #expect(leadership.work == 5)
    #expect(said == ["begins", "ends", "begins"])
  }
}

extension Leadership {
  fileprivate var work: Work? {
    if case .leading(let work) = self { work } else { nil }
  }
}

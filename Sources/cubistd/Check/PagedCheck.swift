import MatchCore
import MatchInterfaces
import MatchService
import Synchronization

/// Hands out pages of matches to the threads that check them, and gathers the findings.
final class PagedCheck: Sendable {
  private struct State {
    var result = LiveCheck.Result()
    /// The last match handed out.
    var taken: MatchID?
    /// Whether there is no page left.
    var isOut = false
    /// Pages in the order in which they were handed out: done or not, and where each ends.
    var pages: [(last: MatchID?, isDone: Bool)] = []
    /// How many of them are done before the first that is not.
    var doneCount = 0
  }

  private let state: Mutex<State>
  private let limit: Int
  private let isStopped: @Sendable () -> Bool

  init(after match: MatchID?, limit: Int, isStopped: @escaping @Sendable () -> Bool) {
    var state = State()
    state.taken = match
    state.result.last = match
    self.state = Mutex(state)
    self.limit = limit
    self.isStopped = isStopped
  }

  var result: LiveCheck.Result { state.withLock { $0.result } }

  /// Checks pages until there are none left; the check is made on the calling thread.
  func work(
    _ pageSize: Int, make: () throws(OperatorFailure) -> StoreCheck
  ) {
    do throws(OperatorFailure) { work(try make(), pageSize) { _ in } } catch { fail(error) }
  }

  /// Checks pages until there are none left.
  func work(_ check: StoreCheck, _ pageSize: Int, _ report: (LiveCheck.Result) -> Void) {
    var check = check
    do throws(StoreError) {
      while let (number, page) = try take(check, pageSize) {
        let before = check.progress
        let found = try check.check(page.ids)
        let done = check.progress
        finish(
          number, found, matches: done.matches - before.matches,
          entries: done.entries - before.entries)
        report(result)
      }
    } catch {
      fail(.store(error))
    }
  }

  /// The next page, read on the calling thread; nil: there is none, or the check is to end.
  private func take(
    _ check: StoreCheck, _ pageSize: Int
  ) throws(StoreError) -> (number: Int, page: StoreCheck.Page)? {
    try state.withLock { state throws(StoreError) in
      guard !state.isOut, state.result.failure == nil, !isStopped(),
        state.result.violations.count < limit
      else { return nil }
      let page = try check.page(after: state.taken, limit: pageSize)
      state.taken = page.last ?? state.taken
      state.isOut = page.last == nil
      state.pages.append((page.last, false))
      return (state.pages.count - 1, page)
    }
  }

  private func finish(_ number: Int, _ found: [Violation], matches: Int, entries: Int) {
    state.withLock { state in
      state.pages[number].isDone = true
      state.result.matchCount += matches
      state.result.entryCount += entries
      state.result.violations += found
      // Everything was checked only up to the first page that is not done yet.
      while state.doneCount < state.pages.count, state.pages[state.doneCount].isDone {
        state.result.last = state.pages[state.doneCount].last ?? state.result.last
        state.doneCount += 1
      }
      state.result.isComplete = state.isOut && state.doneCount == state.pages.count
    }
  }

  private func fail(_ failure: OperatorFailure) {
    state.withLock { $0.result.failure = $0.result.failure ?? failure }
  }
}

import CustomDump
import Testing

@testable import CubePlay

/// Holds a state to its reducer, exhaustively: each step states every change of the state and every
/// effect, or the test fails with the difference.
struct TestStore<State: Equatable, Action, Effect: Equatable> {
  private(set) var state: State
  private let reducer: Reducer<State, Action, Effect>

  init(_ state: State, _ reducer: Reducer<State, Action, Effect>) {
    self.state = state
    self.reducer = reducer
  }

  /// Sends an action.
  ///
  /// - Parameters:
  ///   - effects: All effects of the action, in order.
  ///   - change: Changes the former state into the expected one; without it nothing may change.
  mutating func send(
    _ action: Action, effects: [Effect] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    change: (inout State) -> Void = { _ in }
  ) {
    var expected = state
    change(&expected)
    let done = reducer.reduce(&state, action)
    expectNoDifference(
      state, expected, "the state", fileID: fileID, filePath: filePath, line: line,
      column: column)
    expectNoDifference(
      done, effects, "the effects", fileID: fileID, filePath: filePath, line: line,
      column: column)
  }
}

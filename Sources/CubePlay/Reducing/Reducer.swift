/// How a state changes by an action, and the effects that this asks of the world.
///
/// A reducer is pure: effects are values, and the holder of the state carries them out. It is a
/// struct of one closure rather than a protocol, so that it compiles as Embedded Swift too.
public struct Reducer<State, Action, Effect>: Sendable {
  /// Changes the state, and returns the effects, in order.
  public let reduce: @Sendable (_ state: inout State, _ action: Action) -> [Effect]

  /// A reducer from a closure.
  public init(
    _ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> [Effect]
  ) {
    self.reduce = reduce
  }

  /// The same reducer as a part of something larger.
  ///
  /// An action of the whole changes nothing if it is none of the part's, or comes while the part is
  /// not there.
  ///
  /// - Parameters:
  ///   - get: The part's state; nil while the whole is in another case.
  ///   - set: Puts the part's state back into the whole.
  ///   - action: The part's action; nil where it is not the part's.
  ///   - effect: The whole's form of an effect of the part.
  public func scope<Whole, WholeAction, WholeEffect>(
    get: @escaping @Sendable (Whole) -> State?,
    set: @escaping @Sendable (inout Whole, State) -> Void,
    action: @escaping @Sendable (WholeAction) -> Action?,
    effect: @escaping @Sendable (Effect) -> WholeEffect
  ) -> Reducer<Whole, WholeAction, WholeEffect> {
    Reducer<Whole, WholeAction, WholeEffect> { whole, wholeAction in
      guard let action = action(wholeAction), var state = get(whole) else { return [] }
      let effects = reduce(&state, action)
      set(&whole, state)
      return effects.map(effect)
    }
  }

  /// This reducer, then another one on the same state and action.
  public func followed(by next: Reducer) -> Reducer {
    Reducer { state, action in
      let effects = reduce(&state, action)
      return effects + next.reduce(&state, action)
    }
  }
}

/// One question of an interface: its name and its answer.
///
/// Several inputs are one tuple. A caller gives them, and an answer takes them, as separate
/// arguments.
public struct Ask<Input, Output, Failure: Error>: Question {
  public let name: StaticString
  public private(set) var isAnswered: Bool
  @usableFromInline
  var body: (Input) throws(Failure) -> Output

  init(
    _ name: StaticString, isAnswered: Bool, _ body: @escaping (Input) throws(Failure) -> Output
  ) {
    self.name = name
    self.isAnswered = isAnswered
    self.body = body
  }

  @inlinable
  public func callAsFunction(_ input: Input) throws(Failure) -> Output { try body(input) }

  @inlinable
  public func callAsFunction() throws(Failure) -> Output where Input == Void { try body(()) }

  @inlinable
  public func callAsFunction<A, B>(_ a: A, _ b: B) throws(Failure) -> Output
  where Input == (A, B) {
    try body((a, b))
  }

  @inlinable
  public func callAsFunction<A, B, C>(_ a: A, _ b: B, _ c: C) throws(Failure) -> Output
  where Input == (A, B, C) {
    try body((a, b, c))
  }

  @inlinable
  public func callAsFunction<A, B, C, D>(
    _ a: A, _ b: B, _ c: C, _ d: D
  ) throws(Failure) -> Output where Input == (A, B, C, D) {
    try body((a, b, c, d))
  }

  public mutating func answer(with body: @escaping (Input) throws(Failure) -> Output) {
    self.body = body
    isAnswered = true
  }

  public mutating func answer(with body: @escaping () throws(Failure) -> Output)
  where Input == Void {
    answer { _ throws(Failure) in try body() }
  }

  public mutating func fail(with error: @autoclosure @escaping () -> Failure) {
    answer { _ throws(Failure) in throw error() }
  }

  public mutating func answer<A, B>(with body: @escaping (A, B) throws(Failure) -> Output)
  where Input == (A, B) {
    answer { (input: Input) throws(Failure) in try body(input.0, input.1) }
  }

  public mutating func answer<A, B, C>(with body: @escaping (A, B, C) throws(Failure) -> Output)
  where Input == (A, B, C) {
    answer { (input: Input) throws(Failure) in try body(input.0, input.1, input.2) }
  }

  public mutating func answer<A, B, C, D>(
    with body: @escaping (A, B, C, D) throws(Failure) -> Output
  ) where Input == (A, B, C, D) {
    answer { (input: Input) throws(Failure) in try body(input.0, input.1, input.2, input.3) }
  }
}

/// The facts about a question that are known without asking it.
public protocol Question {
  /// The interface's name and its own.
  var name: StaticString { get }
  /// Whether an answer was given for it.
  var isAnswered: Bool { get }
}

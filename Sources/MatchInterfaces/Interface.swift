/// Questions to the outside world. Each is declared once: as a property, with its answer for the
/// case that nobody is there.
public protocol Interface {
  /// The error that its questions throw.
  associatedtype Failure: InterfaceError

  /// Makes each question in the way that it is told.
  init(_ how: Asking<Failure>, around inner: Self?)
}

/// An error that says that nobody answers a question.
public protocol InterfaceError: Error {
  init(unanswered question: StaticString)
}

extension Interface {
  /// Has nothing, and takes everything.
  public static var noop: Self { Self(Asking(kind: .noop), around: nil) }

  /// Reports an issue whenever it is used, and fails.
  public static var failing: Self { Self(Asking(kind: .failing), around: nil) }

  /// The same, with a hook around each question. If a hook asks nothing and throws nothing, the
  /// answer is that of `noop`.
  ///
  /// - Parameter unfailing: The hook around questions that cannot fail.
  public func around(
    _ hook: @escaping Asking<Failure>.Hook, unfailing: @escaping Asking<Never>.Hook
  ) -> Self {
    Self(Asking(kind: .around(hook, unfailing: unfailing)), around: self)
  }

  /// The same with a change.
  public func with(_ change: (inout Self) -> Void) -> Self {
    var changed = self
    change(&changed)
    return changed
  }
}

/// How the questions of an interface are made.
public struct Asking<Failure: Error> {
  /// Does something before or after a question, or in its place.
  public typealias Hook =
    (_ question: StaticString, _ ask: () throws(Failure) -> Void) throws(Failure) -> Void

  enum Kind {
    case noop
    case failing
    case around(Hook, unfailing: Asking<Never>.Hook)
  }

  let kind: Kind
}

extension Asking where Failure: InterfaceError {
  public func callAsFunction<Input, Output>(
    _ name: StaticString, _ inner: Ask<Input, Output, Failure>?,
    noop: @escaping (Input) -> Output
  ) -> Ask<Input, Output, Failure> {
    switch (kind, inner) {
    case (.around(let hook, _), let inner?):
      Ask(name, isAnswered: inner.isAnswered) { input throws(Failure) in
        var output: Output?
        try hook(name) { () throws(Failure) in output = try inner(input) }
        return output ?? noop(input)
      }
    case (.failing, _):
      Ask(name, isAnswered: false) { _ throws(Failure) in
        reportUnimplemented("\(name)")
        throw Failure(unanswered: name)
      }
    case (.noop, _), (.around, nil):
      Ask(name, isAnswered: true) { input throws(Failure) in noop(input) }
    }
  }

  public func callAsFunction<Input, Output>(
    _ name: StaticString, _ inner: Ask<Input, Output, Never>?,
    noop: @escaping (Input) -> Output
  ) -> Ask<Input, Output, Never> {
    switch (kind, inner) {
    case (.around(_, let hook), let inner?):
      Ask(name, isAnswered: inner.isAnswered) { input in
        var output: Output?
        hook(name) { output = inner(input) }
        return output ?? noop(input)
      }
    case (.failing, _):
      Ask(name, isAnswered: false) { input in
        reportUnimplemented("\(name)")
        return noop(input)
      }
    case (.noop, _), (.around, nil): Ask(name, isAnswered: true, noop)
    }
  }
}

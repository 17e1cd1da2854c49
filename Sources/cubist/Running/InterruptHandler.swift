import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The effect of Ctrl-C: it ends the program at once, and says whether an answer is pending.
///
/// An event is kept in the profile before it is sent, so that nothing is lost wherever it ends.
enum InterruptHandler {
  private static let isInFlight = Atomic(false)

  static func setEventInFlight(_ value: Bool) { isInFlight.store(value, ordering: .releasing) }

  private static let isInputHidden = Atomic(false)

  /// Other signals that a person sends, and that end the program.
  private static let deadly = [SIGTERM, SIGQUIT]

  /// Runs a body in which the terminal does not show typed text. If one of the signals ends the
  /// program meanwhile, the terminal shows it again.
  static func hidingInput(
    _ body: () throws(CommandFailure) -> String?
  ) throws(CommandFailure) -> String? {
    isInputHidden.store(true, ordering: .releasing)
    let former = deadly.map { number in
      signal(number) { number in
        _ = HiddenInput.setShown(true)
        // Blocked until this returns. Then it ends the program.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    defer {
      for (number, action) in zip(deadly, former) { signal(number, action) }
      isInputHidden.store(false, ordering: .releasing)
    }
    return try body()
  }

  static func listen() {
    // Made before the first signal: making it takes a lock, which a handler must not do.
    setEventInFlight(false)
    isInputHidden.store(false, ordering: .releasing)
    signal(SIGINT) { _ in
      if InterruptHandler.isInputHidden.load(ordering: .acquiring) {
        _ = HiddenInput.setShown(true)
      }
      guard InterruptHandler.isInFlight.load(ordering: .acquiring) else {
        _exit(ExitStatus.interrupted.rawValue)
      }
      let text: StaticString = """

        cubist: The answer is pending. Any cubist command sends it again, and it counts once.

        """
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(ExitStatus.pending.rawValue)
    }
  }
}

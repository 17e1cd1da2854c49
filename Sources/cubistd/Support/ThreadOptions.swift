import ArgumentParser
import Glibc

/// The number of threads of a command that looks through the database.
struct ThreadOptions: ParsableArguments {
  @Option(help: "Threads, each with a connection of its own, 1 to 64.")
  // More than 8 would only wait for the database.
  var threads = min(8, Processors.count)

  func validate() throws {
    guard 1...64 ~= threads else { throw ValidationError("--threads is \(threads), not 1 to 64.") }
  }
}

/// The processors of this machine.
enum Processors {
  /// How many are at work now, at least one.
  static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

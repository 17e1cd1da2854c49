#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import SystemCalls

@main
struct CubistMain {
  static func main() {
    StandardStreams.keepPlaces()
    InterruptHandler.listen()
    // The streams of the whole screen are open until the end.
    ExitHandlers.skipOpenSSL()
    exit(CommandRunner.run(Array(CommandLine.arguments.dropFirst()), .live()))
  }
}

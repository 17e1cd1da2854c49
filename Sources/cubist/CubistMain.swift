#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@main
struct CubistMain {
  static func main() {
    InterruptHandler.listen()
    exit(CommandRunner.run(Array(CommandLine.arguments.dropFirst()), .live()))
  }
}

// The fuzzing targets around libFuzzer: `fuzz --target=NAME [libFuzzer's own options and folders]`;
// without a target it prints their names. Built and called by deploy/fuzz.

import Glibc
import LibFuzzer

// libFuzzer leaves options with two dashes alone, and hands them on when it starts the program
// again.
let option = "--target="
let wanted = CommandLine.arguments.first { $0.hasPrefix(option) }?.dropFirst(option.count)
// A C function has no context, so its data has to be global.
let target = FuzzTarget.all.first { $0.name[...] == wanted }
guard target != nil else {
  print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
  exit(wanted == nil ? 0 : 64)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { start, count in
    do {
      try target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
      let message = "BROKEN: \(error)\n"
      write(STDERR_FILENO, message, message.utf8.count)
      abort()
    }
    return 0
  })

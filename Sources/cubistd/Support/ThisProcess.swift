import Glibc

/// This process among all others of the service.
enum ThisProcess {
  /// The name of the machine.
  static let host: String = {
    var buffer = [CChar](repeating: 0, count: 256)
    // One less, so that a name that is cut short ends all the same.
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "?" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  static var number: Int32 { getpid() }

  /// As a role's sign of life names it: machine and number.
  static let name = "\(host):\(number)"
}

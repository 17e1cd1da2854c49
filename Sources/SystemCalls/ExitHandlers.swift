#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What libraries do when the program ends by `exit`.
package enum ExitHandlers {
  /// Keeps OpenSSL, if a library brings it, from freeing what it has: another thread may be amid a
  /// handshake, and would crash the program at its end. The system takes the memory back.
  ///
  /// Without effect once OpenSSL was used.
  package static func skipOpenSSL() {
    guard let program = dlopen(nil, RTLD_NOW),
      let address = dlsym(program, "OPENSSL_init_crypto")
    else { return }
    typealias Initialize = @convention(c) (UInt64, OpaquePointer?) -> CInt
    let noExitHandler: UInt64 = 0x80000
    _ = unsafeBitCast(address, to: Initialize.self)(noExitHandler, nil)
  }
}

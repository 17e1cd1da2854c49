import COpenSSL

/// The two forms of a signature of P-256: two numbers of 32 bytes each, and DER, which the library
/// has.
enum ECDSASignature {
  private static let numberCount = 32

  /// The numbers of a signature in DER; nil if it is none.
  static func numbers(_ encoded: ArraySlice<UInt8>) -> [UInt8]? {
    let signature = encoded.withUnsafeBufferPointer { bytes in
      var place = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &place, bytes.count)
    }
    guard let signature else { return nil }
    defer { ECDSA_SIG_free(signature) }
    var (first, second) = (
      [UInt8](repeating: 0, count: numberCount), [UInt8](repeating: 0, count: numberCount)
    )
    guard BN_bn2binpad(ECDSA_SIG_get0_r(signature), &first, Int32(numberCount)) == numberCount,
      BN_bn2binpad(ECDSA_SIG_get0_s(signature), &second, Int32(numberCount)) == numberCount
    else { return nil }
    return first + second
  }

  /// A signature of two numbers in DER; nil unless it has 64 bytes.
  static func encoded(_ numbers: [UInt8]) -> [UInt8]? {
    guard numbers.count == 2 * numberCount, let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    let (first, second) = numbers.withUnsafeBufferPointer { bytes in
      (
        BN_bin2bn(bytes.baseAddress, Int32(numberCount), nil),
        BN_bin2bn(bytes.baseAddress?.advanced(by: numberCount), Int32(numberCount), nil)
      )
    }
    guard ECDSA_SIG_set0(signature, first, second) == 1 else {
      BN_free(first)
      BN_free(second)
      return nil
    }
    let count = i2d_ECDSA_SIG(signature, nil)
    guard count > 0 else { return nil }
    var encoded = [UInt8](repeating: 0, count: Int(count))
    let written = encoded.withUnsafeMutableBufferPointer { bytes in
      var place = bytes.baseAddress
      return i2d_ECDSA_SIG(signature, &place)
    }
    return written == count ? encoded : nil
  }
}

public import CubeRules
public import CustomDump

// Short, so that a difference can be read.

extension Face: CustomDumpStringConvertible {
  /// The notation.
  public var customDumpDescription: String { description }
}

extension Cube: CustomDumpStringConvertible {
  /// The notation.
  public var customDumpDescription: String { description }
}

extension CubeSet: CustomDumpStringConvertible {
  /// The notations.
  public var customDumpDescription: String {
    "[\(map { $0.description }.joined(separator: " "))]"
  }
}

/// The rules of the word-cube game: which version of them this module judges by.
public enum CubeRules {
  /// The name that a match pins, so that its record is judged for ever by the rules it began with.
  public static let version = "cube-1"
}

/// A fault of the files of a profile.
public enum ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another program of this profile sends something at the moment.
  case lockHeld(processID: Int32?)
  /// The system refuses to read or write; `reason` is its own word.
  case notAccessible(path: String, reason: String)
  /// A file has wrong content.
  case damaged(path: String, reason: String)
  /// Others can read the secret key.
  case exposed(path: String)
  /// There is another key already, which would be lost.
  case keyExists
  /// Neither `XDG_STATE_HOME` nor `HOME` says where profiles are.
  case noHome

  /// The fault, its file, and its remedy.
  public var description: String {
    switch self {
    case .lockHeld(let processID?):
      """
      Process \(processID) is sending something under this profile. Wait for it, or use another \
      profile.
      """
    case .lockHeld(nil):
      """
      Another program is sending something under this profile. Wait for it, or use another \
      profile.
      """
    case .notAccessible(let path, let reason):
      "\(path) cannot be used: \(reason). Check the disk and the rights of the folder."
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason). Put it back from a copy, or move it out of the way."
    case .exposed(let path):
      "Others can read the secret key in \(path). Run: chmod 600 '\(path)'"
    case .keyExists:
      "The profile has another key, which would be lost. Export it first, or use another profile."
    case .noHome:
      """
      Neither XDG_STATE_HOME nor HOME is an absolute path, so there is no place for profiles. \
      Set one.
      """
    }
  }
}

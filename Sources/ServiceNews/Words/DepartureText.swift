import MatchCore

/// The end of an account, in words.
package enum DepartureText {
  /// The sentences before the question whether the account is to end.
  package static var consequences: [String] {
    [
      "All your devices are told as soon as you confirm. Each of them can keep the account for "
        + "\(hours) hours. The wait is longer while a recovery is under way, or after a device was "
        + "added.",
      "Then your name, keys, settings, devices, invitations of devices, recovery words and blocks "
        + "are gone for ever. You leave all boards.",
      "Your games, results and ratings stay, and their records can still be verified. They stand "
        + "under an id that names nobody: other players see “\(Departure.name)”.",
      "Matches that still run end then, as if you gave them up. Nobody can take your name for "
        + "\(days) days.",
    ]
  }

  private static var hours: Int64 { Departure.waitSeconds / 3_600 }
  private static var days: Int64 { Departure.nameReservedSeconds / 86_400 }
}

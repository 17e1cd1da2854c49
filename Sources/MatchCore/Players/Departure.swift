/// The end of a player's account. The player asks for it, and may take that back for some days.
public enum Departure {
  /// How long an account stays after its player has asked: 72 hours. A thief who asks with a stolen
  /// device is noticed by then.
  public static let waitSeconds: Int64 = 72 * 3_600
  /// How long nobody can take the name of a player who is gone: 90 days.
  public static let nameReservedSeconds: Int64 = 90 * 86_400
  /// The name of every player who is gone. Nobody can register it.
  public static let name = PlayerName(known: "gone")
}

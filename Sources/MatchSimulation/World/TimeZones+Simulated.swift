import MatchCore
import MatchInterfaces

extension TimeZones {
  /// Twenty zones whose clocks nobody changes, so that a run is the same on each machine.
  static let simulatedOffsets: [(name: String, offset: Int)] = [
    ("Pacific/Niue", -39_600), ("Pacific/Honolulu", -36_000), ("Pacific/Marquesas", -34_200),
    ("America/Phoenix", -25_200), ("America/Guatemala", -21_600), ("America/Bogota", -18_000),
    ("America/Caracas", -14_400), ("America/Cayenne", -10_800),
    ("Atlantic/South_Georgia", -7_200), ("Atlantic/Cape_Verde", -3_600), ("Africa/Abidjan", 0),
    ("Africa/Lagos", 3_600), ("Africa/Johannesburg", 7_200), ("Africa/Nairobi", 10_800),
    ("Asia/Dubai", 14_400), ("Asia/Kabul", 16_200), ("Asia/Kolkata", 19_800),
    ("Asia/Kathmandu", 20_700), ("Asia/Tokyo", 32_400), ("Pacific/Kiritimati", 50_400),
  ]

  /// These zones. Any other one is UTC.
  static let simulated = TimeZones { name, _ in
    Period(offset: simulatedOffsets.first { $0.name == name.text }?.offset ?? 0)
  }
}

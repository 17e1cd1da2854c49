import ArgumentParser
import CubePlay

/// How strong a bot is, as it is typed.
enum StrengthText {
  static func strength(_ text: String) throws -> BotStrength {
    guard let strength = BotStrength(rawValue: text) else {
      throw ValidationError("'\(text)' is no strength. It is easy, medium or hard.")
    }
    return strength
  }
}

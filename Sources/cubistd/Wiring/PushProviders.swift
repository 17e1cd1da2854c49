import MatchInterfaces
import MatchService

extension ServiceSettings {
  /// The ways to devices that the settings name.
  func pushProviders(randomness: Randomness) throws(OperatorFailure) -> [PushProvider] {
    var providers: [PushProvider] = []
    for way in push.chosen {
      do throws(PushWayFailure) { providers.append(try way.provider(randomness)) } catch {
        throw .file(path: error.path, reason: error.reason + Self.help(for: error.path, of: way))
      }
    }
    return providers
  }

  /// Checks the keys that others gave out. They are only read.
  func checkForeignPushKeys() throws(OperatorFailure) {
    for way in push.chosen where !(way is WebPushSettings) {
      if let path = way.keyFile { _ = try pushKey(at: path) }
    }
  }

  /// The key in a file that only its owner may read.
  func pushKey(at path: String) throws(OperatorFailure) -> PushSigningKey {
    do throws(PushSigningKey.Failure) { return try .load(path) } catch {
      throw .file(path: path, reason: error.reason + Self.help(forKey: path))
    }
  }

  private static func help(for path: String, of way: any PushWay) -> String {
    way.keyFile == path ? help(forKey: path) : ""
  }

  private static func help(forKey path: String) -> String {
    Files.exists(path)
      ? "" : "; bring it back from where it was, or for a new service run `cubistd setup`"
  }
}

import MatchInterfaces
import MatchService

extension ServiceSettings {
  /// The ways to devices that the settings name.
  func pushProviders(randomness: Randomness) throws(OperatorFailure) -> [PushProvider] {
    var providers: [PushProvider] = []
    for way in push {
      switch way {
      case .log:
        do throws(LineSinkError) { providers.append(try .logFile(pushLog)) } catch {
          throw .file(path: pushLog, reason: "\(error)")
        }
      case .webhook: if let webhook { providers.append(.webhook(webhook)) }
      case .webPush:
        guard let webPush else { continue }
        providers.append(
          .webPush(
            key: try pushKey(at: webPush.keyPath), contact: webPush.contact,
            randomness: randomness))
      case .apns:
        guard let apns else { continue }
        providers.append(.apns(apns, key: try pushKey(at: apns.keyPath)))
      }
    }
    return providers
  }

  /// The key in a file that only its owner may read.
  func pushKey(at path: String) throws(OperatorFailure) -> PushSigningKey {
    do throws(PushSigningKey.Failure) { return try .load(path) } catch {
      let help =
        Files.exists(path)
        ? "" : "; bring it back from where it was, or for a new service run `cubistd setup`"
      throw .file(path: path, reason: error.reason + help)
    }
  }
}

import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive

/// The keys by which push services know the service. Browsers subscribe with the public half of the
/// one for Web Push, so the database has it.
struct PushKeySetup: Sendable {
  var settings: ServiceSettings
  var database: DatabaseSetup
  var randomness: Randomness

  /// Makes the key of Web Push if the settings name a file that is not there, and puts its public
  /// half into the database. The key of APNs is Apple's: it is only read.
  /// - Parameter report: Hears of each change once it is done.
  func run(report: (SetupLine) -> Void) throws(OperatorFailure) {
    try settings.checkForeignPushKeys()
    let kept = try keptKey()
    guard let webPush = settings.push[WebPushSettings.self] else {
      guard kept != nil else { return }
      try keep(nil)
      report(
        .change(
          "\(SettingName.push.rawValue) has no webPush: browsers are offered no notifications any "
            + "more"))
      return
    }
    if !Files.exists(webPush.keyPath) {
      if let kept { throw .file(path: webPush.keyPath, reason: PushKeySetup.lostKey(kept)) }
      try make(webPush.keyPath)
      report(.change("key of Web Push made: \(webPush.keyPath)"))
      report(
        .note(
          "keep a copy of it, and copy it to every machine that runs push: with another key all "
            + "subscriptions of browsers would be invalid"))
    }
    let key = try settings.pushKey(at: webPush.keyPath).publicKey
    guard key != kept else { return }
    try keep(key)
    report(
      .change(
        kept == nil
          ? "the public half of the key of Web Push put into the database"
          : "the key of Web Push is another one now: all subscriptions of browsers are invalid until "
            + "their players open the page again"))
  }

  /// Missing or wrong parts, a sentence each; changes nothing.
  func problems() throws(OperatorFailure) -> [String] {
    try settings.checkForeignPushKeys()
    let kept = try keptKey()
    guard let webPush = settings.push[WebPushSettings.self] else {
      return kept == nil
        ? [] : ["the database offers Web Push, and \(SettingName.push.rawValue) has no webPush"]
    }
    guard Files.exists(webPush.keyPath) else {
      let rest = kept.map { ": \(PushKeySetup.lostKey($0))" } ?? ""
      return ["the key of Web Push \(webPush.keyPath) is missing\(rest)"]
    }
    let key = try settings.pushKey(at: webPush.keyPath).publicKey
    return key == kept
      ? [] : ["the database does not have the public half of \(webPush.keyPath)"]
  }

  private func make(_ path: String) throws(OperatorFailure) {
    let folder = Files.folder(of: path)
    guard Files.exists(folder) else {
      throw .file(
        path: folder,
        reason: "there is no such folder: make it with `mkdir -p -m 700 \(folder)`, or correct "
          + SettingName.pushVAPIDKey.rawValue)
    }
    guard let key = PushSigningKey(randomness: randomness) else {
      throw .file(path: path, reason: "no key can be made of the randomness of this machine")
    }
    do throws(PushSigningKey.Failure) { try key.create(at: path) } catch {
      throw .file(path: path, reason: error.reason)
    }
  }

  private func keptKey() throws(OperatorFailure) -> [UInt8]? {
    try database.onDatabase { connection throws(StoreError) in
      try OperatorStore.live(connection).pushKey()
    }
  }

  private func keep(_ key: [UInt8]?) throws(OperatorFailure) {
    try database.onDatabase { connection throws(StoreError) in
      try OperatorStore.live(connection, by: OperatorName.current).keepPushKey(key)
    }
  }

  private static func lostKey(_ kept: [UInt8]) -> String {
    """
    browsers have subscribed with the key \(Base64.encodeForURL(kept)): bring its file back from a \
    backup or from another machine that runs push. To give up all their subscriptions, run `cubistd \
    setup` once without webPush in CUBIST_PUSH, and then with it
    """
  }
}

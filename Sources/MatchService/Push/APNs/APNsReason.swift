import FoundationEssentials
import MatchInterfaces

/// Apple's words for why it did not take a notification. Source: “Handling notification responses
/// from APNs” in Apple's documentation of User Notifications.
enum APNsReason: String, CaseIterable, Hashable {
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  /// The status that comes with it.
  var status: Int {
    switch self {
    case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
      .badTopic, .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType,
      .missingDeviceToken, .missingTopic, .payloadEmpty, .topicDisallowed:
      400
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyInToken,
      .badEnvironmentKeyIDInToken, .expiredProviderToken, .forbidden, .invalidProviderToken,
      .missingProviderToken, .unrelatedKeyIDInToken:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .internalServerError: 500
    case .serviceUnavailable, .shutdown: 503
    }
  }

  /// What it means for a device.
  enum Meaning: Hashable {
    /// The device is not there any more.
    case gone
    /// The device's token is of no use with the settings of the service.
    case unfit
    /// The service's request is of no use.
    case refused
    case later
    /// The device has had too many for now.
    case deviceBusy
    /// Later, with a new token of the service.
    case newToken
  }

  /// Only a device of which Apple says that it is gone is forgotten. A wrong topic or a wrong
  /// environment of the service makes `BadDeviceToken` and `DeviceTokenNotForTopic` of every device:
  /// an operator who corrects it must not have lost them. A client that invents a token gets the
  /// same answers, so they make no dead letters either.
  var meaning: Meaning {
    switch self {
    case .expiredToken, .unregistered: .gone
    case .badDeviceToken, .deviceTokenNotForTopic: .unfit
    case .tooManyRequests: .deviceBusy
    case .expiredProviderToken, .invalidProviderToken, .missingProviderToken: .newToken
    // The operator can mend these, and nobody else.
    case .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken, .unrelatedKeyIDInToken: .later
    case .idleTimeout, .tooManyProviderTokenUpdates, .internalServerError, .serviceUnavailable,
      .shutdown:
      .later
    case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
      .duplicateHeaders, .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty,
      .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden, .badPath,
      .methodNotAllowed, .payloadTooLarge:
      .refused
    }
  }

  /// The remedy, where an operator has one.
  var remedy: String? {
    switch self {
    case .badDeviceToken:
      "the device's token is wrong, or belongs to the other environment of CUBIST_PUSH_APNS_URL"
    case .deviceTokenNotForTopic, .badTopic, .topicDisallowed, .missingTopic:
      "compare CUBIST_PUSH_APNS_TOPIC"
    case .invalidProviderToken, .unrelatedKeyIDInToken, .missingProviderToken:
      "compare CUBIST_PUSH_APNS_KEY, CUBIST_PUSH_APNS_KEY_ID and CUBIST_PUSH_APNS_TEAM"
    case .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken:
      "the key belongs to the other environment of CUBIST_PUSH_APNS_URL"
    case .expiredProviderToken: "compare the clock of this machine"
    default: nil
    }
  }

  private struct Body: Decodable {
    var reason: String
  }

  /// The reason that an answer names; nil: none that this build knows.
  init?(_ body: [UInt8]) {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(body)) else { return nil }
    self.init(rawValue: body.reason)
  }
}

/// The meaning of an answer of Apple's push service.
struct APNsAnswer {
  var verdict: PushVerdict
  /// Whether the service's token has to be made anew.
  var needsToken = false

  init(_ response: PushResponse) {
    guard response.status != 200 else {
      verdict = .taken
      return
    }
    let reason = APNsReason(response.body)
    var text = "Apple answered \(response.status)"
    if let reason { text += " \(reason.rawValue)" }
    if let remedy = reason?.remedy { text += ": \(remedy)" }
    // The status decides where Apple has a new word.
    var meaning = reason?.meaning ?? APNsAnswer.meaning(of: response.status)
    // A device is not forgotten for a word that does not come with its status.
    if meaning == .gone { meaning = APNsAnswer.meaning(of: response.status) }
    switch meaning {
    case .gone: verdict = .gone(text)
    case .unfit: verdict = .refused(text, fault: .device)
    case .refused: verdict = .refused(text)
    case .deviceBusy: verdict = .later(text, after: response.retryAfter, fault: .device)
    case .later, .newToken:
      var pause = response.retryAfter
      // Apple wants the same token for so long.
      if reason == .tooManyProviderTokenUpdates {
        pause = max(pause ?? .zero, .seconds(APNsTokens.shortest))
      }
      verdict = .later(text, after: pause)
    }
    needsToken = meaning == .newToken
  }

  private static func meaning(of status: Int) -> APNsReason.Meaning {
    switch status {
    case 410: .gone
    case 429, 500..<600: .later
    default: .refused
    }
  }
}

import CubePlay
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// Why a command failed, and its remedy.
struct CommandFailure: Error, Hashable {
  /// How the command ends.
  var status: ExitStatus
  /// A stable name for programs.
  var name: String
  /// A sentence for a person: the fault, its value, and the remedy.
  var message: String
  /// The sentence without details, on one line with the remedy; nil: the same.
  var brief: String?
  /// The commands to try next.
  var next: [String] = []
  /// The seconds to wait before the next attempt, where the service says so.
  var retryAfter: Int64?
  /// The matches that could have been meant.
  var candidates: [Candidate] = []
  /// The ways to play a word that could have been meant.
  var choices: [ChoiceDocument] = []

  init(_ status: ExitStatus, _ name: String, _ message: String, next: [String] = []) {
    self.status = status
    self.name = name
    self.message = message
    self.next = next
  }

  /// A question that cannot be shown has no answer.
  static let unasked = CommandFailure(
    .unwritten, "outputFailed", "The error output cannot be written, so nobody can be asked.")
}

extension CommandFailure {
  /// The failure that any error of a command means.
  /// - Parameters:
  ///   - match: The match that the command was about, as a short id.
  ///   - typed: The arguments of the command.
  ///   - now: The time of day; nil where it is not known.
  init(
    _ error: any Error, match: String?, typed: TypedArguments = TypedArguments(),
    now: Instant? = nil
  ) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ClientError: self.init(client: error, match: match, typed: typed, now: now)
    case let error as MatchIDError: self.init(id: error)
    case let error as WordFinderError: self.init(word: error, match: match)
    case let error as ProfileError: self.init(profile: error)
    case let error as KeyTextError: self.init(.unreadable, "\(error)Key", error.description)
    case let error as RecoveryWordsError: self.init(.unreadable, error.name, error.description)
    case let error as RecordFileError: self.init(.unreadable, error.name, error.description)
    case let error as FileFailure:
      self.init(.unreadable, "fileUnusable", "\(error.path) cannot be used: \(error.reason).")
    case let error as OutputFailure:
      self.init(
        .unwritten, "outputFailed",
        "The standard output cannot be written: \(error.reason). Whatever the command has done stays "
          + "done. Repeat it to see the answer.")
    case let error as MatchViewFault:
      self.init(.unavailable, "unreadable", "\(error) Update this program, or try again later.")
    default: self.init(.unavailable, "failed", "\(error)")
    }
  }

  private init(
    client error: ClientError, match: String?, typed: TypedArguments, now: Instant?
  ) {
    self.init(named: error, match: match, typed: typed, now: now)
    retryAfter = error.retryAfterSeconds
  }

  private init(
    named error: ClientError, match: String?, typed: TypedArguments, now: Instant?
  ) {
    let text = ErrorText.text(error, typed, now: now)
    switch error {
    case .pending(_, .rateLimited): self.init(.pending, "rateLimited", text)
    case .pending: self.init(.pending, "pending", text)
    case .earlierPending: self.init(.pending, "earlierPending", text)
    case .refused(let name, _, let refusal):
      self.init(
        ExitStatus(ofRefusal: name), name, text,
        next: NextStep.commands(after: refusal, named: name, match: match, typed: typed))
    case .queryRefused(let name, _, .rateLimited?): self.init(.unavailable, name, text)
    case .queryRefused(let name, _, _):
      self.init(
        ExitStatus(ofRefusal: name), name, text,
        next: NextStep.commands(after: nil, named: name, match: match, typed: typed))
    case .unreachable(.notPermitted):
      let url = typed.url.map(ShellWord.quoted) ?? "URL"
      self.init(.notPermitted, "brokerRefuses", text, next: ["cubist connect \(url)"])
      brief =
        "The service's broker does not let you in. Check user and password, or ask who runs it "
        + "for the address of its gateway. What waits to be sent goes there."
    case .unreachable(.unavailable): self.init(.unavailable, "unreachable", text)
    case .unreachable(.refused(let reason)) where GatewayAddress.isGateway(reason):
      self.init(.unavailable, "unreachable", text)
    case .unreachable(.unroutable(let reason)) where GatewayAddress.isGateway(reason):
      let period = reason.hasSuffix(".") ? "" : "."
      self.init(
        .unavailable, "unreachable", reason + period, next: ["cubist connect URL"])
    // A gateway is there, and says so.
    case .unreachable(.timedOut) where error.namesRequest:
      self.init(.unavailable, "unreachable", text)
    case .unreachable:
      self.init(
        .unavailable, "unreachable", text, next: ["cubistd up", "cubist connect URL"])
      brief = "The service cannot be reached."
    case .notRegistered:
      self.init(
        .notPermitted, "notRegistered", text,
        next: ["cubist register NAME", "cubist key import FILE"])
    case .recovering(let name, _):
      self.init(.notPermitted, "recovering", text, next: ["cubist key recover \(name)"])
    case .rootKeyChanged:
      self.init(
        .notPermitted, "rootKeyChanged", text, next: ["cubist --profile OTHER connect URL"])
    case .serviceChanged:
      self.init(
        .notPermitted, "serviceChanged", text, next: ["cubist --profile OTHER connect URL"])
    case .outdated: self.init(.refused, "outdated", text)
    case .clockSkewed: self.init(.refused, "clockSkewed", text)
    case .foreignReply: self.init(.unavailable, "foreignReply", text)
    case .unreadable: self.init(.unavailable, "unreadable", text)
    case .tooLarge: self.init(.refused, "tooLarge", text)
    case .profile(let error): self.init(profile: error)
    }
  }

  private init(profile error: ProfileError) {
    let text = error.description
    switch error {
    case .lockHeld: self.init(.unavailable, "lockHeld", text)
    case .notAccessible: self.init(.unreadable, "profileUnusable", text)
    case .damaged: self.init(.unreadable, "profileDamaged", text)
    case .exposed: self.init(.notPermitted, "keyExposed", text)
    case .keyExists:
      self.init(
        .refused, "keyExists", text,
        next: ["cubist key export FILE", "cubist --profile OTHER key import FILE"])
    case .noHome: self.init(.unreadable, "noHome", text)
    }
  }

  private init(id error: MatchIDError) {
    let text = error.description
    switch error {
    case .notAnID: self.init(.usage, "notAnID", text, next: ["cubist games"])
    case .unknown:
      self.init(.notFound, "unknownMatch", text, next: ["cubist games", "cubist games --past"])
    case .ambiguous: self.init(.usage, "ambiguousID", text)
    case .none: self.init(.notFound, "noMatch", text, next: ["cubist start"])
    case .several: self.init(.usage, "severalMatches", text)
    }
  }

  private init(word error: WordFinderError, match: String?) {
    let show = match.map { "cubist show \($0)" } ?? "cubist games"
    let text = error.description
    switch error {
    case .notLetters: self.init(.usage, "notLetters", text)
    case .notAWord: self.init(.refused, "notAWord", text, next: [show])
    case .alreadyPlayed: self.init(.refused, "wordAlreadyPlayed", text, next: [show])
    case .notOnCube: self.init(.refused, "notOnCube", text, next: [show])
    case .illegal(let refusal):
      self.init(.refused, refusal.reason.name, text, next: [show])
    }
  }
}

extension ExitStatus {
  /// The status of a refusal by the service.
  init(ofRefusal name: String) {
    switch name {
    case "unknownMatch", "matchGone", "unknownPlayer", "codeUnknown", "dailyNotDealt",
      "standingsGone":
      self = .notFound
    case "badSignature", "wrongService", "notPermitted", "notRegistered", "keyRevoked",
      "codeRequired", "codeInvalid", "notRecoverable":
      self = .notPermitted
    case "unavailable", "wrongSlot": self = .unavailable
    default: self = .refused
    }
  }
}

/// A match that could have been meant.
struct Candidate: Hashable, Encodable {
  /// The whole id.
  var id: MatchID
  /// The short id.
  var short: String
  /// The opponent, and the state of the match.
  var about: String
}

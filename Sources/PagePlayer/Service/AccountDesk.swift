import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews

/// The end of the account, and the file with everything that is kept of the player.
///
/// The page itself asks for these, in the settings.
struct AccountDesk: Hashable {
  /// When the account ends, as the settings said last. Nil: it does not.
  var leavesAt: Instant?
  var stage = Stage.idle
  var export = Export.none

  enum Stage: Hashable {
    case idle
    /// The player is asked whether the account is to end.
    case doubted
    /// The service is told.
    case asked(isDelayed: Bool)
    /// For a reason in words.
    case refused(String)
  }

  enum Export: Hashable {
    case none
    case gathered(AccountExport)
    /// The page is to save these bytes.
    case ready([UInt8], isWhole: Bool)
    case saved
    /// The same, but the service is of an older build and does not give all.
    case savedInPart
    /// For a reason in words.
    case failed(String)
  }

  /// The settings are left. Nothing is asked there any more, and no outcome is told.
  mutating func leaveScreen() {
    switch stage {
    case .doubted, .refused: stage = .idle
    case .idle, .asked: break
    }
    switch export {
    case .saved, .savedInPart, .failed: export = .none
    case .none, .gathered, .ready: break
    }
  }
}

extension Wish {
  /// Whether it is the end of the account, or takes that back.
  var isOfAccount: Bool {
    if case .settingsChanged(let change) = action { change.isLeaving != nil } else { false }
  }
}

// MARK: - The end

extension ServiceWorld {
  /// The player is asked whether the account is to end.
  mutating func doubtAccount() {
    guard account.name != nil, accountDesk.leavesAt == nil else { return }
    if case .asked = accountDesk.stage { return }
    accountDesk.stage = .doubted
  }

  mutating func decideOnAccount(_ isEnding: Bool) {
    guard accountDesk.stage == .doubted else { return }
    accountDesk.stage = .idle
    if isEnding { tellOfAccount(isLeaving: true) }
  }

  mutating func keepAccount() {
    guard accountDesk.leavesAt != nil else { return }
    tellOfAccount(isLeaving: false)
  }

  private mutating func tellOfAccount(isLeaving: Bool) {
    accountDesk.stage = .asked(isDelayed: false)
    tell(.settingsChanged(SettingsChange(isLeaving: isLeaving)), for: nil)
  }

  /// The service has answered. The settings tell the time of the end.
  mutating func accountHeard(_ reply: ReceivedReply) -> [GameAction] {
    switch reply {
    case .accepted:
      accountDesk.stage = .idle
      return [.menu(.settings(.appeared))]
    case .refused(_, let message, let refusal):
      if case .notRegistered? = refusal { account.name = nil }
      accountDesk.stage = .refused(message)
      return []
    }
  }
}

// MARK: - The file

extension ServiceWorld {
  /// The player wants the file; or the service had to be left alone for a while.
  mutating func exportAccount() {
    guard account.name != nil else { return }
    switch accountDesk.export {
    case .gathered, .ready: break
    case .none, .saved, .savedInPart, .failed: accountDesk.export = .gathered(AccountExport())
    }
    askForExport()
  }

  private mutating func askForExport() {
    guard case .gathered(let export) = accountDesk.export, let kind = export.question else {
      return
    }
    let question = Question.exported(kind)
    let isAsked = asked.values.contains { step in
      if case .question(question) = step.what { true } else { false }
    }
    if !isAsked { ask(question, for: nil) }
  }

  /// A part of the file has come.
  mutating func takeExported(
    _ object: JSONObject, answering kind: Query.Kind, at now: Instant
  ) throws(WireFault) {
    guard case .gathered(var export) = accountDesk.export, export.question == kind else { return }
    try export.take(object)
    exportGrew(export, at: now)
  }

  private mutating func exportGrew(_ export: AccountExport, at now: Instant) {
    accountDesk.export =
      export.part == nil
      ? .ready(export.document(at: now), isWhole: export.lacking.isEmpty) : .gathered(export)
    askForExport()
  }

  /// A question after a part of the file is refused.
  /// - Returns: Whether the file goes on without that part.
  mutating func exportGoesOn(
    _ question: Question, without refusal: QueryRefusal?, at now: Instant
  ) -> Bool {
    guard case .exported(let kind) = question, case .gathered(var export) = accountDesk.export,
      export.question == kind, export.takeRefusal(refusal)
    else { return false }
    exportGrew(export, at: now)
    return true
  }

  /// A question after a part of the file has no answer of use.
  mutating func exportFailed(_ step: Step, _ text: String) {
    guard case .question(.exported) = step.what, case .gathered = accountDesk.export else { return }
    accountDesk.export = .failed(text)
  }

  /// The service wants fewer questions. The file goes on after a pause.
  mutating func exportPauses(_ step: Step, _ refusal: QueryRefusal?) -> Bool {
    guard case .question(.exported) = step.what, case .rateLimited(let seconds)? = refusal else {
      return false
    }
    let pause = 1_000 * Int(min(max(1, seconds), 60))
    timers.append(PageTimer(milliseconds: pause, action: "exportaccount"))
    return true
  }

  /// The name and the bytes of the file, once it is here.
  mutating func takeExport() -> (name: String, bytes: [UInt8])? {
    guard case .ready(let bytes, let isWhole) = accountDesk.export else { return nil }
    accountDesk.export = isWhole ? .saved : .savedInPart
    return ("cubist-account.json", bytes)
  }
}

// MARK: - As the page reads it

extension ServiceWorld {
  func writeAccountDesk(to json: inout JSONText) {
    guard accountDesk != AccountDesk() else { return }
    json.name("departure")
    json.object { json in
      if let time = accountDesk.leavesAt {
        // As the page's own clock has it.
        json.field("leavesAt", "\(account.pageTime(of: time).microseconds / 1_000)")
      }
      switch accountDesk.stage {
      case .idle: break
      case .doubted:
        json.field("stage", "doubted")
        json.field("consequences", DepartureText.consequences)
      case .asked(isDelayed: false): json.field("stage", "asked")
      case .asked(isDelayed: true): json.field("stage", "delayed")
      case .refused(let text):
        json.field("stage", "refused")
        json.field("text", text)
      }
      switch accountDesk.export {
      case .none: break
      case .gathered: json.field("export", "gathered")
      case .ready(_, isWhole: true), .saved: json.field("export", "saved")
      case .ready(_, isWhole: false), .savedInPart:
        json.field("export", "saved")
        json.field(
          "exportText",
          "It is in the file cubist-account.json. The service is older than this page and does not "
            + "give all: ask who runs it for the rest.")
      case .failed(let text):
        json.field("export", "failed")
        json.field("exportText", text)
      }
    }
  }
}

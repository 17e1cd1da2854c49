import CubePlay
import CubistPage
import MatchCore
import MatchRecord
import MatchWire
import ServiceNews

/// The record that the page gets, checks or saves: that of the match on the page, or a file.
struct RecordDesk {
  private(set) var subject: Subject?
  private(set) var stage = Stage.empty
  /// The match's record, as far as it has come.
  private var record: [UInt8] = []
  /// The part of it that is to come next; nil: all of it is here.
  private(set) var nextPart: Int? = 1
  /// Whether the record has parts that may be of two states of it.
  private var isSuspect = false
  /// Whether all of it was asked for anew.
  private var isSecondTry = false
  /// The player's wishes for the record, until it is here.
  private var wishes: Set<Wish> = []
  /// The number of this check. The browser's answer to an earlier one is late.
  private var number = 0
  /// Whether the browser has the signatures of this check.
  private var isAtBrowser = false

  enum Subject: Hashable {
    case match(MatchKey)
    /// A file of that name.
    case file(String)
  }

  enum Wish: Hashable {
    case check
    case saving
  }

  enum Stage {
    /// Nothing is to be told.
    case empty
    /// The record is asked for.
    case asked
    /// The browser checks the signatures.
    case checking(RecordReview)
    case told(RecordVerdict)
    /// Why there is no record to check, in words.
    case refused(String)
  }

  /// Turns to a match or a file.
  mutating func turn(to subject: Subject?) {
    guard subject != self.subject else { return }
    let number = number
    self = RecordDesk()
    (self.subject, self.number) = (subject, number)
  }

  /// Wants something of the match's record. Gives whether the record is to be asked for.
  mutating func want(_ wish: Wish) -> Bool {
    wishes.insert(wish)
    guard nextPart != nil else { return false }
    if case .asked = stage { return false }
    stage = .asked
    return true
  }

  /// The question after the next part of the record of the match on the page.
  var question: Question? {
    guard case .match(let key) = subject, let nextPart else { return nil }
    if let match = key.match { return .record(match, part: nextPart) }
    return key.code.map { .sharedRecord($0, part: nextPart) }
  }

  /// The next part of the match's record has come. A smaller one than others is the last.
  mutating func keep(_ part: [UInt8]) {
    guard let number = nextPart else { return }
    record += part
    let isTooLarge = record.count > RecordReview.byteLimit
    let isLast = part.count != RecordPart.byteCount || isTooLarge
    nextPart = isLast ? nil : number + 1
    isSuspect = isLast && number > 1 && !isTooLarge && !isSecondTry
    if isLast, case .asked = stage { stage = .empty }
  }

  /// The record is asked for anew unless it holds: it may have changed between two of its parts. A
  /// second one is kept as it comes.
  mutating func doubt(_ holds: ([UInt8]) -> Bool) {
    guard isSuspect else { return }
    isSuspect = false
    guard !holds(record) else { return }
    (record, nextPart, isSecondTry, stage) = ([], 1, true, .asked)
  }

  /// The record to be checked, if it is wanted and here.
  mutating func takeForCheck() -> [UInt8]? {
    guard nextPart == nil, wishes.remove(.check) != nil else { return nil }
    return record
  }

  /// The name of a file and its bytes, if the player wants to have one.
  mutating func takeForSaving() -> (name: String, bytes: [UInt8])? {
    guard nextPart == nil, case .match(let key)? = subject, wishes.remove(.saving) != nil else {
      return nil
    }
    return ("cubist-\(key.text.suffix(8)).json", record)
  }

  mutating func begin(_ review: RecordReview) {
    number = (number + 1) % 1_000_000
    isAtBrowser = false
    stage = review.isComplete ? .told(review.verdict(nil)) : .checking(review)
  }

  mutating func refuse(_ text: String) { (stage, wishes) = (.refused(text), []) }

  /// The number of the check in four bytes, and the signatures for the browser. Nil: it has them, or
  /// there are none.
  mutating func takeSignatures() -> [UInt8]? {
    guard case .checking(let review) = stage, !isAtBrowser else { return nil }
    isAtBrowser = true
    return fourBytes(number) + review.signatures
  }

  /// The browser has checked the signatures.
  mutating func hear(_ valid: [Bool]?, of number: Int) {
    guard case .checking(let review) = stage, number == self.number else { return }
    stage = .told(review.verdict(valid))
  }

  // MARK: The state

  func write(to json: inout JSONText) {
    guard let subject else { return }
    json.name("record")
    json.object { json in
      if case .file(let name) = subject { json.field("file", name) }
      switch stage {
      case .empty: json.field("stage", "empty")
      case .asked: json.field("stage", "asked")
      case .checking: json.field("stage", "checking")
      case .refused(let text):
        json.field("stage", "refused")
        json.field("text", text)
      case .told(let verdict):
        json.field("stage", "told")
        json.field("facts", verdict.facts)
        json.field("text", verdict.sentence)
        json.optional("fault", verdict.fault)
        json.field("isVerified", verdict.isVerified)
      }
    }
  }
}

// MARK: - At the service

extension ServiceWorld {
  /// The player wants something of a match's record.
  mutating func want(_ wish: RecordDesk.Wish, of key: MatchKey) {
    desk.turn(to: .match(key))
    guard desk.want(wish) else { return checkRecord() }
    askForRecord()
  }

  /// A part of a record has come.
  mutating func take(_ part: [UInt8], answering question: Question) {
    guard desk.question == question else { return }
    desk.keep(part)
    desk.doubt { RecordReview.holds($0, words: words, known: account.pin) }
    askForRecord()
    checkRecord()
  }

  private mutating func askForRecord() {
    if let question = desk.question { ask(question, for: nil) }
  }

  /// A question after a record has no answer of use.
  mutating func recordFailed(_ step: Step, _ text: String) {
    guard case .question(let question) = step.what, desk.question == question else { return }
    desk.refuse(text)
  }

  private mutating func checkRecord() {
    guard let record = desk.takeForCheck() else { return }
    let name = "What the service sent"
    guard let view, case .match(let key)? = desk.subject, key == followed else {
      return desk.refuse("The match is not here. Reload it, and check it then.")
    }
    check(record, named: name, of: view)
  }

  /// - Parameter view: The match that it has to be of; nil: any.
  mutating func check(_ record: [UInt8], named name: String, of view: MatchView? = nil) {
    do throws(RecordFileError) {
      let review = try RecordReview(record, words: words, known: account.pin)
      if let other = view.flatMap({ review.difference(from: $0, at: account.pin) }) {
        return desk.refuse("\(name) is the record of \(other).")
      }
      desk.begin(review)
    } catch {
      desk.refuse(RecordText.refusal(error, of: name))
    }
  }
}

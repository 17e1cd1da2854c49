import CubePlay
package import CubistPage
import MatchRecord
import ServiceNews

extension Page where World == ServiceWorld {
  /// The match on the page, once it is over.
  var endedMatch: MatchKey? {
    guard case .over? = shown?.turn.stage else { return nil }
    return app.match?.key
  }

  /// Nothing is told of a record whose place is not on the page any more, nor of the account.
  func clearDesk() {
    switch world.desk.subject {
    case .match(let key): if app.match?.key != key { world.desk.turn(to: nil) }
    case .file: if !takesFiles { world.desk.turn(to: nil) }
    case nil: break
    }
    if case .settings? = app.menu { return }
    world.accountDesk.leaveScreen()
  }

  /// Whether a file can be chosen: on the list of past games, or on the list of matches of somebody
  /// without a name, who has no past games.
  private var takesFiles: Bool {
    switch app.place {
    case .home: world.account.name == nil
    case .menu(.pastGames): true
    default: false
    }
  }

  /// Checks a file that the player has chosen.
  ///
  /// - Parameters:
  ///   - size: All of its bytes; below 0: it cannot be read.
  ///   - bytes: As many of them as are read at most.
  package func check(file bytes: [UInt8], size: Int64, named name: String) {
    forgetTimers()
    guard takesFiles else { return }
    world.desk.turn(to: nil)
    world.desk.turn(to: .file(name))
    if size < 0 {
      world.desk.refuse("\(name) cannot be read.")
    } else if size > RecordReview.byteLimit || size != bytes.count {
      world.desk.refuse(RecordText.refusal(RecordReview.tooLarge(Int(clamping: size)), of: name))
    } else {
      world.check(bytes, named: name)
    }
  }

  /// The most bytes of a file that are read.
  package static var recordLimit: Int { RecordReview.byteLimit }

  /// The number of a check in four bytes and the signatures that the browser is to check, or nil.
  /// Each is a key of 32 bytes, a signature of 64, the length of the message in four bytes, and the
  /// message.
  package func takeSignatures() -> [UInt8]? { world.desk.takeSignatures() }

  /// The browser has checked the signatures of a check: a byte of each says whether it is valid, 1
  /// or 0. No bytes: it cannot check any.
  package func hear(verdicts: [UInt8], of number: Int) {
    forgetTimers()
    world.desk.hear(verdicts.isEmpty ? nil : verdicts.map { $0 == 1 }, of: number)
  }

  /// The name and the bytes of the record, or of the file about the player, that is saved, or nil.
  package func takeRecord() -> (name: String, bytes: [UInt8])? {
    world.desk.takeForSaving() ?? world.takeExport()
  }
}

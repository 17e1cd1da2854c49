import CubeRules
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

extension ClientKillTests {
  /// One run of one command by a player of its own, with the steps before and after it.
  // SAFETY: a scene is made and run by one child task, and looked at when that has been awaited.
  final class Scene: @unchecked Sendable {
    let ann: LabPlayer
    let today: DailyKey
    /// A letter for each step of a run to its end, see killing.c.
    private(set) var steps = ""
    private(set) var wasKilled = false
    private let lab: ServiceLab
    private let command: Command
    private let number: String
    private let folder: String
    /// Where the program finds the service.
    private let url: String
    private let store: ProfileStore
    private var prepared: Set<EventKey> = []
    /// The file that is the program's standard input.
    private var input: String?
    /// The other player. Both players use this player's connection beforehand.
    let bob: LabPlayer

    init(
      _ number: String, in lab: ServiceLab, folder: String, today: DailyKey, command: Command,
      with bob: LabPlayer, at url: String, isRegistered: Bool
    ) throws {
      self.url = url
      self.bob = bob
      self.number = number
      self.lab = lab
      self.folder = folder
      self.today = today
      self.command = command
      ann = try LabPlayer("ann-\(number)", in: lab)
      store = .live(folder: "\(folder)/cubist/ann-\(number)")
      // A new device's key is made by the program itself.
      guard isRegistered else { return }
      try store.saveKey(ann.key)
      try prepare(.playerRegistered(name: ann.name, code: nil))
      try store.saveProfile(
        Profile(
          player: ann.id, name: ann.name, service: lab.identity.service,
          rootKey: lab.identity.rootKey))
    }

    // MARK: Before

    /// Prepares an action, and gives the match that it asks for, if any.
    @discardableResult
    func prepare(_ action: Event.Action) throws -> MatchID {
      let sent = try ann.sign(action)
      guard case .accepted = try bob.send(sent) else {
        throw LabFailure("\(ann.name) cannot prepare \(action.typeName)")
      }
      prepared.insert(sent.key)
      return sent.newMatch
    }

    /// An invitation by the other player.
    func invitation() throws -> MatchID {
      let sent = try bob.sign(
        .matchRequested(MatchRequest(opponent: .player(ann.id), turnLimitSeconds: 3_600)))
      _ = try #require(try bob.send(sent).ticket)
      return sent.newMatch
    }

    /// A match in which it is the player's turn.
    func match() throws -> MatchID {
      let match = try prepare(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      try bob.must(.invitationAccepted(match, code: nil))
      return match
    }

    /// A match in which the other player has played the last turn, and a word of it.
    func answerable() throws -> (match: MatchID, word: String) {
      let ticket = try bob.act(
        .matchRequested(MatchRequest(opponent: .player(ann.id), turnLimitSeconds: 3_600))
      ).ticket
      let match = try #require(ticket).match
      try prepare(.invitationAccepted(match, code: nil))
      try bob.must(.turnPlayed(match, lab.firstWord(lab.match(match))))
      return (match, try #require(try lab.match(match).game.playedWords.first))
    }

    /// A match that the other player has given up.
    func ended() throws -> MatchID {
      let match = try match()
      try bob.must(.matchForfeited(match))
      return match
    }

    /// A code of the player for one more device.
    func deviceCode() throws -> DeviceCode {
      let code = DeviceCode(random: UInt64(truncatingIfNeeded: Randomness.live.next128()))
      try prepare(.deviceInvited(code.hash(at: lab.identity.service)))
      return code
    }

    /// A second device of the player's, by its key.
    func device() throws -> PublicKey {
      let phone = try LabPlayer("phone-\(number)", in: lab)
      let sent = try phone.sign(.keyAdded(deviceCode()), of: ann.id)
      guard case .accepted = try bob.send(sent) else {
        throw LabFailure("\(ann.name) cannot add a device")
      }
      prepared.insert(sent.key)
      return phone.key.publicKey
    }

    /// Words of the player's, which the program reads from its standard input.
    func words() throws -> RecoveryKey {
      let key = RecoveryKey.make(using: .live)
      let file = "\(folder)/\(number).words"
      try key.words.words.joined(separator: " ").write(
        toFile: file, atomically: true, encoding: .utf8)
      input = file
      try prepare(.recoveryKeyNamed(key.publicKey))
      return key
    }

    /// A recovery of the player's to the key of somebody else.
    func recovery() throws {
      let key = try words()
      let seed = try #require(PlayerKey(seed: key.words.seed))
      let words = try LabPlayer("words-\(number)", key: seed, in: lab)
      let thief = PlayerKey.make(using: .live)
      let sent = try words.sign(
        .playerRecovered(
          of: ann.id, at: lab.identity.service, by: key.publicKey, to: thief.signer),
        of: ann.id)
      guard case .accepted = try bob.send(sent) else {
        throw LabFailure("\(ann.name) cannot be recovered")
      }
      prepared.insert(sent.key)
    }

    // MARK: The program

    private func run(
      _ line: String, _ more: [String: String] = [:]
    ) throws -> CubistProgram.Run {
      try CubistProgram(folder: folder, url: url).run(
        line, as: "ann-\(number)", more, input: input)
    }

    /// Runs the command and notes its steps.
    func runToItsEnd() throws {
      let line = try command.arguments(self)
      let file = "\(folder)/\(number).steps"
      let run = try run(
        line,
        [
          "LD_PRELOAD": "\(CubistProgram.binaries)/libkilling.so", "CUBIST_KILL_STEPS": file,
        ])
      #expect(run.status == 0, "\(line): \(run.errors)")
      steps = try String(contentsOfFile: file, encoding: .utf8)
    }

    /// Runs the command, has it killed in front of a step, and continues as a person would.
    func run(killedAt step: Int) throws {
      let line = try command.arguments(self)
      let killed = try run(
        line,
        [
          "LD_PRELOAD": "\(CubistProgram.binaries)/libkilling.so", "CUBIST_KILL_AT": "\(step)",
        ])
      wasKilled = killed.wasKilled
      // A person who has seen the answer goes on to something else. One who has not repeats the
      // command.
      let next = killed.output.isEmpty || command.isRepeated ? line : "whoami"
      var run = try run(next)
      // A machine that is busy answers late: the program says so, and to repeat the command.
      for _ in 1...5 where run.errors.contains("Repeat the command") { run = try self.run(next) }
      // A command that does several things may have nothing left to do.
      let isOver = command.events.upperBound > 1 && run.status == 3
      #expect(
        run.status == 0 || isOver, "\(line), killed at \(step), then \(next): \(run.errors)")
    }

    /// The steps to kill in front of, from 1: every step except those whose effect does not outlive
    /// the program. Those are `fsync`, and all but the first and the last of several messages in a
    /// row.
    static func places(in steps: String) -> [Int] {
      let letters = Array(steps)
      return letters.indices.filter { index in
        guard letters[index] == "s", index > 0, index + 1 < letters.count else {
          return letters[index] != "f"
        }
        return letters[index - 1] != "s" || letters[index + 1] != "s"
      }.map { $0 + 1 }
    }

    // MARK: After

    /// Expects that the service has accepted each event once and has seen no other; gives the types
    /// of all the program's events.
    func expectOnce(_ replies: [EventKey: StoredReply]) throws -> Set<String> {
      let player = try store.loadKey()?.player
      // The key of a recovery speaks for nobody yet.
      let own = replies.filter {
        [player, ann.id].contains($0.key.player) && !prepared.contains($0.key)
      }
      let comment = Comment(rawValue: "\(number) \(steps)")
      #expect(command.events.contains(own.count), comment)
      for reply in own.values {
        guard case .accepted = try ReplyCodec.decode(reply.reply).reply else {
          Issue.record("\(number): an event was refused")
          continue
        }
      }
      #expect(try store.loadPending() == PendingEvents(events: []), comment)
      let journal = try store.loadJournal()
      #expect(journal.damagedCount == 0, comment)
      return Set(journal.lines.map(\.type))
    }
  }
}

import Chaos
import CubeLexicon
import CubeRules
import EventBusLive
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import PseudoTerminal
import TestedService
import RealServers
import Testing

/// A player before a terminal, who uses only the keyboard.
// SAFETY: a seat is made and used by one child task at a time.
final class Seat: @unchecked Sendable {
  let player: LabPlayer
  let terminal: PseudoTerminal
  private let store: ProfileStore
  private let lab: ServiceLab

  private static let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// A registered player with a shell in a terminal.
  ///
  /// - Parameter isNew: Whether the player has not seen the first steps.
  init(
    _ player: LabPlayer, in lab: ServiceLab, folder: String, url: String? = nil,
    columns: Int = 80, rows: Int = 24, isNew: Bool = false, _ more: [String: String] = [:]
  ) throws {
    self.player = player
    self.lab = lab
    store = .live(folder: "\(folder)/cubist/\(player.name)")
    try store.saveKey(player.key)
    if !isNew { try store.saveFirstSteps("done") }
    try store.saveProfile(
      Profile(
        player: player.id, name: player.name, service: lab.identity.service,
        rootKey: lab.identity.rootKey))
    let environment = [
      "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PS1": "$ ", "HOME": folder,
      "PATH": "\(Self.binaries):/usr/bin:/bin", "XDG_STATE_HOME": folder,
      "CUBIST_PROFILE": "\(player.name)", "CUBIST_URL": url ?? lab.playersURL,
      "SWIFT_BACKTRACE": "enable=no",
    ]
    terminal = try PseudoTerminal(
      "/bin/sh", ["-i"], environment: environment.merging(more) { $1 }, columns: columns,
      rows: rows)
    terminal.type("stty -a >/dev/null; echo he''re\r")
    try terminal.wait(showing: "here\n$")
  }

  deinit { terminal.shut() }

  func type(_ text: String) { terminal.type(text) }

  func wait(_ part: String, seconds: Double = 120) throws {
    try terminal.wait(showing: part, seconds: seconds)
  }

  /// Waits for a text and the next whole word of such a form behind it, which may come on a later
  /// line and in a later part of the output.
  func word(like form: Regex<Substring>, after text: String) throws -> String {
    var word: Substring?
    try wait(text)
    try waitUntil("the screen shows a word behind “\(text)”") {
      let shown = terminal.text
      word = shown.range(of: text).flatMap { range in
        shown[range.upperBound...].split { $0.isWhitespace }.first {
          $0.wholeMatch(of: form) != nil
        }
      }
      return word != nil
    }
    return String(try #require(word))
  }

  /// The match as the service shows it.
  func view(_ match: MatchID) throws -> MatchView { try ask { try $0.match(match) } }

  /// A question to the service by the player's own program.
  func ask<Value>(_ body: (Player) throws -> Value) throws -> Value {
    let bus = PlayerBus.live(
      try BrokerAddress(url: lab.playersURL), clock: .live, log: ServiceLab.log)
    defer { bus.close() }
    let player = try Player.open(store, bus: bus, clock: .live, randomness: .live)
    player.waitLong()
    return try body(player)
  }

  /// A word that can be played, the shortest and then the first.
  func word(in match: MatchID) throws -> String {
    let words = try Lexicon.english.words(on: view(match).game()).map(\.word)
    return try #require(words.min { ($0.count, $0) < ($1.count, $1) }).lowercased()
  }

  /// Removes cubes by the cursor: arrows, the space bar and Enter.
  func removeCubes(_ count: Int) throws {
    let arrows = ["\u{1b}[C", "\u{1b}[A", "\u{1b}[D", "\u{1b}[B"]
    for step in 0..<200 {
      if markedCount == count {
        try settle()
        if markedCount == count { break }
      }
      press(arrows[(step / 4 + step) % 4])
      // Either that cube is marked, or its mark is gone, or it cannot be.
      press(" ")
    }
    #expect(markedCount == count)
    type("\r")
  }

  /// Waits until every key has been processed: help is shown after whatever earlier keys do.
  private func settle() throws {
    type("?")
    try wait("Any key goes back.")
    type("?")
    try terminal.wait(for: "the match again") { !$0.text.contains("Any key goes back.") }
  }

  private var markedCount: Int {
    let text = terminal.text
    return text.contains("2 cubes are removed") ? 2 : text.contains("1 cube is removed") ? 1 : 0
  }

  /// Presses a key and waits for its effect; some keys have none.
  private func press(_ key: String) {
    let before = still
    type(key)
    _ = Patience.comes(within: .seconds(1)) { still != before }
  }

  /// The screen without its clock.
  private var still: [String] { terminal.lines.filter { !$0.hasSuffix(" left") } }
}

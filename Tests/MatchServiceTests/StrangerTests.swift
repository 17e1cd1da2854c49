import CustomDump
import EventExamples
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// Queries to the store and answers have to be the same, whether a match is somebody else's or does
/// not exist.
@Suite("A stranger cannot tell a match of others from none")
struct StrangerTests {
  // MARK: Queries

  /// Queries of Cyd's that name a match of Ann's and Bob's.
  static let queries: [Query.Kind] = {
    let id = Given.playing.match.id
    let version = Given.playing.match.version
    var kinds: [Query.Kind] = [.record(.init(id))]
    for atLeast in [nil, 0, 1, version, version + 1, .max] as [Int64?] {
      for newerThan in [nil, 0, version - 1, version, .max] as [Int64?] {
        kinds.append(.match(.init(id, atLeast: atLeast, newerThan: newerThan)))
      }
    }
    return kinds
  }()

  /// A reader's queries and answers in the half minute after a query of Cyd's. `stored` is the
  /// match that the store has, and changes in it are announced to others.
  private func told(_ kind: Query.Kind, _ stored: Given?) throws -> [String] {
    let lab = ReaderLab()
    var journal: [String] = []
    lab.expectOwner()
    lab.store.matches.answer { ids in
      journal.append("matches \(ids)")
      return [stored?.match].compactMap(\.self).filter { ids.contains($0.id) }
    }
    lab.store.entries.answer { id in
      journal.append("entries \(id)")
      return stored?.entries ?? []
    }
    lab.expectPlayers()
    lab.ask(kind, by: .cyd)
    for second in 0..<30 {
      if let stored { lab.announce(stored.match) }
      try lab.step()
      for answer in lab.answers { journal.append("\(second) \(answer)") }
      lab.forget()
      lab.clock.pass(.seconds(1))
    }
    return journal
  }

  @Test(
    "A query about it: the same questions, and the same answer at the same time", arguments: queries
  )
  func query(kind: Query.Kind) throws {
    let nothing = try told(kind, nil)
    for stored in [Given.playing, .ended] {
      expectNoDifference(try told(kind, stored), nothing)
    }
  }

  @Test("Waiting for a version of a match that one is in is over as soon as it is there")
  func ownMatch() throws {
    let lab = ReaderLab()
    let (before, id) = (Given.playing, Given.playing.match.id)
    var stored = before
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.matches.answer { _ in [stored.match] }
    lab.store.entries.answer { _ in stored.entries }
    lab.ask(.match(.init(id, atLeast: before.match.version + 1)), by: .bob)
    try lab.step()
    stored.take(TestPlayer.ann.event(stored.turn(), 9), by: .ann)
    lab.announce(stored.match)
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == stored.match.version)
  }

  // MARK: Events

  /// Events of Cyd's that name a match.
  private static func actions(_ given: Given) -> [Event.Action] {
    let match = given.match
    let turn = Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: twoRemovals)
    return Event.Action.ofPlayers(about: match.id, turn: turn)
      + [.invitationAccepted(match.id, code: ShareCode("ABCD1234"))]
  }

  /// Matches of Ann's and Bob's, in all their stages.
  static let stages: [Given] = [
    Given(), Given(.player(TestPlayer.bob.id)), Given(.open), Given(.nobody), .playing, .ended,
  ]

  /// All acts of a worker for an event of Cyd's. Ann has touched the match before, so that
  /// everything that can be cached is.
  private func done(
    _ action: Event.Action, _ given: Given, isStored: Bool, at time: Instant?
  ) throws -> [WorkerLab.Act] {
    let lab = WorkerLab(.lookUp, .resolve, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    let clocks = Dictionary(
      uniqueKeysWithValues: (0..<lab.layout.queueCount).map { ($0, QueueClock(time: time)) })
    lab.store.queueClocks.answer { time == nil ? [:] : clocks }
    lab.store.lookUp.answer { [unowned lab] lookup in
      var sorted = lookup
      sorted.matches.sort()
      lab.note(.lookUp(sorted))
      var found = lab.known
      found.matches =
        isStored && lookup.matches.contains(given.match.id)
        ? [given.match.id: given.match] : [:]
      return found
    }
    lab.settings.limits = .standard
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(.gameShared(given.match.id), 77), by: .ann)
    try lab.step()
    lab.forget()
    lab.deliver(TestPlayer.cyd.event(action, 78), by: .cyd)
    try lab.step()
    return lab.acts
  }

  @Test("An event about it: the same look-ups, locks, writes and replies", arguments: stages)
  func event(given: Given) throws {
    // Also where its deadline has passed, and no event has said so yet.
    for time in [nil, Instant.noon.adding(seconds: 40 * 86_400)] {
      for action in Self.actions(given) {
        expectNoDifference(
          try done(action, given, isStored: true, at: time),
          try done(action, given, isStored: false, at: time), "\(action)")
      }
    }
  }

  @Test("An invited player, or one with the code of an open invitation, takes the seat as before")
  func guests() throws {
    let open = Given(.open)
    let code = ShareCode(invitationTo: open.match.id, secret: ServiceIdentity.test.secret)
    let invitation = Given(.player(TestPlayer.cyd.id))
    for (given, code) in [(open, code), (invitation, nil)] {
      let acts = try done(
        .invitationAccepted(given.match.id, code: code), given, isStored: true, at: nil)
      let replies = acts.flatMap { act -> [Reply] in
        guard case .publish(let outgoing) = act else { return [] }
        return outgoing.compactMap { message in
          guard case .reply(_, _, let body) = message,
            case .accepted(let acceptance)? = try? ReplyCodec.decode(body).reply
          else { return nil }
          return .accepted(acceptance)
        }
      }
      guard case .accepted(.matchJoined)? = replies.first else {
        Issue.record("not joined: \(acts)")
        continue
      }
    }
  }
}

import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

/// What a friend hears who comes with the code of an invitation.
@Suite("The code of an invitation")
struct InvitationCodeTests {
  private let service: InProcessService
  private let ann: Player
  private let cyd: Player
  private let match: MatchID
  private let code: ShareCode

  init() throws {
    service = try InProcessService()
    (ann, cyd) = (try service.client("Ann"), try service.client("Cyd"))
    let start = try ann.startMatch(MatchRequest(opponent: .open, turnLimitSeconds: 3_600))
    (match, code) = (start.ticket.match, try #require(start.ticket.code))
  }

  /// Why the code lets Cyd in no more; nil if it does.
  private func refusal() throws -> QueryRefusal? {
    do throws(ClientError) {
      _ = try cyd.join(code)
      return nil
    } catch {
      guard case .queryRefused(_, let message, let refusal?) = error else { throw error }
      #expect(message == refusal.message)
      return refusal
    }
  }

  @Test("The code lets a friend in, however it is typed")
  func forgiven() throws {
    let typed = code.text.map { character in
      switch character {
      case "0": "o"
      case "1": "l-"
      default: "\(character.lowercased()) "
      }
    }.joined()
    #expect(try cyd.join(#require(ShareCode(typed: typed))).match == match)
    #expect(try service.violations() == [])
  }

  @Test("A program that passes letters on as they were typed joins, too")
  func passedOn() throws {
    let text = code.text.replacing("0", with: "O").replacing("1", with: "I")
    #expect(try cyd.join(#require(ShareCode(text))).match == match)
  }

  @Test("Somebody else was faster: that is said, while the two play and after it")
  func taken() throws {
    let bob = try service.client("Bob")
    _ = try bob.join(code)
    #expect(try refusal() == .seatTaken)
    _ = try ann.forfeit(match)
    #expect(try refusal() == .seatTaken)
    #expect(try service.violations() == [])
  }

  @Test("The invitation was withdrawn: that is said, and nothing else of it")
  func withdrawn() throws {
    _ = try ann.withdraw(match)
    #expect(try refusal() == .invitationOver(.withdrawn))
    #expect(throws: ClientError.self) { try cyd.match(match) }
    #expect(try service.violations() == [])
  }

  @Test("The invitation ran out: that is said, from the moment that its time is over")
  func ranOut() throws {
    service.stop(.worker)
    let end = service.clock.now().adding(seconds: Match.invitationSeconds + 60)
    for queue in service.store.clocks.keys {
      service.store.clocks[queue] = QueueClock(time: end)
    }
    try service.start(.worker)
    // It is found out by the first one who comes.
    let error = #expect(throws: ClientError.self) { try cyd.join(code) }
    guard case .refused(_, _, .matchOver(let outcome)?) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(outcome.reason == .expired)
    #expect(try refusal() == .invitationOver(.expired))
  }

  @Test("A code that nobody made is none, and so is that of a match that is no open invitation")
  func unknown() throws {
    let bob = try service.client("Bob")
    let name = try #require(bob.profile.name)
    let named = try ann.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
    for wrong in [
      ShareCode(invitationTo: MatchID(rawValue: 7), secret: service.identity.secret),
      ShareCode(invitationTo: named, secret: service.identity.secret),
    ] {
      let error = #expect(throws: ClientError.self) { try cyd.join(wrong) }
      guard case .queryRefused(_, _, .codeUnknown?) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}

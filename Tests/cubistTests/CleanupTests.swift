import MatchCore
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Declining many invitations")
struct CleanupTests {
  let lab = CommandLab()

  /// A player with so many invitations, of which the service lists five at a time; every third one
  /// is grace's.
  init() { crowd(12) }

  private func crowd(_ count: UInt128) {
    let service = lab.service
    var invitations = (1...count).map { number in
      Made.summary(Made.match(number), opponent: number % 3 == 0 ? "grace" : "mallory-\(number)")
    }
    func list() {
      service.home = Made.home(invitations: Array(invitations.prefix(5)))
      service.home.moreInvitations = invitations.count > 5 ? invitations.count - 5 : nil
    }
    list()
    service.onEvent = { event in
      switch event.action {
      case .invitationDeclined(let wish):
        invitations.removeAll { $0.id == wish.match }
        list()
        return .reply(.accepted(.done(.invitationDeclined, wish.match, version: 2)))
      case .playerBlocked(let wish): return .reply(.accepted(.playerBlocked(wish.other)))
      default: return .reply(.refused(.unavailable))
      }
    }
  }

  private var declined: Int {
    lab.service.events.count { if case .invitationDeclined = $0.action { true } else { false } }
  }

  @Test("The list counts the invitations left out, and says how to decline all")
  func more() {
    let text = lab.run("").output
    #expect(text.contains("7 older invitations are not listed."))
    #expect(text.contains("cubist decline --all"))
  }

  @Test("One command declines all of them, those that were not listed, too")
  func all() {
    let run = lab.run("decline --all")
    #expect(run.status == 0)
    #expect(run.output == "12 invitations are declined.\n")
    #expect(declined == 12)
  }

  @Test("One player's invitations are declined, the player is blocked, and the others stay")
  func sender() {
    crowd(4)
    let run = lab.run("decline --from Grace --block")
    #expect(
      run.output
        == "1 invitation is declined.\n1 player is blocked.\n3 invitations are left.\n")
    #expect(lab.service.events.contains { $0.action == .playerBlocked(Made.grace) })
    #expect(declined == 1)
  }

  @Test("A person is asked first, told how many, and nothing happens without a yes")
  func asking() {
    lab.isTerminal = true
    lab.lines = ["n"]
    let run = lab.run("decline --all")
    #expect(run.status == 1)
    #expect(run.errors.contains("Decline 12 invitations? [y/N]"))
    #expect(declined == 0)
    lab.lines = ["y"]
    #expect(lab.run("decline --all").status == 0)
    #expect(declined == 12)
  }

  @Test("--yes spares the question; a player without invitations has nothing to decline")
  func withoutAsking() {
    lab.isTerminal = true
    #expect(lab.run("decline --all --yes").status == 0)
    let again = lab.run("decline --all --yes")
    #expect(again.status == 3)
    #expect(again.errors.contains("Nobody has invited you."))
  }

  @Test(
    "Arguments that exclude each other are refused before anything is sent",
    arguments: ["decline 1234 --all", "decline --all --from grace", "decline 1234 --block"])
  func arguments(line: String) {
    #expect(lab.run(line).status == 64)
    #expect(lab.service.events.isEmpty)
  }

  @Test("An invitation that is gone meanwhile is no failure")
  func gone() {
    let onEvent = lab.service.onEvent
    lab.service.onEvent = { event in
      guard case .invitationDeclined(let wish) = event.action, wish.match == Made.match(2) else {
        return onEvent(event)
      }
      return .reply(.refused(.unknownMatch))
    }
    #expect(lab.run("decline --all").status == 0)
    #expect(declined == 12)
  }

  @Test("A player asking too much is told when to go on, in words and for programs")
  func rateLimited() {
    lab.service.onQuery = { _ in .refusal(.rateLimited(retryAfterSeconds: 30)) }
    let run = lab.run("--json")
    #expect(run.status == 69)
    #expect(run.errors.contains(#""name":"rateLimited""#))
    #expect(run.errors.contains(#""retryAfter":30"#))
  }
}

import MatchCore
import MatchInterfaces
import MatchWire

extension ReaderBus {
  /// How many matches and invitations the list of a reader with the mistake in it holds.
  private static let listedCount = 10

  /// A reader's broker with the mistake in it: of a list of matches and invitations the oldest are
  /// told, and whatever comes after them is not.
  var listingOldest: ReaderBus {
    var bus = self
    bus.answer.answer { answers throws(BusError) in
      try self.answer(
        answers.map { answer in
          var answer = answer
          answer.body = ReaderBus.shortened(answer.body)
          return answer
        })
    }
    return bus
  }

  private static func shortened(_ body: [UInt8]) -> [UInt8] {
    guard let (query, answer) = try? AnswerCodec.decode(body, as: HomeView.self),
      case .ok(var home) = answer
    else { return body }
    let all = (home.matches + home.invitations).map(\.id).sorted()
    let listed = Set(all.prefix(listedCount))
    home.matches.removeAll { !listed.contains($0.id) }
    home.invitations.removeAll { !listed.contains($0.id) }
    return AnswerCodec.encode(home, query: query)
  }
}

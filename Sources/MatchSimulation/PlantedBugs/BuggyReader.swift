import MatchCore
import MatchInterfaces
import MatchWire

extension ReaderBus {
  /// The number of matches and invitations that the buggy reader lists.
  private static let listedCount = 10

  /// A reader's broker with the mistake: of a list of matches and invitations it tells only the
  /// oldest.
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

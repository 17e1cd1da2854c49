public import MatchCore
import MatchWire

extension Player {
  /// Everything that the service shows the player about itself, as the bytes of a file.
  /// - Throws: the errors of queries.
  public func export(at now: Instant) throws(ClientError) -> [UInt8] {
    var export = AccountExport()
    while let part = export.part {
      let answer = try answer(part, of: export)
      do throws(ReplyFault) {
        guard case .ok(let object) = try ReceivedAnswer.read(answer).answer else {
          throw ReplyFault(.malformed("\(part.rawValue) cannot be written"))
        }
        do throws(WireFault) { try export.take(object) } catch { throw ReplyFault(error) }
      } catch {
        throw .unreadable(error)
      }
    }
    return export.document(at: now)
  }

  /// The answer to the question after a part, as it travels.
  private func answer(
    _ part: AccountExport.Part, of export: AccountExport
  ) throws(ClientError) -> [UInt8] {
    switch part {
    case .player: AnswerCodec.encode(try whoAmI(), query: nil)
    case .settings: AnswerCodec.encode(try settings(), query: nil)
    case .keys: AnswerCodec.encode(try keys(), query: nil)
    case .blocks: AnswerCodec.encode(try blocks(), query: nil)
    case .inbox: AnswerCodec.encode(try inbox(), query: nil)
    case .matches: AnswerCodec.encode(try home(), query: nil)
    case .pastGames:
      AnswerCodec.encode(
        try pastGames(before: export.place, limit: Query.PastGames.limits.upperBound), query: nil)
    case .dailies: AnswerCodec.encode(try dailyHistory(), query: nil)
    }
  }
}

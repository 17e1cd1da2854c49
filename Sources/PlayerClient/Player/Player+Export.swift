public import MatchCore
import MatchWire

extension Player {
  /// Everything that is kept of the player, as the bytes of a file.
  public struct ExportedAccount: Hashable, Sendable {
    public var bytes: [UInt8]
    /// The sections that the file lacks, since the service is of an older build.
    public var lacking: [String]
  }

  /// Everything that the service keeps of the player and tells the player.
  /// - Throws: the errors of queries.
  public func export(at now: Instant) throws(ClientError) -> ExportedAccount {
    var export = AccountExport()
    while let part = export.part {
      let answer: [UInt8]
      do throws(ClientError) {
        answer = try self.answer(part, of: export)
      } catch {
        if case .queryRefused(_, _, let refusal) = error, export.takeRefusal(refusal) { continue }
        throw error
      }
      do throws(ReplyFault) {
        guard case .ok(let object) = try ReceivedAnswer.read(answer).answer else {
          throw ReplyFault(.malformed("\(part.rawValue) cannot be written"))
        }
        do throws(WireFault) { try export.take(object) } catch { throw ReplyFault(error) }
      } catch {
        throw .unreadable(error)
      }
    }
    return ExportedAccount(
      bytes: export.document(at: now), lacking: export.lacking.map(\.rawValue))
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
    case .kept:
      AnswerCodec.encode(try export.rowsDue.map(rows) ?? AccountRows(rows: []), query: nil)
    }
  }
}

import CustomDump
import MatchCore
import MatchWire
import Testing

@Suite("Messages of push jobs")
struct PushJobMessageTests {
  private static func jobs(_ count: Int) -> [PushJob] {
    (0..<count).map {
      PushJob(
        id: PushJobID(rawValue: UInt128($0 + 1)), kind: .matchEnded,
        player: PlayerID(rawValue: 7), match: MatchID(rawValue: UInt128($0)))
    }
  }

  @Test(
    "Jobs are in as few messages as hold them, in order, and come out as they went in",
    arguments: [0, 1, 2, 16, 17, 40])
  func roundTrip(count: Int) {
    let jobs = Self.jobs(count)
    let messages = PushJobMessage.messages(of: jobs)
    #expect(messages.count == (count + PushJobMessage.jobLimit - 1) / PushJobMessage.jobLimit)
    #expect(messages.allSatisfy { $0.jobs.count <= PushJobMessage.jobLimit })
    let parts = messages.flatMap { PushJobMessage.parts(of: $0.body) }
    expectNoDifference(parts.map(\.job), jobs)
    expectNoDifference(parts.map(\.body), jobs.map(PushJobCodec.encode))
  }

  @Test("A message of one job is the job, byte for byte")
  func single() {
    let jobs = Self.jobs(1)
    expectNoDifference(
      PushJobMessage.messages(of: jobs).map(\.body), [PushJobCodec.encode(jobs[0])])
  }

  @Test("A line that is no job takes no other with it")
  func spoiled() {
    let jobs = Self.jobs(2).map(PushJobCodec.encode)
    let body = jobs[0] + Array("\n{}\n".utf8) + jobs[1]
    let parts = PushJobMessage.parts(of: body)
    expectNoDifference(parts.map { $0.job != nil }, [true, false, true])
    expectNoDifference(parts.map(\.body), [jobs[0], Array("{}".utf8), jobs[1]])
  }

  @Test("Bytes without a job are one part, as a whole", arguments: ["", "\n\n", "a\nb", "{}"])
  func nothing(body: String) {
    let parts = PushJobMessage.parts(of: Array(body.utf8))
    expectNoDifference(parts.map(\.body), [Array(body.utf8)])
    #expect(parts[0].job == nil)
  }

  @Test("A job that somebody wrote on several lines is one")
  func indented() throws {
    let job = Self.jobs(1)[0]
    let text = try #require(String(validating: PushJobCodec.encode(job), as: UTF8.self))
    let body = Array(text.replacing(",", with: ",\n  ").utf8)
    let parts = PushJobMessage.parts(of: body)
    expectNoDifference(parts.map(\.job), [job])
    expectNoDifference(parts.map(\.body), [body])
  }
}

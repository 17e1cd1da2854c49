import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@Suite("Push jobs that a worker holds")
struct HeldPushJobsTests {
  private let jobs = (1...5).map {
    PushJob(id: PushJobID(rawValue: $0), kind: .matchEnded, player: PlayerID(rawValue: 1))
  }

  private func body(_ range: Range<Int>) -> [UInt8] {
    PushJobMessage.messages(of: Array(jobs[range])).flatMap(\.body)
  }

  @Test("A message is done with when the last of its jobs is, in any order")
  func finishing() {
    var held = HeldPushJobs()
    held.add(70, body: body(0..<3), attempts: 0, deliveryCount: 1)
    held.add(71, body: body(3..<5), attempts: 2, deliveryCount: 3)
    #expect(held.readyCount == 5)
    let given = held.take(4) + held.take(4)
    #expect(held.readyCount == 0)
    expectNoDifference(given.map(\.job), jobs)
    expectNoDifference(given.map(\.attempts), [0, 0, 0, 2, 2])
    expectNoDifference(given.map(\.deliveryCount), [1, 1, 1, 3, 3])
    #expect(Set(given.map(\.tag)).count == 5)
    let tags = given.map(\.tag)
    #expect(held.finish([tags[2], tags[4]]) == [])
    #expect(held.finish([tags[0]]) == [])
    #expect(held.finish([tags[3], tags[1]]) == [71, 70])
  }

  @Test("A job that is finished twice, or was never held, finishes no message")
  func strange() {
    var held = HeldPushJobs()
    held.add(1, body: body(0..<2), attempts: 0, deliveryCount: 1)
    let tag = held.take(2)[0].tag
    #expect(held.finish([tag, tag, 99]) == [])
  }
}

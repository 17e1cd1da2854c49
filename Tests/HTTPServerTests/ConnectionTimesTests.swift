import Testing

@testable import HTTPServer

@Suite("The times of a connection")
struct ConnectionTimesTests {
  let limits = ConnectionTimes.Limits(
    idle: .seconds(75), head: .seconds(10), body: .seconds(10), write: .seconds(20))

  @Test("A connection's times follow what the client has to do next")
  func times() {
    let second: UInt64 = 1_000_000_000
    var times = ConnectionTimes(limits, at: 0)
    #expect(times.deadline?.why == .idle && times.deadline?.at == 75 * second)
    times.bytes(at: second)
    times.bytes(at: 5 * second)
    #expect(times.deadline?.why == .head && times.deadline?.at == 11 * second)
    times.enter(.answering, 6 * second)
    #expect(times.deadline == nil)
    times.writing(at: 7 * second)
    times.writing(at: 8 * second)
    #expect(times.deadline?.why == .slowReader && times.deadline?.at == 27 * second)
    times.wrote(5_000, isAll: false, at: 9 * second)
    #expect(times.deadline?.at == 27 * second)
    times.wrote(1, isAll: true, at: 10 * second)
    #expect(times.deadline == nil)
    times.writing(at: 10 * second)
    times.enter(.closing, 10 * second)
    times.enter(.idle, 11 * second)
    // A slow client reads the last answer to its end.
    #expect(times.deadline?.why == .slowReader && times.deadline?.at == 30 * second)
    times.wrote(1, isAll: true, at: 14 * second)
    #expect(times.deadline?.why == .closing && times.deadline?.at == 16 * second)
  }

  @Test("A body that comes before its turn has its time; one that waits for a word has none yet")
  func earlyBodies() {
    let second: UInt64 = 1_000_000_000
    var times = ConnectionTimes(limits, at: 0)
    times.enter(.answering, second)
    times.beginEarlyBody(isHeld: false, 2 * second)
    // Byte by byte it has no more time.
    for now in UInt64(3)...9 { times.bytes(at: now * second) }
    #expect(times.deadline?.why == .body && times.deadline?.at == 12 * second)
    times.endEarlyBody()
    #expect(times.deadline == nil)
    times.beginEarlyBody(isHeld: true, 20 * second)
    #expect(times.deadline == nil)
    times.bytes(at: 30 * second)
    times.bytes(at: 31 * second)
    #expect(times.deadline?.why == .body && times.deadline?.at == 40 * second)
    // Another request comes first.
    times.enter(.answering, 32 * second)
    #expect(times.deadline?.at == 40 * second)
    // Its turn has come.
    times.enter(.body, 35 * second)
    #expect(times.deadline?.why == .body && times.deadline?.at == 45 * second)
    times.enter(.answering, 36 * second)
    #expect(times.deadline == nil)
  }

  @Test("A client has 20 s to read, and 4 ms more for each byte that it reads")
  func slowReaders() {
    let second: UInt64 = 1_000_000_000
    var times = ConnectionTimes(limits, at: 0)
    times.enter(.answering, 0)
    times.writing(at: 0)
    // What the system takes is not read yet.
    times.wrote(88_000, isAll: false, at: second)
    #expect(times.deadline?.why == .slowReader && times.deadline?.at == 20 * second)
    // The system takes nothing for a minute, while the client reads 300 bytes a second.
    for look in UInt64(1)...3 {
      let now = 20 * look * second
      times.unread(88_000 - 6_000 * Int(look), at: now)
      #expect(times.deadline?.at == now + 20 * second)
    }
    // Bit by bit it has hardly more time; many bytes at once make up for that, and none is saved up.
    times.unread(88_000 - 18_010, at: 80 * second)
    #expect(times.deadline?.at == 80_040_000_000)
    times.unread(88_000 - 18_010, at: 80_040_000_000)
    #expect(times.deadline?.at == 80_040_000_000)
    times.unread(88_000 - 48_000, at: 80_040_000_000)
    #expect(times.deadline?.at == 100_040_000_000)
    // More than was taken cannot be unread, and gives no time.
    times.unread(.max, at: 100 * second)
    #expect(times.deadline?.at == 100_040_000_000)
    times.unread(0, at: 100 * second)
    #expect(times.deadline?.at == 120 * second)
    // The next bytes have their own time.
    times.wrote(1, isAll: true, at: 110 * second)
    #expect(times.deadline == nil)
    times.writing(at: 150 * second)
    #expect(times.deadline?.at == 170 * second)
  }
}

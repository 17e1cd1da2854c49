import CustomDump
import FoundationEssentials
import Logging
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchService

private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  var sink: LineSink {
    LineSink { line in
      self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
  }
}

@Suite("The log")
struct LoggingTests {
  private let lines = Lines()

  func logger(level: Logger.Level = .info) -> Logger {
    let (lines, clock) = (lines, TestClock())
    return Logger(label: "cubist.test") { label in
      JSONLogHandler(label: label, level: level, clock: clock.clock, sink: lines.sink)
    }
  }

  @Test("A record is one JSON line, keys sorted")
  func record() {
    logger().warning("queue takes nothing", metadata: ["queue": "3", "a": "b"])
    expectNoDifference(
      lines.all,
      [
        #"{"a":"b","label":"cubist.test","level":"warning","message":"queue takes nothing","#
          + #""queue":"3","time":"2026-05-01T12:00:00.000Z"}"# + "\n"
      ])
  }

  @Test("A level below the lowest one is not written")
  func level() {
    logger(level: .warning).info("quiet")
    #expect(lines.all == [])
  }

  @Test("Nothing that a stranger writes begins a line or reaches a terminal")
  func control() throws {
    let text = "a\"b\\c\nd\u{1b}[31m\u{7f}\u{9b}\u{2028}ä😀\0"
    logger().info("\(text)", metadata: ["k\n": "\(text)"])
    let line = try #require(lines.all.first)
    #expect(lines.all.count == 1)
    #expect(
      line.unicodeScalars.dropLast().allSatisfy {
        $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value)
      })
    #expect(line.contains(#"a\"b\\c\nd\u001b[31m\u007f\u009b\u2028ä😀\u0000"#))
    let decoded = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(decoded["message"] == text)
    #expect(decoded["k\n"] == text)
  }

  @Test("Metadata is flattened, the nearest wins, and cannot pose as the record's own fields")
  func metadata() throws {
    var logger = logger()
    logger[metadataKey: "near"] = "far"
    logger[metadataKey: "role"] = "worker"
    logger.info(
      "x",
      metadata: [
        "near": "near", "time": "never", "message": "forged",
        "nested": ["a": "1", "b": ["2", "3"]], "number": .stringConvertible(5),
      ])
    let line = try #require(lines.all.first)
    #expect(line.contains(#""number":5,"#))
    let decoded = try JSONDecoder().decode(
      [String: String].self, from: Data(line.replacing(#""number":5"#, with: #""number":"5""#).utf8)
    )
    expectNoDifference(
      decoded,
      [
        "label": "cubist.test", "level": "info", "message": "x", "time": "2026-05-01T12:00:00.000Z",
        "near": "near", "role": "worker", "_time": "never", "_message": "forged",
        "nested.a": "1", "nested.b.0": "2", "nested.b.1": "3", "number": "5",
      ])
  }

  @Test("Integers and truth values are those of JSON; everything else is a text")
  func typed() throws {
    logger().info(
      "x",
      metadata: [
        "a": .stringConvertible(UInt16(7)), "b": .stringConvertible(true),
        "c": .stringConvertible(-3), "d": .stringConvertible(UInt64.max), "e": "9",
        "f": .stringConvertible(Duration.seconds(1)), "g": ["h": .stringConvertible(1)],
      ])
    let line = try #require(lines.all.first)
    #expect(
      line.hasPrefix(
        #"{"a":7,"b":true,"c":-3,"d":"18446744073709551615","e":"9","f":"1.0 seconds","g.h":1,"#),
      "\(line)")
  }

  @Test("Lines of a role carry its name and its id")
  func role() throws {
    logger().of("worker", id: RoleID(rawValue: 7)).info("x")
    logger().of("worker", id: RoleID(rawValue: 7)).of("http").info("y")
    #expect(
      lines.all.first?.contains(#""role":"worker","roleID":"\#(RoleID(rawValue: 7))""#) == true)
    #expect(lines.all.last?.contains(#""role":"http","time""#) == true)
  }

  @Test("A log that cannot be written stops nobody")
  func broken() {
    let handler = JSONLogHandler(
      label: "x", level: .info, clock: .noop,
      sink: LineSink { _ throws(LineSinkError) in throw LineSinkError(code: 28) })
    Logger(label: "x") { _ in handler }.info("lost")
  }

  @Test("A file gets whole lines, from several writers, and may be moved away in between")
  func file() throws {
    let path =
      FileManager.default.temporaryDirectory.path + "/cubist-log-\(UInt64.random(in: 0 ... .max))"
    defer {
      try? FileManager.default.removeItem(atPath: path)
      try? FileManager.default.removeItem(atPath: path + ".1")
    }
    let (one, two) = (try LineSink.file(path), try LineSink.file(path))
    try one.write(Array("a\n".utf8))
    try two.write(Array("b\n".utf8))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\nb\n")
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    try one.write(Array("c\n".utf8))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "c\n")
    #expect(throws: LineSinkError(code: 2)) { try LineSink.file("/nowhere/at/all") }
  }
}

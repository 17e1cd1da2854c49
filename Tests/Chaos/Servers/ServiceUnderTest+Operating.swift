import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import Synchronization

// An operator's work while players play.
extension ServiceUnderTest {
  // MARK: The number of queues

  /// The number of queues that a given number changes to, and back. A wrong slot for hostile
  /// players is wrong under both numbers.
  static func otherCount(than count: Int) -> Int { min(Slot.count, count * 2) }

  /// Has all workers and schedulers leave, and sets the service up with another number of queues,
  /// or with the former one again. Then starts every role with it; gives whether the database has
  /// it.
  func changeQueues() throws -> Bool {
    try leave { $0 == "worker" || $0 == "scheduler" }
    let count = queueCount.withLock { count in
      let first = layout.queueCount
      count = count == first ? ServiceUnderTest.otherCount(than: first) : first
      return count
    }
    // Another fault may have a server down, and a killed process counts as living for a while.
    try Injector.untilAnswered {
      let (status, said) = try run(["setup"])
      guard status == 0 else { throw ChaosFailure("cubistd setup ended with \(status): \(said)") }
    }
    try leave { $0 != "worker" && $0 != "scheduler" }
    try places.withLock { places in
      for index in places.indices {
        places[index].process = try process(places[index])
        places[index].isHeldDown = false
      }
    }
    var hasIt = false
    try Injector.untilAnswered {
      let connection = try connectDirectly()
      defer { connection.close() }
      let stored = try Layouts.stored(connection)
      hasIt = stored?.layout.queueCount == count && stored?.unmoved == []
    }
    return hasIt
  }

  /// Asks the processes of some roles to leave, and waits until they have.
  private func leave(_ isMeant: (_ role: String) -> Bool) throws {
    let leaving = places.withLock { places in
      places.indices.filter { isMeant(places[$0].role) }.compactMap { index in
        places[index].isHeldDown = true
        return places[index].process
      }
    }
    for process in leaving { process.askToLeave() }
    try waitUntil("roles have left", atMost: .seconds(120)) {
      leaving.allSatisfy { !$0.isRunning }
    }
  }

  // MARK: Upgrading

  /// The numbers of all places, role after role.
  func indices(inOrder roles: [String]) -> [Int] {
    places.withLock { places in
      roles.flatMap { role in places.indices.filter { places[$0].role == role } }
    }
  }

  /// Has one process leave, and starts one of either build in its place.
  ///
  /// - Returns: The status with which it left, and when its successor was started.
  func exchange(_ index: Int, isFormer: Bool) throws -> (status: Int32, began: UInt64) {
    let leaving = places.withLock { places in
      places[index].isHeldDown = true
      return places[index].process
    }
    leaving?.askToLeave()
    let status = leaving?.wait() ?? 0
    let began = uptime()
    try places.withLock { places in
      places[index].isFormer = isFormer
      places[index].process = try process(places[index])
      places[index].isHeldDown = false
    }
    return (status, began)
  }

  /// Whether as many processes of a place's role give signs of life as there are. A gateway gives
  /// none.
  func hasBegun(_ index: Int) throws -> Bool {
    let role = places.withLock { $0[index].role }
    guard role != "gateway" else { return true }
    let connection = try connectDirectly()
    defer { connection.close() }
    let count = try connection.query(
      """
      SELECT count(*) FROM roles
      WHERE role = $1 AND problem IS NULL AND heartbeat_at > now() - interval '15 seconds'
      """, [.text(role)]
    ).only[0].int64
    return count >= Int64(places.withLock { $0.count { $0.role == role } })
  }

  // MARK: The working key

  /// Takes a new working key whose certificate ends after so many seconds. `cubistd setup --renew`
  /// takes one that lasts.
  func certifyWorkingKey(forSeconds seconds: Int64) throws {
    let connection = try connectDirectly()
    defer { connection.close() }
    var keys = try ServiceKeyFile.load(keyPath)
    try keys.renew(
      root: .load(rootKeyPath), now: SchedulerStore.live(connection).now(), validSeconds: seconds,
      randomness: .live)
    let store = OperatorStore.live(connection)
    let known = try store.service()?.certificates ?? []
    for certificate in keys.certificates where !known.contains(certificate) {
      try store.addCertificate(certificate)
    }
    let new = "\(keyPath).short"
    try? FileManager.default.removeItem(atPath: new)
    try keys.create(at: new)
    guard rename(new, keyPath) == 0 else { throw ChaosFailure("\(keyPath) cannot be replaced") }
  }

  /// Renews the working key.
  func renewWorkingKey() throws {
    let (status, said) = try run(["setup", "--renew", rootKeyPath])
    guard status == 0 else {
      throw ChaosFailure("cubistd setup --renew ended with \(status): \(said)")
    }
  }

  private var keyPath: String { environment["CUBIST_SERVICE_KEYS"] ?? "" }

  private var rootKeyPath: String { "\(keyPath).root" }

  // MARK: Status

  /// The names of the findings of `cubistd status`; none where its output cannot be read.
  func statusFindings() -> [String] {
    struct Answer: Decodable {
      struct Item: Decodable { var name: String }
      var findings: [Item]
    }
    guard let said = try? run(["status", "--json"]).said, let first = said.firstIndex(of: "{"),
      let last = said.lastIndex(of: "}"), first < last,
      let answer = try? JSONDecoder().decode(Answer.self, from: Data(said[first...last].utf8))
    else { return [] }
    return answer.findings.map(\.name)
  }
}

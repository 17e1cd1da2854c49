import CustomDump
import Testing

@testable import PrivateServers

@Suite("Ports of private servers")
struct PortTests {
  private static let text = """
    AMQP=20001
    AMQPS=20002
    DISTRIBUTION=20003
    EPMD=20004
    MANAGEMENT=20005
    MANAGEMENTS=20007
    POSTGRES=20006

    """

  @Test("The file says which servers there are, and is written as it was read")
  func reading() throws {
    let ports = try #require(ServerPorts(text: PortTests.text))
    #expect(ports[.postgres(1)] == 20_006 && ports[.amqps(1)] == 20_002)
    #expect(!ports.hasStandby && ports.nodes == 1)
    #expect(ports.text == PortTests.text)
    let more = PortTests.text + "POSTGRES2=20010\nAMQP2=20008\nAMQP3=20009\n"
    let cluster = try #require(ServerPorts(text: more))
    #expect(cluster.hasStandby && cluster.nodes == 3)
  }

  @Test(
    "A file that is damaged is none",
    arguments: [
      "", "AMQP=20001", text + "POSTGRES2", text + "AMQP2=zero", text + "AMQP2=70000",
      text + "AMQP0=20009", text + "MYSQL=20009", text + "AMQP2=0",
    ])
  func damaged(text: String) {
    #expect(ServerPorts(text: text) == nil)
  }

  @Test("A server keeps its port, and a new one gets a port that is free")
  func adding() throws {
    var ports = try #require(ServerPorts(text: PortTests.text))
    let free = Set<UInt16>(30_000...30_005)
    let listening = Set(ServerPorts.range).subtracting(free)
    var generator = SystemRandomNumberGenerator()
    ports.add(
      ServerOptions(standby: true, nodes: 2), listening: listening, using: &generator)
    #expect(ports[.amqp(1)] == 20_001)
    let new: [ServerPort] = [
      .postgres(2), .amqp(2), .amqps(2), .management(2), .managements(2), .distribution(2),
    ]
    #expect(Set(new.map { ports[$0] }) == free)
    let before = ports
    ports.add(ServerOptions(), listening: [], using: &generator)
    expectNoDifference(ports, before)
  }

  @Test("The kernel's table names listeners, on IPv6 too")
  func listening() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue
         0: 0100007F:4E21 00000000:0000 0A 00000000:00000000
         1: 0100007F:4E22 0100007F:1234 01 00000000:00000000
         2: 00000000000000000000000001000000:4E23 00000000000000000000000000000000:0000 0A 0:0
      """
    #expect(ServerPorts.listening(in: table) == [20_001, 20_003])
  }
}

import ArgumentParser
import Foundation
import Glibc

/// More and more workers, each with a small share of a processor: how far turns grow, and what ends
/// it. deploy/scale runs it in a network namespace of its own.
struct ScaleProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale",
    abstract: "Measure how many turns added workers add, and what ends it.",
    discussion: """
      Examples:
        deploy/scale
        deploy/scale --workers 1,2,4 --postgres 3     PostgreSQL is to be the limit

      PostgreSQL, RabbitMQ, each worker and each gateway get a share of one processor, in \
      hundredths. Each worker and each gateway is in a network namespace of its own. So the shares \
      stand for small machines, and turns a second mean nothing beside those of other runs. \
      Needs root. docs/scale.md says what the columns are.
      """)

  @Option(help: .init("How many workers, one run after another.", valueName: "n,n,…"))
  var workers = "1,2,4,8"
  @Option(help: "How many gateways.")
  var gateways = 4
  @Option(help: .init("Each worker's share.", valueName: "hundredths"))
  var worker = 2.5
  @Option(help: .init("Each gateway's share.", valueName: "hundredths"))
  var gateway = 6.0
  @Option(help: .init("PostgreSQL's share.", valueName: "hundredths"))
  var postgres = 8.0
  @Option(help: .init("RabbitMQ's share.", valueName: "hundredths"))
  var rabbitmq = 12.0
  @Option(
    help: .init(
      "The share of the players, reader, relay and push worker together.",
      valueName: "hundredths"))
  var others = 60.0
  @Option(help: "How many matches are played at once.")
  var matches = 128
  @Option(help: "How often each number is measured.")
  var rounds = 3
  @Option(help: "How long each measurement takes.")
  var seconds = 15.0
  @Option(help: .init("Delay of a round trip between namespaces.", valueName: "ms"))
  var delay = 0.0
  @Option(help: .init("Where servers and logs are kept."))
  var folder = ".cubist/scale"
  @Option(help: .init("The program to be measured.", visibility: .hidden))
  var cubistd: String

  func validate() throws {
    _ = try numbers()
    for (name, share) in [
      ("worker", worker), ("gateway", gateway), ("postgres", postgres), ("rabbitmq", rabbitmq),
      ("others", others),
    ] {
      guard 2...10_000 ~= share else {
        throw ValidationError("--\(name) is \(share); it takes 2 to 10000 hundredths.")
      }
    }
    guard 1...16 ~= gateways, 1...4_000 ~= matches, 1...20 ~= rounds, 2...600 ~= seconds,
      0...1_000 ~= delay
    else {
      throw ValidationError(
        "--gateways takes 1 to 16, --matches 1 to 4000, --rounds 1 to 20, --seconds 2 to 600, "
          + "--delay 0 to 1000.")
    }
  }

  private func numbers() throws -> [Int] {
    let numbers = workers.split(separator: ",").map { Int($0) ?? 0 }
    guard !numbers.isEmpty, numbers.allSatisfy({ 1...16 ~= $0 }) else {
      throw ValidationError(
        "--workers is \"\(workers)\"; it takes numbers from 1 to 16, as in 1,2,4. "
          + "Events have 16 queues, and each has one worker.")
    }
    return numbers
  }

  func run() throws {
    Interruption.listen()
    do {
      let path =
        folder.hasPrefix("/")
        ? folder : "\(FileManager.default.currentDirectoryPath)/\(folder)"
      Progress.say("starting servers in \(path)")
      let servers = try Servers(folder: path, cubistd: cubistd)
      defer { servers.stop() }
      let scale = try Scale(servers: servers, cubistd: cubistd, options: self)
      defer { scale.end() }
      print(try scale.run(numbers()))
    } catch let error as BenchFailure {
      Progress.say("\(error)")
      throw ExitCode(1)
    }
  }
}

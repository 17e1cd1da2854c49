import ArgumentParser
import BrokerManagement
import Foundation
import MatchInterfaces
import MatchService

struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract:
      "Set up a service: keys, schema, exchanges, queues, users with their rights.",
    discussion: """
      Examples:
        cubistd setup                          make missing parts; safe to repeat
        cubistd setup --check                  list missing parts, exit 1 if any
        cubistd setup --renew /media/root.key  take a new working key
        cubistd setup --take-broker            after a restore: take the broker

      Each change is a line that begins with “changed:”. “nothing to change” stands at the end if \
      there is none.

      Needs CUBIST_DATABASE, CUBIST_BROKER and CUBIST_SERVICE_KEYS. With \
      CUBIST_BROKER_MANAGEMENT it makes the broker's users too: the service's, as CUBIST_BROKER \
      names it, and the gateways', as CUBIST_GATEWAY_BROKER names it. Players come by HTTP. Only \
      where CUBIST_PLAYER_BROKER names one it makes another user, for programs of your own that \
      speak AMQP. Whoever has that one can end RabbitMQ below \(BrokerVersion.withoutPeril). With \
      webPush in CUBIST_PUSH it makes the key of Web Push, in the file that \
      CUBIST_PUSH_VAPID_KEY names.
      """)

  @Flag(help: "Change nothing; list missing parts.")
  var check = false
  @Flag(help: "Take the broker from another database. End all roles of that database first.")
  var takeBroker = false
  @Option(help: "The key file; overrides CUBIST_SERVICE_KEYS.")
  var keys: String?
  @Option(help: "The root key's file: take a new working key certified by it.")
  var renew: String?

  func validate() throws {
    if check, renew != nil { throw ValidationError("--check changes nothing, --renew does.") }
    if check, takeBroker {
      throw ValidationError("--check changes nothing, --take-broker does.")
    }
  }

  func run() throws {
    try Output.reporting { () throws(OperatorFailure) in
      var needed: Set<SettingName> = [.database, .broker]
      // A machine that only looks has no key file.
      if keys == nil, !check { needed.insert(.serviceKeys) }
      var settings = try ServiceSettings.load(needing: needed)
      if let keys { settings.serviceKeys = keys }
      let setup = try ServiceSetup(settings)
      if check { return try check(setup) }
      try SetupLine.printing { report throws(OperatorFailure) in
        if let renew { try setup.renewWorkingKey(root: renew, report: report) }
        do throws(OperatorFailure) {
          try setup.run(takingBroker: takeBroker, report: report)
        } catch {
          if renew != nil {
            Output.out(
              "The renewal is done and need not be repeated; only the rest of setup failed.")
          }
          throw error
        }
      }
    }
  }

  private func check(_ setup: ServiceSetup) throws(OperatorFailure) {
    let found = try setup.examine()
    let problems = found.problems
    let warning = found.failures.isEmpty ? try setup.warning() : nil
    let advice = found.failures.isEmpty ? try setup.advice() : []
    for line in problems + (warning.map { [$0] } ?? []) + advice { Output.out(line) }
    for failure in found.failures.dropFirst() { Output.out("\(failure)") }
    if let failure = found.failures.first { throw failure }
    guard problems.isEmpty else { throw .wrong(SetupCommand.closing(problems.count)) }
    if setup.settings.serviceKeys.isEmpty {
      Output.out("\(SettingName.serviceKeys.rawValue) is not set: keys were not looked at.")
    }
    Output.out(warning == nil ? "All is there." : "All is there; renew the working key in time.")
  }

  /// The last word of a check that found so many differences.
  static func closing(_ count: Int) -> String {
    (count == 1 ? "1 thing is missing or wrong" : "\(count) things are missing or wrong")
      + "; where its line names no other remedy `cubistd setup` mends it"
  }
}

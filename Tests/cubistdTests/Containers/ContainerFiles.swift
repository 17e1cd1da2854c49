import Foundation
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

/// The files by which containers are run.
enum ContainerFiles {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The documents of a file, or of each file of a folder.
  static func documents(_ path: String) throws -> [PlainYAML] {
    guard !path.hasSuffix("/") else {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: path).path)
      return try files.filter { $0.hasSuffix(".yaml") && $0 != "kustomization.yaml" }.sorted()
        .flatMap { try documents(path + $0) }
    }
    do {
      return try PlainYAML.documents(in: text(path))
    } catch let failure as PlainYAML.Failure {
      Issue.record("\(path):\(failure.line): \(failure.reason)")
      throw failure
    }
  }

  /// The user of the image, as deploy/package makes it.
  static func imageUser() throws -> String {
    let match = try text("deploy/package").firstMatch(of: /\nimage_user=(\d+)\n/)
    return String(try #require(match).1)
  }

  /// The port at which the installed unit of a role tells its health.
  static func healthPort(of role: RoleName) throws -> Int {
    let unit = try text("deploy/systemd/cubistd@\(role.rawValue).service.d/health.conf")
    let match = try #require(unit.firstMatch(of: /CUBIST_HEALTH_LISTEN=(\S+)/))
    return try #require(ListenAddress(String(match.1))).port
  }

  /// The settings of a process that has this environment, and these settings as files in its folder of
  /// secrets.
  static func settings(
    _ environment: [String: String], secrets: Set<String>, of roles: [RoleName]
  ) throws -> ServiceSettings {
    let folder = environment["CREDENTIALS_DIRECTORY"] ?? ""
    let files = Dictionary(
      uniqueKeysWithValues: secrets.compactMap { SettingName(rawValue: $0) }.map {
        ("\(folder)/\($0.rawValue)", $0.example)
      })
    func read(_ needed: Set<SettingName>) -> Result<ServiceSettings, SettingsProblems> {
      ServiceSettings.read(
        environment: environment, needing: needed,
        look: { files[$0].map { _ in SettingsReader.FileState(isOpenToOthers: false) } },
        readFile: { path throws(SettingsReader.FileFailure) in
          guard let text = files[path] else { throw SettingsReader.FileFailure(reason: "no file") }
          return text
        })
    }
    return try read(RunCommand.needed(by: roles, try? read([]).get())).get()
  }

  /// Names that are no settings, and settings whose value in the environment is a secret.
  static func faults(of environment: [String: String]) -> [String] {
    UnknownSetting.all(in: environment).map { "\($0)" }
      + environment.sorted { $0.key < $1.key }.compactMap { name, value in
        guard let setting = SettingName(rawValue: name), setting.holdsSecret(value) else {
          return nil
        }
        return "\(name) is a secret in the environment"
      }
  }

  /// The secrets that a role needs: its users of the database, and its user of the broker.
  static func secrets(of role: RoleName) -> Set<String> {
    Set(
      role.databaseUsers.map { SettingName(of: $0).rawValue }
        + [(role == .gateway ? SettingName.gatewayBroker : .broker).rawValue])
  }

  /// The settings that can hold a secret of PostgreSQL or RabbitMQ: `setup` has them all.
  static let addresses = Set(
    SettingName.allCases.filter {
      // Programs of the operator's own have an account only where the operator asks for it.
      if case .address = $0.exampleByKind { $0 != .playerBroker } else { false }
    }.map(\.rawValue))
}

import ArgumentParser
import CustomDump
import Foundation
import LibPQ
import Logging
import MatchGateway
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("deploy/compose.yaml")
struct ComposeTests {
  private static let path = "deploy/compose.yaml"
  private static let roles = RoleName.named.map(\.rawValue)

  private static func file() throws -> PlainYAML {
    try #require(try ContainerFiles.documents(path).first)
  }

  private static func services() throws -> [String: PlainYAML] {
    try #require(try file()["services"]).map
  }

  /// A text of the file as Compose means it, with the variables of .env.
  private static func meant(_ text: String) -> String {
    let given = ["CUBIST_IMAGE": "cubistd:1.0.0", "CUBIST_URL": SettingName.gatewayURL.example]
    return text.replacing(/\$\$|\$\{([A-Z_]+):[-?]([^}]*)\}/) { match in
      match.1.map { given[String($0)] ?? String(match.2 ?? "") } ?? "$"
    }
  }

  private static func environment(of service: PlainYAML) -> [String: String] {
    (service["environment"]?.map ?? [:]).compactMapValues { $0.text.map(meant) }
  }

  /// The secrets of a service, and where they are in its container.
  private static func secrets(of service: PlainYAML) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: (service["secrets"]?.list ?? []).map { entry in
        let name = entry.text ?? entry["source"]?.text ?? ""
        return (name, entry["target"]?.text ?? "/run/secrets/\(name)")
      })
  }

  private static func seconds(_ text: String?) -> Int? {
    text.flatMap { $0.hasSuffix("s") ? Int($0.dropLast()) : nil }
  }

  @Test("Every role that a person names has its service, with a command and settings that it takes")
  func everyRole() throws {
    let services = try Self.services()
    #expect(
      Set(services.keys) == Set(Self.roles + ["postgres", "rabbitmq", "setup", "nginx"]))
    for role in RoleName.named {
      let service = try #require(services[role.rawValue])
      let words = service["command"]?.texts ?? []
      let command = try #require(try Cubistd.parseAsRoot(words) as? RunCommand)
      #expect(command.roles == [role])
      let environment = Self.environment(of: service)
      expectNoDifference(ContainerFiles.faults(of: environment), [])
      let secrets = Self.secrets(of: service)
      expectNoDifference(Set(secrets.keys), ContainerFiles.secrets(of: role))
      #expect(secrets.allSatisfy { $1 == "/run/secrets/\($0)" })
      let settings = try ContainerFiles.settings(
        environment, secrets: Set(secrets.keys), of: [role])
      #expect(Set(settings.databaseUsers.keys) == Set(role.databaseUsers))
      // Every role but the gateway reads the key file, and none writes it.
      let volumes = service["volumes"]?.texts ?? []
      expectNoDifference(volumes, role == .gateway ? [] : ["keys:/var/lib/cubist:ro"])
      #expect(role == .gateway || settings.serviceKeys.hasPrefix("/var/lib/cubist/"))
    }
  }

  @Test("Setup runs once, before every role, with every address that may hold a password")
  func setup() throws {
    let services = try Self.services()
    let setup = try #require(services["setup"])
    #expect(try Cubistd.parseAsRoot(setup["command"]?.texts ?? []) is SetupCommand)
    let secrets = Set(Self.secrets(of: setup).keys)
    expectNoDifference(secrets, ContainerFiles.addresses)
    let environment = Self.environment(of: setup)
    expectNoDifference(ContainerFiles.faults(of: environment), [])
    _ = try ContainerFiles.settings(environment, secrets: secrets, of: [])
    #expect(setup["volumes"]?.texts == ["keys:/var/lib/cubist"] && setup["restart"]?.text == "no")
    for role in Self.roles {
      let needs = services[role]?["depends_on"]
      #expect(needs?["setup"]?["condition"]?.text == "service_completed_successfully", "\(role)")
      for server in ["postgres", "rabbitmq"] {
        #expect(needs?[server]?["condition"]?.text == "service_healthy", "\(role)")
      }
    }
    // Setup offers browsers what the push workers send.
    let push = try Self.environment(of: #require(services["push"]))
    for (name, value) in push where name.hasPrefix("CUBIST_PUSH") {
      #expect(environment[name] == value, "\(name)")
    }
  }

  @Test("Each secret is a file that the script makes for its readers, and is mounted somewhere")
  func secrets() throws {
    let file = try Self.file()
    let declared = try #require(file["secrets"]).map
    for (name, secret) in declared {
      #expect(Array(secret.map.keys) == ["file"])
      #expect(secret["file"]?.text == "${CUBIST_SECRETS:-/etc/cubist/secrets}/\(name)")
    }
    let services = try Self.services()
    let mounted = services.values.flatMap { Self.secrets(of: $0).keys }
    expectNoDifference(Set(mounted), Set(declared.keys))
    // A file in the environment is one of the secrets.
    for (name, service) in services {
      for (variable, path) in Self.environment(of: service) where variable.hasSuffix("_FILE") {
        #expect(Self.secrets(of: service).values.contains(path), "\(name): \(variable)")
      }
    }
    // Only root gives files to others.
    guard getuid() == 0 else { return }
    try withFolder { folder in
      try Self.makeSecrets(["\(folder)/secrets"])
      let made = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/secrets")
      expectNoDifference(Set(made), Set(declared.keys))
      for (name, service) in services {
        for secret in Self.secrets(of: service).keys {
          let path = "\(folder)/secrets/\(secret)"
          let owner = try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID]
          let user = service["user"]?.text?.split(separator: ":").first.flatMap { Int($0) }
          #expect((owner as? NSNumber)?.intValue == user, "\(name): \(secret)")
          #expect(try mode(path) == 0o400, "\(secret)")
        }
      }
      let first = try String(contentsOfFile: "\(folder)/secrets/CUBIST_BROKER", encoding: .utf8)
      try Self.makeSecrets(["\(folder)/secrets"])
      let second = try String(contentsOfFile: "\(folder)/secrets/CUBIST_BROKER", encoding: .utf8)
      #expect(first == second)
    }
  }

  @Test("The secrets for servers elsewhere are settings that the program takes, over TLS alone")
  func secretsElsewhere() throws {
    try withFolder { folder in
      try Self.makeSecrets([folder, "--database", "db.example", "--broker", "mq.example"])
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      // Both are an administrator's to write.
      expectNoDifference(
        ContainerFiles.addresses.subtracting(names),
        [SettingName.database.rawValue, SettingName.brokerManagement.rawValue])
      let settings = try ServiceSettings.read(
        environment: ["CREDENTIALS_DIRECTORY": folder], needing: [.broker, .gatewayBroker]
      ).get()
      for (_, user) in try settings.databaseUserSettings() {
        #expect(user.user?.hasPrefix("cubist_") == true)
      }
      let users = [
        try settings.brokerAccount(), try #require(try settings.gatewayAccount()),
      ]
      #expect(settings.playerBroker == nil)
      #expect(Set(users.map(\.user)).count == 2 && Set(users.map(\.password)).count == 2)
      #expect(users.allSatisfy { $0.virtualHost == "cubist" })
      for name in names {
        let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        #expect(text.contains("sslmode=verify-full") || text.hasPrefix("amqps://"), "\(name)")
      }
    }
  }

  private static func makeSecrets(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = ContainerFiles.root.appending(path: "deploy/container-secrets")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("Containers run without root and rights, with limits, on a system that they can only read")
  func sealed() throws {
    let user = try ContainerFiles.imageUser()
    for (name, service) in try Self.services() {
      let isOurs = Self.roles.contains(name) || name == "setup"
      let owner = service["user"]?.text ?? ""
      #expect(owner.wholeMatch(of: /[1-9]\d*:[1-9]\d*/) != nil, "\(name)")
      if isOurs { #expect(owner == "\(user):\(user)", "\(name)") }
      #expect(service["read_only"]?.text == "true", "\(name)")
      #expect(service["cap_drop"]?.texts == ["ALL"], "\(name)")
      #expect(service["security_opt"]?.texts == ["no-new-privileges:true"], "\(name)")
      for key in [
        "privileged", "cap_add", "devices", "network_mode", "pid", "ipc", "userns_mode",
      ] {
        #expect(service[key] == nil, "\(name): \(key)")
      }
      for key in ["mem_limit", "pids_limit", "stop_grace_period", "healthcheck", "restart"] {
        #expect(service[key] != nil, "\(name) has no \(key)")
      }
      #expect(service["logging"]?["options"]?["max-size"] != nil, "\(name)")
      let mounts = service["volumes"]?.texts ?? []
      #expect(mounts.allSatisfy { !$0.hasPrefix(".") || $0.hasSuffix(":ro") }, "\(name)")
      #expect((service["ports"] == nil) == (name != "nginx"), "\(name)")
      // Words that name a password name its file.
      for (variable, _) in service["environment"]?.map ?? [:] where variable.contains("PASS") {
        #expect(variable.hasSuffix("_FILE"), "\(name): \(variable)")
      }
      for mount in mounts where mount.hasPrefix("./") {
        let path = mount.dropFirst(2).prefix { $0 != ":" }
        _ = try ContainerFiles.text("deploy/\(path)")
      }
    }
  }

  @Test("Roles have more time to leave than they take, and the port of their unit for health")
  func timesAndPorts() throws {
    let services = try Self.services()
    for role in RoleName.named {
      let service = try #require(services[role.rawValue])
      let grace = try #require(Self.seconds(service["stop_grace_period"]?.text))
      #expect(.seconds(grace) > ServiceProcess.leaveTime)
      let listen = Self.environment(of: service)[SettingName.healthListen.rawValue]
      #expect(
        listen.flatMap { ListenAddress($0) }?.port == (try ContainerFiles.healthPort(of: role)))
    }
  }

  @Test("The health check of a role says that it is well, and ill once it ends")
  func healthCheck() async throws {
    let services = try Self.services()
    let checks = Self.roles.map { services[$0]?["healthcheck"]?["test"]?.texts ?? [] }
    #expect(Set(checks).count == 1)
    let words = try #require(checks.first)
    #expect(words.first == "CMD")
    let stop = StopSignal()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let process = ServiceProcess(runners: [], stop: stop, clock: .live, log: log)
    let health = try HealthServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), of: process, clock: .live, log: log)
    let port = health.port
    let ask: @Sendable () throws -> Int32 = {
      let check = Process()
      check.executableURL = URL(filePath: "/usr/bin/env")
      check.arguments = words.dropFirst().map(Self.meant)
      check.environment = [
        "PATH": "/usr/bin:/bin", SettingName.healthListen.rawValue: "0.0.0.0:\(port)",
      ]
      check.standardError = FileHandle.nullDevice
      try check.run()
      check.waitUntilExit()
      return check.terminationStatus
    }
    #expect(try await onThread(ask) == 0)
    stop.ask()
    #expect(try await onThread(ask) != 0)
    health.stop()
    #expect(try await onThread(ask) != 0)
  }

  @Test("Only roles reach the servers, and only nginx a gateway, which believes it alone")
  func networks() throws {
    let file = try Self.file()
    let services = try Self.services()
    func networks(_ name: String) -> Set<String> {
      let networks = services[name]?["networks"]
      return Set((networks?.texts ?? []) + (networks.map { Array($0.map.keys) } ?? []))
    }
    let declared = try #require(file["networks"]).map
    expectNoDifference(
      Set(declared.filter { $1["internal"]?.text == "true" }.keys), ["database", "broker", "front"])
    #expect(networks("postgres") == ["database"] && networks("rabbitmq") == ["broker"])
    for role in RoleName.named {
      let expected: Set<String> =
        switch role {
        case .gateway: ["broker", "front"]
        case .push: ["database", "broker", "outside"]
        default: ["database", "broker"]
        }
      expectNoDifference(networks(role.rawValue), expected)
    }
    #expect(networks("nginx") == ["front", "outside"])

    let gateway = try #require(services["gateway"])
    let nginx = services["nginx"]?["networks"]?["front"]?["ipv4_address"]?.text
    let environment = Self.environment(of: gateway)
    #expect(environment[SettingName.gatewayProxies.rawValue] == nginx && nginx != nil)
    let listen = try #require(
      environment[SettingName.gatewayListen.rawValue].flatMap { ListenAddress($0) })
    let address = try #require(gateway["networks"]?["front"]?["ipv4_address"]?.text)
    let configuration = try ContainerFiles.text("deploy/compose.d/nginx-cubist.conf")
    #expect(configuration.contains("\n  server \(address):\(listen.port) max_fails=0; "))
    for path in Self.secrets(of: try #require(services["nginx"])).values {
      #expect(configuration.contains(" \(path);"), "\(path)")
    }
  }

  @Test("The image has no `cubist`, so the page says how a robot runs beside the containers")
  func robots() throws {
    let root = try #require(
      try ContainerFiles.text("deploy/package").firstMatch(of: /debian-root "\$work.*/))
    #expect(root.0.contains("/cubistd_") && !root.0.contains("/cubist_"))
    let page = try ContainerFiles.text("docs/containers.md")
    let sections = page.split(separator: "\n## ")
    let robots = try #require(sections.first { $0.hasPrefix("Robots\n") })
    #expect(robots.contains("the image has no `cubist`"))
    // The commands are those for a service on the same machine, but for its address.
    let operating = try ContainerFiles.text("docs/operating.md")
    let lines = robots.split(separator: "\n").filter { $0.hasPrefix("    ") }
    #expect(lines.count == 4)
    for line in lines {
      let local = line.replacing("https://play.example.org", with: "http://127.0.0.1:8080")
      #expect(operating.contains(local), "\(line)")
    }
    let code = try #require(robots.firstMatch(of: /setup (registration new-code)`/)).1
    _ = try Cubistd.parseAsRoot(code.split(separator: " ").map(String.init))
  }

  @Test("Without TLS the gateway is at this machine alone, and nginx does not start")
  func local() throws {
    let file = try #require(try ContainerFiles.documents("deploy/compose.local.yaml").first)
    let services = try #require(file["services"]).map
    #expect(Set(services.keys) == ["nginx", "gateway"])
    #expect(services["nginx"]?["profiles"]?.texts.isEmpty == false)
    #expect(services["gateway"]?["ports"]?.texts == ["127.0.0.1:8080:8080"])
  }

  @Test(
    "nginx in a container has the shipped configuration but for its marked lines",
    arguments: ["deploy/compose.d/nginx-cubist.conf", "deploy/kubernetes/base/nginx/cubist.conf"])
  func nginx(path: String) throws {
    func lines(_ path: String) throws -> [Substring] {
      try ContainerFiles.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    }
    let (shipped, own) = (try lines("deploy/nginx/cubist.conf"), try lines(path))
    try #require(shipped.count == own.count)
    for (former, line) in zip(shipped, own) where former != line {
      #expect(former.contains("# <-") && line.contains("# <-"), "\(line)")
    }
  }
}

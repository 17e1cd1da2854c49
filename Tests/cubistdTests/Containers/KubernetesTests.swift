import ArgumentParser
import CustomDump
import Foundation
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("deploy/kubernetes")
struct KubernetesTests {
  private static func base() throws -> [PlainYAML] {
    try ContainerFiles.documents("deploy/kubernetes/base/")
  }

  private static func name(_ document: PlainYAML) -> String? { document["metadata"]?["name"]?.text }

  private static func find(
    _ kind: String, _ name: String, in documents: [PlainYAML]
  ) throws -> PlainYAML {
    let found = documents.filter { $0["kind"]?.text == kind && Self.name($0) == name }
    #expect(found.count == 1, "\(kind) \(name)")
    return try #require(found.first)
  }

  private static func sharedSettings() throws -> [String: String] {
    let map = try find("ConfigMap", "cubist-settings", in: base())
    return (map["data"]?.map ?? [:]).compactMapValues(\.text)
  }

  /// The pods of documents, with their containers of both kinds.
  private static func pods(
    _ documents: [PlainYAML]
  ) -> [(name: String, labels: [String: PlainYAML], spec: PlainYAML, containers: [PlainYAML])] {
    documents.compactMap { document in
      let template = document["spec"]?["template"] ?? document
      guard let spec = template["spec"], spec["containers"] != nil else { return nil }
      return (
        Self.name(document) ?? "", template["metadata"]?["labels"]?.map ?? [:], spec,
        (spec["initContainers"]?.list ?? []) + (spec["containers"]?.list ?? [])
      )
    }
  }

  private static func environment(of container: PlainYAML) throws -> [String: String] {
    let own = (container["env"]?.list ?? []).map {
      ($0["name"]?.text ?? "", $0["value"]?.text ?? "")
    }
    let isShared = container["envFrom"]?.list.contains {
      $0["configMapRef"]?["name"]?.text == "cubist-settings"
    }
    return (isShared == true ? try sharedSettings() : [:])
      .merging(Dictionary(uniqueKeysWithValues: own)) { _, own in own }
  }

  /// The settings that come as files, those of the one Secret that has them all.
  private static func secrets(of spec: PlainYAML) -> Set<String> {
    let volume = spec["volumes"]?.list.first { $0["name"]?.text == "secrets" }
    let sources = volume?["projected"]?["sources"]?.list ?? []
    #expect(sources.map { $0["secret"]?["name"]?.text } == ["cubist-secrets"])
    let items = sources.flatMap { $0["secret"]?["items"]?.list ?? [] }
    #expect(items.allSatisfy { $0["key"]?.text == $0["path"]?.text })
    return Set(items.compactMap { $0["key"]?.text })
  }

  @Test("Every role that a person names has its Deployment, with a command and settings it takes")
  func everyRole() throws {
    let documents = try Self.base()
    let kinds = try #require(
      try ContainerFiles.documents("deploy/kubernetes/base/kustomization.yaml").first)
    let listed = kinds["resources"]?.texts ?? []
    let deployments = documents.filter { $0["kind"]?.text == "Deployment" }.compactMap(Self.name)
    #expect(
      Set(deployments) == Set(RoleName.named.map { "cubist-\($0.rawValue)" } + ["cubist-nginx"]))
    for role in RoleName.named {
      #expect(listed.contains("\(role.rawValue).yaml"))
      let deployment = try Self.find("Deployment", "cubist-\(role.rawValue)", in: documents)
      let pod = try #require(Self.pods([deployment]).first)
      let container = try #require(pod.spec["containers"]?.list.first)
      let command = try #require(
        try Cubistd.parseAsRoot(container["args"]?.texts ?? []) as? RunCommand)
      #expect(command.roles == [role] && container["command"] == nil)
      let environment = try Self.environment(of: container)
      expectNoDifference(ContainerFiles.faults(of: environment), [])
      let secrets = Self.secrets(of: pod.spec)
      expectNoDifference(secrets, ContainerFiles.secrets(of: role))
      let settings = try ContainerFiles.settings(environment, secrets: secrets, of: [role])
      let mounts = (container["volumeMounts"]?.list ?? []).map { $0["mountPath"]?.text ?? "" }
      #expect(mounts.contains(environment["CREDENTIALS_DIRECTORY"] ?? ""))
      #expect(mounts.contains("/var/lib/cubist") == (role != .gateway))
      #expect(role == .gateway || settings.serviceKeys == "/var/lib/cubist/service-keys.json")
      #expect(
        pod.labels.keys.contains("cubist/database") == !role.databaseUsers.isEmpty,
        "\(role.rawValue)")
      #expect(pod.labels.keys.contains("cubist/broker") && pod.labels.keys.contains("cubist/role"))
    }
  }

  @Test("Probes ask a role at the port of its unit; a server that is away restarts nothing")
  func probes() throws {
    for role in RoleName.named {
      let deployment = try Self.find("Deployment", "cubist-\(role.rawValue)", in: Self.base())
      let pod = try #require(Self.pods([deployment]).first)
      let container = try #require(pod.spec["containers"]?.list.first)
      let port = try ContainerFiles.healthPort(of: role)
      let listen = try Self.environment(of: container)[SettingName.healthListen.rawValue]
      #expect(listen.flatMap { ListenAddress($0) } == ListenAddress(host: "0.0.0.0", port: port))
      #expect(
        container["ports"]?.list.contains {
          $0["name"]?.text == "health" && $0["containerPort"]?.text == "\(port)"
        } == true)
      for (probe, path) in [
        ("startupProbe", "/health/live"), ("livenessProbe", "/health/live"),
        ("readinessProbe", "/health/ready"),
      ] {
        let asked = container[probe]?["httpGet"]
        #expect(asked?["path"]?.text == path && asked?["port"]?.text == "health", "\(probe)")
      }
      let grace = pod.spec["terminationGracePeriodSeconds"]?.text.flatMap { Int($0) }
      #expect(.seconds(try #require(grace)) > ServiceProcess.leaveTime)
    }
  }

  @Test("Each pod keeps to the restricted profile, and no other variable looks like a setting")
  func restricted() throws {
    let user = try ContainerFiles.imageUser()
    let pods = Self.pods(try Self.base() + ContainerFiles.documents("deploy/kubernetes/setup/"))
    #expect(pods.count == RoleName.named.count + 3)
    for pod in pods {
      let context = pod.spec["securityContext"]
      #expect(context?["runAsNonRoot"]?.text == "true", "\(pod.name)")
      #expect(context?["seccompProfile"]?["type"]?.text == "RuntimeDefault", "\(pod.name)")
      for key in ["runAsUser", "runAsGroup", "fsGroup"] {
        #expect(context?[key]?.text == (pod.name == "cubist-nginx" ? "101" : user), "\(pod.name)")
      }
      #expect(pod.spec["automountServiceAccountToken"]?.text == "false", "\(pod.name)")
      #expect(pod.spec["enableServiceLinks"]?.text == "false", "\(pod.name)")
      for key in ["hostNetwork", "hostPID", "hostIPC"] { #expect(pod.spec[key] == nil) }
      for container in pod.containers {
        let context = container["securityContext"]
        #expect(context?["allowPrivilegeEscalation"]?.text == "false", "\(pod.name)")
        #expect(context?["readOnlyRootFilesystem"]?.text == "true", "\(pod.name)")
        #expect(context?["capabilities"]?["drop"]?.texts == ["ALL"], "\(pod.name)")
        #expect(context?["capabilities"]?["add"] == nil, "\(pod.name)")
        #expect(container["resources"]?["limits"]?["memory"] != nil, "\(pod.name)")
        if pod.name != "cubist-nginx" { #expect(container["image"]?.text == "cubistd") }
        let volumes = Set((pod.spec["volumes"]?.list ?? []).compactMap { $0["name"]?.text })
        let mounts = (container["volumeMounts"]?.list ?? []).compactMap { $0["name"]?.text }
        #expect(volumes.isSuperset(of: mounts), "\(pod.name)")
      }
    }
  }

  @Test("No file holds a secret; setup has every address that may hold a password")
  func secrets() throws {
    let setup = try ContainerFiles.documents("deploy/kubernetes/setup/")
    let documents = try Self.base() + setup + ContainerFiles.documents("deploy/kubernetes/keda/")
    #expect(!documents.contains { $0["kind"]?.text == "Secret" })
    let pods = Self.pods(setup)
    #expect(pods.count == 2)
    for pod in pods {
      expectNoDifference(Self.secrets(of: pod.spec), ContainerFiles.addresses)
      let runs = pod.containers.filter { $0["name"]?.text == "setup" }
      let container = try #require(runs.first)
      #expect(try Cubistd.parseAsRoot(container["args"]?.texts ?? []) is SetupCommand)
      let environment = try Self.environment(of: container)
      expectNoDifference(ContainerFiles.faults(of: environment), [])
      _ = try ContainerFiles.settings(environment, secrets: ContainerFiles.addresses, of: [])
      #expect(pod.labels.keys.contains("cubist/management"))
    }
    let page = try ContainerFiles.text("docs/containers.md")
    for name in [
      "cubist-secrets", "cubist-keys", "cubist-authorities", "cubist-tls", "cubist-monitor",
    ] {
      #expect(page.contains("`\(name)`"), "\(name)")
    }
  }

  @Test("Every Deployment has a budget, and who is scaled is said once")
  func scaling() throws {
    let documents = try Self.base()
    for name in RoleName.named.map({ "cubist-\($0.rawValue)" }) + ["cubist-nginx"] {
      let budget = try Self.find("PodDisruptionBudget", name, in: documents)
      #expect(budget["spec"]?["maxUnavailable"]?.text == "1")
      #expect(budget["spec"]?["unhealthyPodEvictionPolicy"]?.text == "AlwaysAllow")
      let labels = budget["spec"]?["selector"]?["matchLabels"]
      let deployment = try Self.find("Deployment", name, in: documents)
      #expect(labels == deployment["spec"]?["selector"]?["matchLabels"], "\(name)")
      #expect(labels?["app.kubernetes.io/name"]?.text == name)
      // Whoever scales it knows the number.
      let isScaled = documents.contains {
        $0["kind"]?.text == "HorizontalPodAutoscaler" && Self.name($0) == name
      }
      #expect(isScaled == (deployment["spec"]?["replicas"] == nil), "\(name)")
      if !isScaled { #expect(deployment["spec"]?["replicas"]?.text == "2") }
    }
  }

  @Test("Workers and push workers are scaled by the queues that they consume")
  func queues() throws {
    let documents = try ContainerFiles.documents("deploy/kubernetes/keda/")
    let names = Names()
    func queue(_ name: String) throws -> (pattern: String, most: Int?) {
      let spec = try #require(try Self.find("ScaledObject", name, in: documents)["spec"])
      #expect(spec["scaleTargetRef"]?["name"]?.text == name)
      let trigger = try #require(spec["triggers"]?.list.first?["metadata"])
      return (
        trigger["queueName"]?.text ?? "", spec["maxReplicaCount"]?.text.flatMap { Int($0) }
      )
    }
    let events = try queue("cubist-worker")
    let pattern = try Regex(events.pattern)
    for number in [0, 9, 10, 1_023] {
      #expect(names.events(queue: number).contains(pattern))
    }
    for other in [names.events, names.queries, names.push, names.formerEvents(queue: 1)] {
      #expect(!other.contains(pattern), "\(other)")
    }
    #expect(events.most == QueueLayout.standard.queueCount)
    #expect(try queue("cubist-push").pattern == names.push)
  }

  @Test("The page replaces roles in the order that operating.md says")
  func order() throws {
    let table = try ContainerFiles.text("docs/operating.md").matches(
      of: /\n\| \d+ \| `(\w+)`/
    ).map { String($0.1) }
    let roles = table.filter { RoleName(named: $0) != nil }
    #expect(Set(roles) == Set(RoleName.named.map(\.rawValue)))
    let page = try ContainerFiles.text("docs/containers.md")
    let loops = page.matches(of: /for role in ([a-z ]+); do/).map {
      $0.1.split(separator: " ").map(String.init)
    }
    #expect(loops.count == 2)
    for loop in loops { expectNoDifference(loop, roles) }
  }
}

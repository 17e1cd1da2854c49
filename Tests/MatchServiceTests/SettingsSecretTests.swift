import Testing

@testable import MatchService

@Suite("Secrets of settings")
struct SettingsSecretTests {
  /// Settings of files in memory; those in `open` are open to every user.
  private func read(
    _ environment: [String: String], files: [String: String], open: Set<String> = []
  ) -> Result<ServiceSettings, SettingsProblems> {
    ServiceSettings.read(
      environment: environment,
      look: { path in
        files[path].map { _ in SettingsReader.FileState(isOpenToOthers: open.contains(path)) }
      },
      readFile: { path throws(SettingsReader.FileFailure) in
        guard let text = files[path] else { throw SettingsReader.FileFailure(reason: "gone") }
        return text
      })
  }

  @Test("A credential is taken where neither a variable nor a file has the setting")
  func credentials() throws {
    let files = [
      "/run/c/CUBIST_DATABASE": "postgresql://cubist:geheim@db/cubist\n",
      "/run/c/CUBIST_BROKER": "amqp://credential@broker/",
      "/run/c/CUBIST_WORKERS": "7",
      "/run/c/CUBIST_NOTHING": "x",
      "/conf": "CUBIST_BROKER=amqp://file@broker/",
    ]
    let settings = try read(
      [
        "CREDENTIALS_DIRECTORY": "/run/c", "CUBIST_CONFIG": "/conf", "CUBIST_WORKERS": "2",
        "CUBIST_SERVICE_KEYS": "/keys",
      ], files: files
    ).get()
    #expect(settings.database == "postgresql://cubist:geheim@db/cubist")
    #expect(settings.broker == "amqp://file@broker/")
    #expect(settings.workers == 2)
  }

  @Test("A file with a secret that every user may read is refused, without the secret")
  func openFile() throws {
    let complete = """
      CUBIST_DATABASE=postgresql://cubist:geheim@db/cubist
      CUBIST_BROKER=amqp://broker/
      CUBIST_SERVICE_KEYS=/keys
      """
    guard
      case .failure(let problems) = read(
        ["CUBIST_CONFIG": "/conf"], files: ["/conf": complete], open: ["/conf"])
    else { return #expect(Bool(false), "it was taken") }
    #expect(
      problems.problems.map(\.description) == [
        "CUBIST_CONFIG names a file that every user may read or write, and it holds a secret "
          + "(CUBIST_DATABASE); for example: chmod 640 /conf"
      ])
    let harmless = complete.replacing(":geheim", with: "")
    let closed = read(["CUBIST_CONFIG": "/conf"], files: ["/conf": complete])
    let open = read(["CUBIST_CONFIG": "/conf"], files: ["/conf": harmless], open: ["/conf"])
    #expect(try closed.get().database.contains("geheim"))
    #expect(try !open.get().database.contains("geheim"))
  }

  @Test(
    "A secret is found in a URL and in a connection string",
    arguments: [
      (SettingName.database, "postgresql://a:b@c/d", true),
      (.database, "postgresql://a@c:5432/d", false),
      (.database, "host=c user=a password=b", true),
      (.database, "postgresql:///d?host=/run/postgresql&password=b", true),
      (.database, "host=c user=a", false), (.broker, "amqp://a:b/@c/v", true),
      (.gatewayBroker, "amqp://a@c:5672/v", false), (.pushWebhookSecret, "whsec_A", true),
      (.pushWebhookSecret, "", false), (.gatewayListen, "a:b@c", false),
    ])
  func secrets(name: SettingName, value: String, isSecret: Bool) {
    #expect(name.holdsSecret(value) == isSecret)
  }
}

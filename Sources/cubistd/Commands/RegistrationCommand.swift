import ArgumentParser
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchService

struct RegistrationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "registration",
    abstract: "Open registration to everybody, or only to players with a code.",
    discussion: """
      Examples:
        cubistd registration code              from now on only with a code
        cubistd registration new-code --count 3
        cubistd registration codes             list the codes and their users
        cubistd registration open              everybody again
      """,
    subcommands: [Open.self, Code.self, NewCode.self, Codes.self])

  struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let everybody register.")

    func run() throws { try RegistrationCommand.set(needsCode: false) }
  }

  struct Code: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let only players with a code register.")

    func run() throws { try RegistrationCommand.set(needsCode: true) }
  }

  struct NewCode: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make codes that admit one player each, and print them.")

    @Option(help: "How many, 1 to 1000.")
    var count = 1

    func validate() throws {
      guard 1...1_000 ~= count else { throw ValidationError("--count is \(count), not 1 to 1000.") }
    }

    func run() throws {
      try OperatorConnection.withStore(as: "registration") { store throws(OperatorFailure) in
        let codes = try onStore(try RegistrationCodes.make(count, in: store, randomness: .live))
        Output.out(codes.map(\.text).joined(separator: "\n"))
      }
    }
  }

  struct Codes: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the codes, the newest first.")

    @OptionGroup var list: ListOptions

    func run() throws {
      try OperatorConnection.withStore(as: "registration") { store throws(OperatorFailure) in
        let rows = try onStore(try store.registrationCodes(list.limit))
        Output.out(try list.json ? RegistrationCodes.json(rows) : RegistrationCodes.text(rows))
      }
    }
  }

  private static func set(needsCode: Bool) throws {
    try OperatorConnection.withStore(as: "registration") { store throws(OperatorFailure) in
      try onStore(try store.setRegistration(needsCode))
      Output.out(needsCode ? "Registration needs a code now." : "Everybody may register now.")
    }
  }
}

/// Codes that admit one player each.
enum RegistrationCodes {
  /// Makes so many new codes; replaces one that exists already.
  static func make(
    _ count: Int, in store: OperatorStore, randomness: Randomness
  ) throws(StoreError) -> [ShareCode] {
    var codes: [ShareCode] = []
    while codes.count < count {
      guard let code = code(of: randomness.next()) else { continue }
      do throws(StoreError) {
        try store.createCode(code)
        codes.append(code)
      } catch {
        guard error.isConflict else { throw error }
      }
    }
    return codes
  }

  /// Eight characters of Crockford's base 32 (no I, L, O, U): 40 bits that nobody guesses.
  static func code(of random: UInt64) -> ShareCode? {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    return ShareCode(String((0..<8).map { alphabet[Int(random >> ($0 * 5) & 31)] }))
  }

  static func text(_ rows: [RegistrationCodeRow]) -> String {
    guard !rows.isEmpty else { return "There are none; `cubistd registration new-code` makes one." }
    return TextTable(
      header: ["code", "made", "used", "by"],
      rows: rows.map { row in
        [
          row.code.text, "\(row.createdAt)", row.usedAt.map { "\($0)" } ?? "-",
          row.usedBy.map { "\($0)" } ?? "-",
        ]
      }
    ).lines.joined(separator: "\n")
  }

  static func json(_ rows: [RegistrationCodeRow]) throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Row: Encodable {
        var code, madeAt: String
        var usedAt, usedBy: String?
      }
      var schema = "cubistd.registration-codes/1"
      var codes: [Row]
    }
    return try JSONText.encode(
      Document(
        codes: rows.map {
          Document.Row(
            code: $0.code.text, madeAt: "\($0.createdAt)", usedAt: $0.usedAt.map { "\($0)" },
            usedBy: $0.usedBy.map { "\($0)" })
        }))
  }
}

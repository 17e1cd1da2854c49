import CubePlay
import MatchCore

/// The form in which a player takes a name.
struct RegistrationForm: Hashable {
  var name = Field()
  var code = Field()
  /// Whether it was sent and has no answer.
  var isSending = false
  /// Whether the answer takes long.
  var isDelayed = false

  struct Field: Hashable {
    private(set) var text = ""
    /// Its fault, in words; nil where there is none, or nothing is typed yet.
    var fault: String?

    mutating func fill(_ text: String, _ check: FieldChecks.Check) {
      // Nobody means to type more.
      self.text = String(text.prefix(64))
      fault = text.isEmpty ? nil : check(self.text)
    }
  }
}

extension ServiceWorld {
  /// Sends the form, unless a field is wrong.
  mutating func register() {
    guard isFree, account.recovering == nil else { return }
    guard let name = PlayerName(form.name.text) else {
      form.name.fault = form.name.fault ?? "Type a name first."
      return
    }
    var code: ShareCode?
    if account.needsCode {
      code = ShareCode(typed: form.code.text)
      guard code != nil else {
        form.code.fault = form.code.fault ?? "Type the code that you were given."
        return
      }
    }
    (form.name.fault, form.code.fault, form.isSending, trouble) = (nil, nil, true, nil)
    tell(.playerRegistered(name: name, code: code), for: nil)
  }
}

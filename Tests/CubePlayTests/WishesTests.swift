import Testing

@testable import CubePlay

@Suite("Wishes on the times of notifications")
struct WishesTests {
  private static let checks: FieldChecks = {
    var checks = FieldChecks.test
    checks.time = { $0.count == 5 ? nil : "such as 07:30" }
    checks.timeZone = { $0.contains("!") ? "such as Europe/Berlin" : nil }
    return checks
  }()

  /// A form on which these actions were done.
  private static func form(
    _ values: SettingsValues = .ada, _ actions: [SettingsAction] = []
  ) -> SettingsForm {
    var form = SettingsForm(values)
    for action in actions { _ = form.reduce(action, checks) }
    return form
  }

  private static func typed(_ text: String) -> [SettingsAction] { text.map { .typed($0) } }

  /// The way to the first wish: after the name and two kinds.
  private static let toWishes = SettingsAction.moved(3)

  @Test("Quiet hours need both times, and two different ones; the fault stands at the second")
  func quietHours() {
    var form = Self.form(.ada, [Self.toWishes] + Self.typed("22:0"))
    #expect(form.focus == .wish(.quietFrom) && form.isTyping)
    #expect(form[.quietFrom].fault == "such as 07:30" && form[.quietUntil].fault == nil)
    _ = form.reduce(.typed("0"), Self.checks)
    #expect(form[.quietFrom].fault == nil && form[.quietUntil].fault == "both times, or neither")
    #expect(form.reduce(.saveAsked, Self.checks) == [])
    #expect(form.focus == .wish(.quietUntil))
    #expect(form.notice == "The time of the quiet hours is not right yet. Nothing was saved.")
    for action in Self.typed("22:00") { _ = form.reduce(action, Self.checks) }
    #expect(form[.quietUntil].fault == "another time than their beginning")
    for action in [SettingsAction.erased, .typed("1")] { _ = form.reduce(action, Self.checks) }
    #expect(form[.quietUntil].fault == nil)
    #expect(
      form.reduce(.saveAsked, Self.checks) == [
        .save([.quietHours(from: "22:00", until: "22:01", late: "silent")])
      ])
  }

  @Test("A choice goes through its options; a wish for late ones without quiet hours is none")
  func choices() {
    var form = Self.form(.ada, [Self.toWishes, .moved(2)])
    #expect(form.focus == .choice(.late) && !form.isTyping)
    _ = form.reduce(.chosen, Self.checks)
    #expect(form[.late] == "dropped" && !form.isChanged)
    _ = form.reduce(.typed(" "), Self.checks)
    #expect(form[.late] == "silent")
    for (choice, steps) in [(WishChoice.review, 3), (.bundle, 1), (.nudges, 1), (.language, 1)] {
      _ = form.reduce(.moved(steps), Self.checks)
      #expect(form.focus == .choice(choice))
      var seen: [String] = []
      for _ in choice.options {
        _ = form.reduce(.chosen, Self.checks)
        seen.append(form[choice])
      }
      #expect(seen == Array(choice.options.dropFirst()) + [choice.options[0]])
      _ = form.reduce(.chosen, Self.checks)
    }
    #expect(
      form.reduce(.saveAsked, Self.checks) == [
        .save([
          .choice(.language, "de"), .choice(.review, "monday"), .choice(.bundle, "off"),
          .choice(.nudges, "off"),
        ])
      ])
  }

  @Test("Wishes that arrive meanwhile take the changes of the form, and keep the rest")
  func rebasing() {
    let noon = [Self.toWishes, .moved(4)] + Self.typed("12:00")
    var form = Self.form(.ada, noon)
    var now = SettingsValues.ada
    (now.wishes[.timeZone], now.wishes[.review]) = ("Asia/Tokyo", "sunday")
    now.wishes[.digest] = "08:00"
    _ = form.reduce(.arrived(now), Self.checks)
    #expect(form[.digest].text == "12:00" && form[.timeZone].text == "Asia/Tokyo")
    #expect(form[.review] == "sunday")
    #expect(form.reduce(.saveAsked, Self.checks) == [.save([.wish(.digest, "12:00")])])
  }

  @Test("Edits turn any wishes into any others; an option that is none is not taken")
  func edits() {
    var all = [PushWishes()]
    for text in WishText.allCases {
      var wishes = all[0]
      wishes[text] = "x"
      all.append(wishes)
    }
    for choice in WishChoice.allCases {
      for option in choice.options {
        var wishes = all[0]
        (wishes[.quietFrom], wishes[choice]) = ("22:00", option)
        all.append(wishes)
      }
    }
    for first in all {
      for second in all {
        var (from, to) = (SettingsValues.ada, SettingsValues.ada)
        (from.wishes, to.wishes) = (first, second)
        for edit in from.edits(to: to) { from.apply(edit) }
        #expect(from == to)
        #expect(from.edits(to: to).isEmpty)
      }
    }
    var wishes = PushWishes()
    wishes[.language] = "xx"
    #expect(wishes == PushWishes())
  }
}

import IssueReporting
import Testing

@Suite("The runner")
struct CanaryTests {
  @Test("Reported issues reach the test runner")
  func canary() {
    withKnownIssue {
      reportIssue("canary")
    }
  }
}

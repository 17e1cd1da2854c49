import IssueReporting
import IssueReportingTestSupport
import Testing

@Suite("Canary")
struct CanaryTests {
  @Test("Reported issues reach the test runner")
  func canary() {
    withKnownIssue { reportIssue("canary") }
  }
}

import IssueReporting
import IssueReportingTestSupport
import Testing

@Test("Reported issues reach the test runner")
func canary() {
  withKnownIssue {
    reportIssue("canary")
  }
}

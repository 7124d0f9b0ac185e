// Counts the results of a test run. A run that crashed counts as failed even if no single test failed.

/** Takes vitest's JSON report (null if there is none) and its exit status. */
export function countReport(report, status) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of report?.testResults ?? []) {
    const failures = file.assertionResults.filter((test) => test.status === 'failed').length
    counts.passed += file.assertionResults.filter((test) => test.status === 'passed').length
    counts.skipped += file.assertionResults.filter((test) => !['passed', 'failed'].includes(test.status)).length
    // A file that could not be loaded has failed but contains no tests.
    counts.failed += file.status === 'failed' ? Math.max(failures, 1) : failures
  }
  if (status !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

export const addUp = (all) => ({
  passed: all.reduce((sum, { passed }) => sum + passed, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
  skipped: all.reduce((sum, { skipped }) => sum + skipped, 0),
})

export const summary = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

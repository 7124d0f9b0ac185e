// The tags on the first line of a test file decide where it runs (test/support/tags.ts, docs/testing.md).

import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fromOneFile, packageInOneFile, sourceInOneFile } from './test/support/one-file.ts'
import { isInPart, type Part, projectOf, testFiles } from './test/support/tags.ts'

/** All servers of a cluster share the cores of one machine with the tests. */
const isOnCitus = process.env.CARTWRIGHT_TEST_CITUS !== undefined

const files = testFiles(import.meta.dirname).filter((file) => isInPart(file, process.env.CARTWRIGHT_TEST_PART as Part))
const filesOf = (project: string) => files.filter((file) => projectOf(file) === project).map(({ path }) => path)

const common = {
  // Tests create many short-lived objects. A larger young generation needs less time for garbage collection.
  execArgv: ['--max-semi-space-size=64'],
  alias: { typebox: packageInOneFile('typebox') },
  setupFiles: ['test/support/each-file.ts'],
  // Upper limits: a much slower machine, or one that pauses for seconds, fails no test.
  testTimeout: isOnCitus ? 240_000 : 180_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
}
const withDatabase = { ...common, globalSetup: ['test/support/global-setup.ts'] }

const { limitsForVite } = await import(new URL('scripts/field-limits.js', import.meta.url).href)

/** Not in watch mode, which would not rebuild the bundle when a file of src changes. */
const plugins = process.argv.includes('run') ? [limitsForVite, fromOneFile(await sourceInOneFile())] : [limitsForVite]

/** Isolated files run first: they are long and mostly wait. The many short files then fill the remaining time. */
class AloneFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ project }: TestSpecification) => (project.config.isolate ? 0 : 1)
    return (await super.sort(specifications)).sort((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  test: {
    // Two more than the two cores: a file often waits for its server, its browser or its clock.
    maxWorkers: isOnCitus ? 2 : 4,
    sequence: { sequencer: AloneFirst },
    projects: [
      { plugins, test: { ...common, name: 'unit', include: filesOf('unit'), isolate: false } },
      // Loading the service costs more than most files take. Reloading it for each file took a third of the whole run.
      { plugins, test: { ...withDatabase, name: 'shared', include: filesOf('shared'), isolate: false } },
      { plugins, test: { ...withDatabase, name: 'alone', include: filesOf('alone') } },
      { test: { ...withDatabase, name: 'source', include: filesOf('source') } },
      { plugins, test: { ...withDatabase, name: 'tenancy', include: ['test/tenancy/*.check.ts'] } },
    ],
  },
})

// Four projects: the tests that share their processes, which are those of the API and others that leave nothing behind; all others, each
// file in a process of its own; of these, those that load src file by file; and the check of the statements that all have sent, which
// scripts/test.js runs after them.

import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fromOneFile, packageInOneFile, sourceInOneFile } from './test/support/one-file.ts'

/** The servers of a cluster share the cores of one machine with the tests. */
const isOnCitus = process.env.CARTWRIGHT_TEST_CITUS !== undefined

const common = {
  alias: { typebox: packageInOneFile('typebox') },
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/cheap-passwords.ts'],
  // Upper limits alone: a machine that is much slower, or pauses for seconds, fails no test.
  testTimeout: isOnCitus ? 240_000 : 180_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Not while files are watched: what is made of src is not made again when a file of it changes. */
const plugins = process.argv.includes('run') ? [fromOneFile(await sourceInOneFile())] : []

const testFile = (name: string) => `test/${name}.test.ts`

/** Folders whose tests share processes. */
const SHARING = [
  ...['api', 'versions', 'access', 'events', 'gateways', 'http', 'lib', 'pricing', 'tenancy'],
  ...['compat', 'keys', 'limits', 'geo', 'bench'],
].join('|')

/** Of those, what is not to be beside others in one process: it counts what the process sends, stops it, or tries out connections and time. */
const ALONE = [
  'test/api/carts/round-trips.test.ts',
  'test/api/products/plans.test.ts',
  'test/api/checkouts/capture-engine-*.test.ts',
  ...['client-meter', 'connection-limits', 'errors-on-the-wire', 'given-up', 'graceful-stop', 'health'],
  ...['idempotency-failures', 'logging', 'metering', 'open-routes', 'slow-requests'],
].map((name) => (name.includes('/') ? name : `test/http/${name}.test.ts`))

/** Of the other folders, what leaves nothing behind either. Not what opens apps inside of tests, nor imports a file that has hooks of its own. */
const SHARING_BESIDES = [
  'test/db/@(idempotency|order-content|physical-and-numbers|records|shards).test.ts',
  'test/mail/@(smtp|templates).test.ts',
  'test/demo/@(pictures|shop|terms).test.ts',
  ...['recipes', 'cli/progress', 'cli/shards', 'jobs/sweep-of', 'plans/visits', 'faults/card-scan'].map(testFile),
  ...['sdk/types', 'sdk/every-method', 'sdk/providers', 'citus/check-shards', 'stores/stores'].map(testFile),
  'test/jobs/@(queue|retry|sweeps|worker).test.ts',
  'test/request-log/@(app|writer).test.ts',
  // A browser, too, is closed when its file ends.
  'test/demo/@(storefront|storefront-checkout|storefront-views).test.ts',
  'test/pages/@(assets|policy).test.ts',
  'test/pages/checkout/!(edges).test.ts',
  'test/pages/checkout/@(journeys|languages|views)/*.test.ts',
  'test/dashboard/!(login|roles).test.ts',
  'test/dashboard/browser/!(interruptions).test.ts',
]

/** What puts something of its own in the place of a file of src, or finds its files by itself, and so needs src file by file. */
const FILE_BY_FILE = ['plans/plans', 'citus/statements', 'architecture', 'versions/registry'].map(testFile)

const SHARED = [`test/@(${SHARING})/**/*.test.ts`, ...SHARING_BESIDES]
const OTHERS = ['test/*.test.ts', `test/!(${SHARING})/**/*.test.ts`]

/**
 * What takes longest, the longest first: of those with a process of their own, then of those that share. On a fresh clone nobody knows better, and
 * a long file that begins last is waited for alone.
 */
const LONGEST = [
  ...['plans/plans', 'cli/start', 'cli/workers', 'cli/commands', 'db/embedded', 'faults/races', 'db/embedded-users'],
  ...['faults/cancel', 'cli/outage', 'faults/kill', 'faults/gateway', 'db/embedded-crash', 'faults/providers/kill'],
  ...['cli/crash', 'faults/refund', 'db/migrate', 'demo/seed', 'http/idempotency-failures', 'faults/providers/outages'],
  ...['cli/developer', 'faults/webhooks', 'cli/package', 'files/s3', 'cli/external', 'faults/database', 'faults/stops'],
  ...['http/slow-requests', 'http/connection-limits', 'cli/credentials', 'cli/users'],
  ...[
    'cli/drain',
    'cli/mail',
    'cli/usage',
    'jobs/process',
    'db/embedded-keep',
    'api/products/plans',
    'sdk/first-start',
  ],
  ...['gateways/every-provider/messages', 'stores/stores', 'demo/storefront-views', 'sdk/every-method'],
  ...['pages/checkout/journeys/buying', 'access/matrix', 'dashboard/browser/orders-actions', 'versions/golden/golden'],
  ...['dashboard/browser/developer', 'dashboard/browser/entering', 'api/products/kept', 'dashboard/browser/team'],
  ...['pages/checkout/journeys/trouble', 'api/checkouts/capture-simulated', 'demo/storefront-checkout'],
  ...['api/customers/unproven-orders', 'gateways/paypal/capture', 'api/carts/concurrency', 'dashboard/browser/orders'],
  ...['pages/checkout/journeys/providers', 'gateways/every-provider/left-open', 'pages/checkout/views/looks'],
  ...['api/checkouts/shipping-and-tax', 'demo/storefront', 'pages/checkout/enhance', 'api/lines/goods'],
].map(testFile)
for (const file of LONGEST)
  if (!existsSync(join(import.meta.dirname, file)))
    throw new Error(`vitest.config.ts names ${file}, which does not exist.`)

/** Files in processes of their own come first: they are long and wait a lot. The many short ones then fill what is left of the time. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ project, moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(project.config.root, moduleId))
      return (project.config.isolate ? 0 : 1_000) + (place === -1 ? LONGEST.length : place)
    }
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  test: {
    // Two more than the two cores: a file waits for its server, its browser or its clock for a good part of its time.
    maxWorkers: isOnCitus ? 2 : 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Loading the service costs more than most files take: anew for each of them it was a third of the whole run.
      {
        plugins,
        test: { ...common, name: 'api', include: SHARED, exclude: [...ALONE, ...FILE_BY_FILE], isolate: false },
      },
      {
        plugins,
        test: {
          ...common,
          name: 'suite',
          include: [...OTHERS, ...ALONE],
          exclude: [...SHARING_BESIDES, ...FILE_BY_FILE],
        },
      },
      { test: { ...common, name: 'source', include: FILE_BY_FILE } },
      { test: { ...common, name: 'tenancy', include: ['test/tenancy/*.check.ts'] } },
    ],
  },
})

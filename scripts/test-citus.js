// `npm run test:citus`: runs the tests of the API, the SDK, races and kills on a Citus cluster. CITUS_URL names its coordinator, with a
// user who may create databases on every node. The coordinator must know its nodes. Arguments go to vitest and replace the default
// selection.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Folders to run. The other tests concern the embedded PostgreSQL, the command line, or no database at all. */
const FOLDERS = [
  'test/citus',
  'test/db/shards.test.ts',
  'test/api',
  'test/gateways',
  'test/access',
  'test/events',
  'test/jobs',
  'test/sdk',
  'test/faults',
]

/** Files of those folders that cannot run on a cluster. */
const LEFT_OUT = [
  // They stop, or fill the disk of, their own PostgreSQL.
  'test/faults/database.test.ts',
  'test/faults/full-disk.test.ts',
  'test/faults/order-numbers.test.ts',
  // It records, by triggers, which snapshot saw which sale. Triggers run on the shard's node, which lacks the test's tables. Snapshots of
  // two nodes are not comparable.
  'test/faults/shelf.test.ts',
]

const { CITUS_URL: url } = process.env
if (!url) {
  console.error(
    'Set CITUS_URL to the address of a Citus coordinator, such as postgres://postgres@127.0.0.1:5432/postgres.',
  )
  process.exit(1)
}
const filters = process.argv.slice(2)
/** Lists each file by name, without the excluded ones: vitest ignores `--exclude` in projects with their own exclusions. */
const filesOf = (wanted) =>
  wanted.flatMap((name) => {
    if (!existsSync(join(root, name)) || name.endsWith('.ts')) return [name]
    const files = readdirSync(join(root, name), { recursive: true }).map((file) => join(name, String(file)))
    return files.filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.includes(file))
  })
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...['unit', 'shared', 'alone', 'source'].flatMap((name) => ['--project', name]),
    ...filesOf(filters.length > 0 ? filters : FOLDERS),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, CARTWRIGHT_TEST_CITUS: url, SKIP_BROWSER: '1' } },
)
process.exit(status ?? 1)

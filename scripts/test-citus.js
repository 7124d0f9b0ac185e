// `npm run test:citus`: the tests of the API, of the SDK, of races and of kills on the Citus cluster whose coordinator CITUS_URL names, as
// a user who may create databases on every node. The coordinator must know its nodes. Arguments go to vitest, in place of all the tests.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** What runs there. The rest of the suite looks at the embedded PostgreSQL, at the command line, or at nothing in the database. */
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

/** What is in those folders and does not belong there. */
const LEFT_OUT = [
  // They stop, or fill the disk of, a PostgreSQL of their own.
  'test/faults/database.test.ts',
  'test/faults/full-disk.test.ts',
  'test/faults/order-numbers.test.ts',
  // It writes down, by triggers, which snapshot saw which sale. Triggers run on the node of the shard, which has not got the tables of the
  // test, and snapshots of two nodes are not to be compared.
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
/** Each file by its name, without those left out: vitest's own `--exclude` is not heard by projects that exclude something themselves. */
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

// @proof @alone: it runs the commands of docs/first-sale.md in a shell.
// Pastes the commands of docs/first-sale.md into a shell: the totals are those of the page, and the customer can log in.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { listen } from '../http/harness.ts'
import { TestClock, testApp } from '../support/app.ts'
import { newFolder, seedInto } from './support.ts'

const execute = promisify(execFile)

const hasCurl = await execute('curl', ['--version']).then(
  () => true,
  () => false,
)

/** What the walk prints on its way, before the totals. */
const ON_THE_WAY = `[
  [ 'Dinner Plates, Set of Four', 64 ],
  [ 'Round Teapot', 58 ],
  [ 'Water Carafe with Glass', 34 ]
]
2
3
4.8
[ [ 2, 'Stoneware Mug', 36 ], [ 1, 'Twelve One-Pot Suppers', 12 ] ]
[
  [ 'Pick-up at the workshop in Vancouver', 0 ],
  [ 'Parcel, 3 to 6 days', 10.5 ],
  [ 'Courier, next day', 32 ]
]
true
true
true
`

/** What the login prints after them: that the link was asked for, and what the customer's orders came to. */
const OWN_ORDERS = `true
[ 58.89 ]
`

/** What is made in one millisecond is listed in any order; people do not paste that fast. */
class TickingClock extends TestClock {
  override now() {
    this.advance(0.001)
    return super.now()
  }
}

it.skipIf(!hasCurl)(
  'ends in the totals that docs/first-sale.md shows, and in the orders of the customer who logs in',
  async () => {
    const [script, totals] = await readWalk()
    const folder = await newFolder()
    const clock = new TickingClock()
    const app = await testApp({ dataDir: join(folder, 'data'), clock })
    await seedInto(app.db, clock, app.dataDir)
    // The mail comes from the queue.
    app.startJobs()
    const here = script.replace('http://127.0.0.1:4000/v1', `http://127.0.0.1:${await listen(app)}/v1`)
    expect(here).not.toBe(script)
    const { stdout, stderr } = await execute('bash', ['--norc', '-euo', 'pipefail', '-c', here], {
      cwd: folder,
      env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    })
    expect([stdout, stderr]).toEqual([ON_THE_WAY + totals + OWN_ORDERS, ''])
  },
)

/** The commands, and what those of the walk print at the end. */
async function readWalk(): Promise<[string, string]> {
  const page = await readFile(new URL('../../docs/first-sale.md', import.meta.url), 'utf8')
  const [walk, totals, ...more] = blocksUnder('Buy something', page)
  const [login] = blocksUnder('Log in as the customer', page)
  if (walk === undefined || totals === undefined || login === undefined || more.length > 0)
    throw new Error(
      'docs/first-sale.md has one block of commands, one block of their output, and one block for the login.',
    )
  return [`${walk}\n${login}`, totals]
}

function blocksUnder(heading: string, page: string): string[] {
  const [, section = ''] = new RegExp(`^## ${heading}\\n([\\s\\S]*?)^## `, 'm').exec(page) ?? []
  return [...section.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}

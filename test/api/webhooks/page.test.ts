// The commands at the beginning of docs/webhooks.md, pasted into a shell as they stand there: what arrives is what the page shows below them.
// And the figures of the page, compared with what the code does.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { decideAfterFailure, type Health, MAX_ATTEMPTS } from '../../../src/api/webhooks/sending/outcome.ts'
import { freePort, listen } from '../../http/harness.ts'
import { TestClock, testApp } from '../../support/app.ts'
import { openShop } from '../../support/shop.ts'

const execute = promisify(execFile)
const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')

const hasCurl = await execute('curl', ['--version']).then(
  () => true,
  () => false,
)

/** Receivers refuse what is old, by their own clocks. */
class CurrentClock extends TestClock {
  override now() {
    return new Date()
  }
}

const app = await testApp({ allowPrivateAddresses: true, clock: new CurrentClock() })
const folder = await mkdtemp(join(tmpdir(), 'cartwright-page-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('docs/webhooks.md', () => {
  it.skipIf(!hasCurl)(
    'adds a receiver and sees a test and an event arrive, by the commands as they stand',
    async () => {
      const [, script = '', , shown = ''] = /```bash\n(.+?)```(.+?)```\n(.+?)```/s.exec(page) ?? []
      app.startJobs()
      const { keys } = await openShop(app)
      await mkdir(join(folder, 'data'))
      await writeFile(join(folder, 'data/demo-keys.json'), JSON.stringify({ keys }))
      await symlink(fileURLToPath(new URL('../../../examples', import.meta.url)), join(folder, 'examples'))
      // First: it is given a free port, which could be the other.
      const service = `127.0.0.1:${await listen(app)}`
      const port = await freePort()
      const here = script.replaceAll('4242', String(port)).replace('127.0.0.1:4000', service)
      expect(here).toContain(`:${port}/`)
      const { stdout, stderr } = await execute(
        'bash',
        ['--norc', '-euo', 'pipefail', '-c', `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${here}`],
        {
          cwd: folder,
          env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), PORT: String(port) },
        },
      )
      const printed = stdout.split('\n').filter((line) => /^Listening|evt_/.test(line))
      expect(
        printed
          .map((line) => line.replace(/evt_\w+/, 'evt'))
          .slice(1)
          .sort(),
      ).toEqual([expect.stringMatching(/^customers\.create \S+ evt$/), 'test.webhook  evt'])
      const others = stdout.split('\n').filter((line) => !printed.includes(line))
      expect([others.join('\n'), stderr]).toEqual([shown, ''])
    },
  )

  it('tells the waits and the number of attempts as they are', () => {
    const healthy: Health = {
      failing_since: null,
      failures: 0,
      first_failures: 0,
      warnings: 0,
      is_held: false,
      probes: 0,
      turn_at: null,
    }
    const now = new Date('2026-01-02T03:04:05Z')
    const waits = Array.from({ length: MAX_ATTEMPTS }, (_, earlier) => {
      const failed = { attemptsBefore: earlier, isProbe: false, isFetched: false, status: 500, retryAfterMs: null }
      const { delivery } = decideAfterFailure(healthy, failed, now, 0)
      return 'retryAt' in delivery ? told(delivery.retryAt.getTime() - now.getTime()) : `\`${delivery.state}\``
    })
    expect(page).toContain(`| next one in | ${waits.join(' | ')} |\n`)
  })

  it('leads to headings and files that exist', async () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
    for (const [, anchor] of page.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor)
    for (const [, file = ''] of page.matchAll(/\]\(((?!https?:|#)[^)]+)\)/g))
      await readFile(new URL(file, new URL('../../../docs/', import.meta.url)))
  })
})

function told(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds} s`
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`
}

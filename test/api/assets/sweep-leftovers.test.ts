// What the daily sweep of files meets beside files: half copies, and names that look like ours and cannot be.

import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { sweepUnknownFiles } from '../../../src/api/assets/jobs.ts'
import { filesOf } from '../../../src/files/files.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { newId } from '../../../src/lib/ids.ts'
import { testApp } from '../../support/app.ts'
import { filesOnDisk } from './support.ts'

const app = await testApp()
const services = { files: filesOf({ dataDir: app.dataDir }) } as Services
const sweep = () =>
  sweepUnknownFiles(services).run({ db: app.db, clock: app.clock, signal: new AbortController().signal })

async function leave(name: string, hoursAgo: number) {
  const path = `${app.dataDir}/files/${name}`
  await mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true })
  await writeFile(path, 'x')
  const moment = new Date(app.clock.now().getTime() - hoursAgo * 3_600_000)
  await utimes(path, moment, moment)
}

it('removes the copy that a process left when it was killed while storing', async () => {
  const [old, young] = [`incoming-${'a'.repeat(32)}`, `incoming-${'b'.repeat(32)}`]
  await leave(old, 25)
  await leave(young, 23)
  await leave('incoming-of-somebody-else', 25)
  expect([await sweep(), await filesOnDisk(app)]).toEqual([1, [young, 'incoming-of-somebody-else']])
})

it('passes over a folder whose number is larger than any merchant has, and goes on', async () => {
  const id = `${newId('asset', app.clock.now())}0123456789`
  const [impossible, orphan, last] = [`9999999999/${id}`, `999999999/${id}`, `2147483647/${id}`]
  for (const name of [impossible, orphan, last]) await leave(name, 25)
  expect(await sweep()).toBe(2)
  const left = await filesOnDisk(app)
  expect([impossible, orphan, last].map((name) => left.includes(name))).toEqual([true, false, false])
})

// Files to upload, and the few calls that the tests of assets share.

import { readdir, stat } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { countRows, sql } from '../../support/rows.ts'

/** A real PNG of that size, one colour. `filler` bytes of an ignored chunk make it as large as a test needs. */
export function png(width = 3, height = 2, filler = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (1 + 3 * width), 0)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(filler > 0 ? [chunk('teSt', Buffer.alloc(filler, 0x61))] : []),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A PNG of exactly `bytes` bytes. */
export const pngOf = (bytes: number): Buffer => png(1, 1, bytes - png(1, 1, 1).length + 1)

export const pdf = (text = 'Hello'): Buffer =>
  Buffer.from(`%PDF-1.4\n1 0 obj <<>> endobj\n% ${text}\ntrailer <<>>\n%%EOF\n`)

export const base64 = (bytes: Buffer): string => bytes.toString('base64')

type Created = { id: string; url: string; upload_url: string; upload_expires: number }

/** POST /v1/assets that must succeed. */
export async function upload(app: TestApp, key: string, body: object): Promise<Created> {
  const answer = await app.call('POST', '/v1/assets', {
    key,
    headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https' },
    body,
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body as Created
}

/** The bytes at an address, as a browser would ask for them. */
export async function download(app: TestApp, url: string, headers: Record<string, string> = {}) {
  const response = await app.server.inject({ method: 'GET', url: pathOf(url), headers })
  return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload }
}

/** PUT of raw bytes to an upload address, without a key. */
export async function put(app: TestApp, url: string, bytes: Buffer, headers: Record<string, string> = {}) {
  const response = await app.server.inject({
    method: 'PUT',
    url: pathOf(url),
    payload: bytes,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  })
  const text = response.body
  return { status: response.statusCode, headers: response.headers, body: text === '' ? '' : JSON.parse(text) }
}

export const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '')

/** A server to fetch files from, until the tests are over; gives the address of a path. */
export async function openRemote(listener: RequestListener): Promise<(path: string) => string> {
  const remote = createServer(listener)
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    remote.closeAllConnections()
    remote.close()
  })
  return (path) => `http://127.0.0.1:${(remote.address() as AddressInfo).port}${path}`
}

/** Every file below the app's folder, by its path; temporary ones included. */
export async function filesOnDisk(app: TestApp): Promise<string[]> {
  const folder = join(app.dataDir, 'files')
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const found = await Promise.all(
    // A sweep may remove one while the list is looked through.
    names.map(async (name) => {
      const file = await stat(join(folder, name)).catch(() => null)
      return file?.isFile() ? [name.replaceAll('\\', '/')] : []
    }),
  )
  return found.flat().sort()
}

const listEvents = sql<{ name: string; payload: unknown; response_code: number; sandbox: null; kind: string }>`
  select name, kind, sandbox, response_code, payload from events where merchant_id = :merchant_id order by id`

export const eventsOf = (app: TestApp, merchant_id: number) => app.db.many(listEvents, { merchant_id })

export const countAssets = (app: TestApp, merchant_id: number) => countRows(app.db, 'assets', { merchant_id })

/** Runs the jobs until none is due, with the app's own worker. */
export async function runJobs(app: TestApp): Promise<void> {
  const worker = app.startJobs()
  await untilNoneIsDue(app, worker)
  await worker.stop()
}

export async function untilNoneIsDue(app: TestApp, worker: ReturnType<TestApp['startJobs']>): Promise<void> {
  for (let waited = 0; waited < 6_000 && (await countJobs(app)) > 0; waited++) {
    worker.poke()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const dueJobs = sql<{ count: number }>`
  select count(*) from jobs where failed_at is null and (is_running or due_at <= :now)`
const countJobs = async (app: TestApp) => (await app.db.one(dueJobs, { now: app.clock.now() })).count

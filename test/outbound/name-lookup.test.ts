// Names become addresses without one slow name holding up the others. The name server is a socket on loopback; nothing else is asked.

import { createSocket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import type { AddressInfo, LookupFunction } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createFileDownloader } from '../../src/files/download.ts'
import { discard } from '../../src/files/receive.ts'
import { nameServerLookup } from '../../src/outbound/name-lookup.ts'
import { listen, MB, refusedAsPrivate } from '../files/fetching.ts'
import { scratchFolder } from '../files/scratch.ts'

const folder = await scratchFolder()

/** By the numbers of their types: 1 is an IPv4 address, 28 an IPv6 one. Names that begin with `silent` get no answer at all. */
type Records = { 1?: number[][]; 28?: number[][]; silentAbout?: number }
const V6 = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]
const ZONE: Record<string, Records> = {
  'shop.example': { 1: [[127, 0, 0, 2]] },
  'both.example': { 1: [[192, 0, 2, 1]], 28: [V6] },
  'six.example': { 28: [V6] },
  'half.example': { 1: [[192, 0, 2, 7]], silentAbout: 28 },
  'inside.example': { 1: [[127, 0, 0, 1]] },
  'mixed.example': {
    1: [
      [127, 0, 0, 2],
      [10, 0, 0, 1],
    ],
  },
}

const asked: string[] = []
const nameServer = createSocket('udp4')
nameServer.on('message', (query, { port, address }) => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.').toLowerCase()
  const type = query.readUInt16BE(at + 1)
  asked.push(name)
  const known = ZONE[name]
  if (name.startsWith('silent') || known?.silentAbout === type) return
  const records = known?.[type as 1 | 28] ?? []
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  const answers = records.map((data) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]))
  nameServer.send(Buffer.concat([header, query.subarray(12, at + 5), ...answers]), port, address)
})
await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve))
afterAll(() => new Promise<void>((resolve) => nameServer.close(() => resolve())))
const servers = [`127.0.0.1:${(nameServer.address() as AddressInfo).port}`]

beforeEach(() => {
  asked.length = 0
})

const lookUp = (name: string, withinMs?: number, all = true) =>
  new Promise<[Error | null, string | LookupAddress[]]>((resolve) =>
    nameServerLookup(servers, withinMs)(name, { all }, (error, found) => resolve([error, found])),
  )

describe('asking the name servers', () => {
  test('gives the addresses of both kinds', async () => {
    const six = { address: '2606:4700:4700::1111', family: 6 }
    expect(await lookUp('both.example')).toEqual([null, [{ address: '192.0.2.1', family: 4 }, six]])
    expect(await lookUp('six.example')).toEqual([null, [six]])
    expect(await lookUp('both.example', undefined, false)).toEqual([null, '192.0.2.1'])
  })

  test('fails for a name that nobody knows', async () => {
    const [error] = await lookUp('nobody.example')
    expect(error).toMatchObject({ code: 'ENOTFOUND' })
  })

  test('gives up a silent name in time, and keeps what one half has answered', async () => {
    const [[error], half] = await Promise.all([lookUp('silent.example', 1_500), lookUp('half.example', 1_500)])
    expect(error).toMatchObject({ code: 'ECANCELLED' })
    expect(half).toEqual([null, [{ address: '192.0.2.7', family: 4 }]])
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'shop.localhost'])('never asks for %s', async (name) => {
    const loopback = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    expect([await lookUp(name), asked]).toEqual([[null, loopback], []])
  })
})

describe('a file from a name', () => {
  const port = listen((_, response) => response.end('a file'), '127.0.0.2')
  const isPublic = (address: string) => address === '127.0.0.2'
  const get = createFileDownloader({ allowPrivateAddresses: false, isPublic, nameServers: servers, totalMs: 4_000 })

  test('is fetched while forty silent names are being looked up', async () => {
    const silent = Array.from({ length: 40 }, (_, at) => get(`http://silent-${at}.example/`, MB, folder))
    const ended = Promise.allSettled(silent)
    const file = await get(`http://shop.example:${await port}/`, MB, folder)
    await discard(file)
    expect(Buffer.from(file.head).toString()).toBe('a file')
    const isEnded = await Promise.race([ended.then(() => true), Promise.resolve(false)])
    expect(isEnded).toBe(false)
    expect(new Set((await ended).map((result) => result.status))).toEqual(new Set(['rejected']))
  })

  test.each(['inside.example', 'mixed.example', 'localhost'])('is not fetched from %s', async (name) => {
    await expect(get(`http://${name}:${await port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
  })
})

describe("the system's look-up", () => {
  test('with every place taken by a silent name answers 503, which is not the fault of the url', async () => {
    const pending: (() => void)[] = []
    const lookup: LookupFunction = (_, __, callback) => pending.push(() => callback(new Error('gave up'), '', 0))
    const get = createFileDownloader({ allowPrivateAddresses: true, lookup })
    const silent = Promise.allSettled([get('http://a.example/', MB, folder), get('http://b.example/', MB, folder)])
    await expect(get('http://c.example/', MB, folder)).rejects.toMatchObject({
      status: 503,
      type: 'unavailable',
      message: 'Too many host names are being looked up at the moment. Try again soon.',
      headers: { 'retry-after': '5' },
    })
    expect(pending).toHaveLength(2)
    while (pending.length > 0) pending.shift()?.()
    await silent
    // A place that is free again is given to the next.
    const again = get('http://d.example/', MB, folder)
    expect(pending).toHaveLength(1)
    pending.shift()?.()
    await expect(again).rejects.toMatchObject({ status: 422 })
  })
})

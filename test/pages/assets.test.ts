// The files that browsers load besides a page: what the build makes of web/, and how they are served.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseContentCoding, serveBuiltFiles } from '../../src/http/files/built.ts'
import { ASSETS_PATH, assetFiles, assetPath, readAssets } from '../../src/pages/assets.ts'

const root = join(import.meta.dirname, '../..')
const server = Fastify()
const get = (path: string, encoding?: string, method: 'GET' | 'HEAD' = 'GET') =>
  server.inject({ method, url: path, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })

beforeAll(() => {
  serveBuiltFiles(server, ASSETS_PATH, assetFiles())
})
afterAll(() => server.close())

describe('the files of the pages', () => {
  it('are those that pages name, each under a name that changes with what is in it', () => {
    const source = readdirSync(join(root, 'web/checkout')).filter((name) =>
      /^(enhance|stripe|square|razorpay)\.ts$/.test(name),
    )
    expect(source.length).toBe(4)
    for (const name of source.map((each) => each.replace('.ts', '.js')))
      expect([name, assetPath(name)]).toEqual([
        name,
        expect.stringMatching(/^\/checkout-assets\/[a-z]+-[A-Z0-9]{8}\.js$/),
      ])
    expect(assetPath('nothing.js')).toBeNull()
    expect(assetPath('constructor')).toBeNull()
  })

  it('are the same whichever coding they are sent in', async () => {
    const path = assetPath('enhance.js') ?? ''
    const [plain, gzip, br] = await Promise.all([
      get(path),
      get(path, 'gzip, deflate'),
      get(path, 'gzip, deflate, br, zstd'),
    ])
    expect(plain.statusCode).toBe(200)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(br.headers['content-encoding']).toBe('br')
    expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(brotliDecompressSync(br.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(br.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    for (const { headers } of [plain, gzip, br])
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
    const head = await get(path, 'br', 'HEAD')
    const withoutBody = [200, String(br.rawPayload.length), 0]
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual(withoutBody)
  })

  it('are no others: nothing of a request becomes a path', async () => {
    const others = ['manifest.json', 'enhance.js', '..%2f..%2fpackage.json', '%2e%2e%2fsource-hash', 'constructor', '']
    for (const name of others) expect([name, (await get(`${ASSETS_PATH}/${name}`)).statusCode]).toEqual([name, 404])
  })

  it('are none where nothing was built', () => {
    expect(readAssets(new URL('file:///nowhere/web/')).files.size).toBe(0)
  })
})

describe('the coding of an answer', () => {
  it.each([
    [undefined, 'uncompressed'],
    ['', 'uncompressed'],
    ['identity', 'uncompressed'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['gzip;q=0.0, br;q=0', 'uncompressed'],
  ])('is, for %s, %s', (header, coding) => {
    expect(chooseContentCoding(header)).toBe(coding)
  })
})

describe('the scripts', () => {
  it('know nothing of the server but types', () => {
    for (const name of readdirSync(join(root, 'web/checkout')).filter((each) => each.endsWith('.ts'))) {
      const imports = [
        ...readFileSync(join(root, 'web/checkout', name), 'utf8').matchAll(/^import (type )?.*from '(.*)'/gm),
      ]
      for (const [line, isType, from = ''] of imports)
        expect([name, line, isType !== undefined || /^\.\/[\w-]+\.ts$/.test(from)]).toEqual([name, line, true])
    }
  })
})

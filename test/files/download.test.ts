// @unit
// The X1 corpus: URLs that try to reach the canary, a server on loopback that must never be asked. Tests of what a name or a
// redirect leads to are in download-guard.test.ts, of what a server may do in download-replies.test.ts.

import { beforeEach, describe, expect, test } from 'vitest'
import { createFileDownloader } from '../../src/files/download.ts'
import { MB, refusedAsBadlyFormed, refusedAsPrivate, resolver, startCanary } from './fetching.ts'
import { namesIn, scratchFolder } from './scratch.ts'

const folder = await scratchFolder()

const canary = await startCanary('::')

beforeEach(() => {
  canary.hits = 0
})

describe('addresses that are not public (X1)', () => {
  // Which addresses are public is test/lib/addresses.test.ts. Here they are written in every way that a URL allows.
  const LITERALS = [
    '127.0.0.1',
    '127.1',
    '2130706433', // decimal
    '017700000001', // octal
    '0177.0.0.1',
    '0x7f000001', // hexadecimal
    '0x7f.0x0.0x0.0x1',
    '127.0.0.1.', // trailing dot
    '１２７.０.０.１', // full-width digits
    '127。0。0。1', // ideographic full stops
    '%31%32%37.0.0.1', // percent signs
    '0',
    '169.254.169.254',
    '169.254.43518',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::FFFF:7F00:0001]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::1]',
  ]
  const guarded = createFileDownloader({
    allowPrivateAddresses: false,
    lookup: resolver({}),
    totalMs: 60_000,
    connectMs: 20_000,
  })

  test.each(LITERALS)('http://%s is refused without a packet', async (host) => {
    await expect(guarded(`http://${host}:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    await expect(guarded(`https://${host}:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect(canary.hits).toBe(0)
  })

  test.each([
    ['localhost', ['127.0.0.1']],
    ['localhost.', ['127.0.0.1']],
    ['127.0.0.1.nip.io', ['127.0.0.1']],
    ['metadata.google.internal', ['169.254.169.254']],
    ['mixed.example', ['93.184.216.34', '127.0.0.1']],
    ['mixed-last.example', ['127.0.0.1', '93.184.216.34']],
    ['mixed-six.example', ['2606:4700:4700::1111', '::ffff:127.0.0.1']],
    ['zone.example', ['fe80::1%lo']],
    ['empty.example', []],
  ])('the name %s, which resolves to %j, is refused', async (name, addresses) => {
    const lookup = resolver({ [name.toLowerCase()]: [addresses] })
    const get = createFileDownloader({ allowPrivateAddresses: false, lookup, totalMs: 60_000, connectMs: 20_000 })
    await expect(get(`http://${name}:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect([canary.hits, lookup.asked]).toEqual([0, [name.toLowerCase()]])
  })

  test.each([
    '',
    'shop.example/a.png',
    '//shop.example/a.png',
    'file:///etc/passwd',
    'gopher://127.0.0.1:70/_x',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'http://',
    'http://[::1',
    'http://[fe80::1%25lo]/',
    'http://user:password@93.184.216.34/',
    'http://93.184.216.34@127.0.0.1/',
    'http://127.0.0.1\\@93.184.216.34/\0',
    'http://127.0.0.1:99999/',
    'http://93.184.216.34:0/',
    'http://256.256.256.256/',
    `http://93.184.216.34/${'a'.repeat(5_000)}`,
  ])('%j is badly formed or not public', async (url) => {
    const error = await guarded(url, MB, folder).catch((thrown) => thrown)
    expect([refusedAsBadlyFormed.errors, refusedAsPrivate.errors]).toContainEqual(error.errors)
    expect([error.status, canary.hits]).toEqual([422, 0])
  })

  test('nothing is left in the folder', async () => {
    expect(await namesIn(folder)).toEqual([])
  })
})

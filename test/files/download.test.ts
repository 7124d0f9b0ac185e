// @alone
// The X1 corpus: URLs that try to reach the canary, a server on loopback that must never be asked. Tests of what a name or a
// redirect leads to are in download-guard.test.ts, of what a server may do in download-replies.test.ts.

import { beforeEach, describe, expect, test } from 'vitest'
import { downloader } from '../../src/files/download.ts'
import { MB, refusedAsBadlyFormed, refusedAsPrivate, resolver, startCanary } from './fetching.ts'
import { namesIn, scratchFolder } from './scratch.ts'

const folder = await scratchFolder()

const canary = await startCanary('::')

beforeEach(() => {
  canary.hits = 0
})

describe('addresses that are not public (X1)', () => {
  const LITERALS = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433', // decimal
    '017700000001', // octal
    '0177.0.0.1',
    '0177.0.0.01',
    '0x7f000001', // hexadecimal
    '0x7f.0x0.0x0.0x1',
    '0X7F.1',
    '127.0.0.1.', // trailing dot
    '１２７.０.０.１', // full-width digits
    '①②⑦.⓪.⓪.①', // circled digits
    '127。0。0。1', // ideographic full stops
    '%31%32%37.0.0.1', // percent signs
    '0',
    '0.0.0.0',
    '0x0',
    '10.0.0.1',
    '10.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '2852039166', // 169.254.169.254
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '168.63.129.16',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.0.1',
    '192.168.257',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '4294967295',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::0001]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2002:7f00:1::1]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:7f00:1::]',
    '[2001:0:4136:e378:8000:63bf:80ff:fffe]', // Teredo of 127.0.0.1
    '[2001:db8::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
    '[5f00::1]',
    '[::ffff:8.8.8.8]',
  ]
  const guarded = downloader({ allowPrivateAddresses: false, lookup: resolver({}), totalMs: 60_000, connectMs: 20_000 })

  test.each(LITERALS)('http://%s is refused without a packet', async (host) => {
    await expect(guarded(`http://${host}:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    await expect(guarded(`https://${host}:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect(canary.hits).toBe(0)
  })

  test.each([
    ['localhost', ['127.0.0.1']],
    ['LOCALHOST', ['127.0.0.1']],
    ['localhost.', ['127.0.0.1']],
    ['localhost6', ['::1']],
    ['ip6-localhost', ['::1']],
    ['127.0.0.1.nip.io', ['127.0.0.1']],
    ['7f000001.nip.io', ['127.0.0.1']],
    ['www.169.254.169.254.sslip.io', ['169.254.169.254']],
    ['metadata.google.internal', ['169.254.169.254']],
    ['kubernetes.default.svc', ['10.96.0.1']],
    ['postgres', ['172.18.0.2']],
    ['mixed.example', ['93.184.216.34', '127.0.0.1']],
    ['mixed-six.example', ['2606:4700:4700::1111', '::ffff:127.0.0.1']],
    ['mapped.example', ['::ffff:127.0.0.1']],
    ['zone.example', ['fe80::1%lo']],
    ['nat64.example', ['64:ff9b::7f00:1']],
    ['empty.example', []],
    ['xn--n3h.example', ['127.0.0.1']],
  ])('the name %s, which resolves to %j, is refused', async (name, addresses) => {
    const lookup = resolver({ [name.toLowerCase()]: [addresses] })
    const get = downloader({ allowPrivateAddresses: false, lookup, totalMs: 60_000, connectMs: 20_000 })
    await expect(get(`http://${name}:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect([canary.hits, lookup.asked]).toEqual([0, [name.toLowerCase()]])
  })

  test.each([
    '',
    'shop.example/a.png',
    '//shop.example/a.png',
    '/etc/passwd',
    'file:///etc/passwd',
    'file://127.0.0.1/etc/passwd',
    'gopher://127.0.0.1:70/_x',
    'dict://127.0.0.1:11211/stats',
    'ftp://127.0.0.1/a',
    'tftp://127.0.0.1/a',
    'ldap://127.0.0.1/a',
    'jar:http://127.0.0.1!/a',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'blob:http://127.0.0.1/a',
    'view-source:http://127.0.0.1/',
    'ws://127.0.0.1/',
    'unix:/var/run/docker.sock',
    'http://',
    'http:///',
    'http://[::1',
    'http://[fe80::1%25lo]/',
    'http://[::1%25lo0]/',
    'http://user@93.184.216.34/',
    'http://user:password@93.184.216.34/',
    'http://93.184.216.34@127.0.0.1/',
    'http://127.0.0.1\\@93.184.216.34/\0',
    'http://93.184.216.34%00@127.0.0.1/',
    'http://127.0.0.1:99999/',
    'http://93.184.216.34:0/',
    'http://1.2.3.4.5.6.0x7f/',
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

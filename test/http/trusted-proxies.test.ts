import { describe, expect, test } from 'vitest'
import { trustedProxies } from '../../src/http/server/trusted-proxies.ts'
import { testApp } from '../support/app.ts'

const trusts = (proxies: string[], address: string) => trustedProxies(proxies)(address, 0)

describe('proxies that are trusted', () => {
  test.each([
    ['127.0.0.1', ['127.0.0.1', '::ffff:127.0.0.1'], ['127.0.0.2', '::1']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
    ['10.0.0.0/8', ['10.0.0.1', '10.255.255.255', '::ffff:10.1.2.3', '::ffff:a01:203'], ['11.0.0.1', '9.255.255.255']],
    ['10.1.2.3/8', ['10.200.0.1'], ['11.0.0.1']],
    ['fd00::/8', ['fd00::1', 'fdff::'], ['fc00::1', 'fe80::1']],
    ['loopback', ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'], ['128.0.0.1', '10.0.0.1']],
    ['linklocal', ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'], ['169.253.1.1', 'fec0::1']],
    ['uniquelocal', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1'], ['172.32.0.1', '8.8.8.8']],
  ])('%s', (proxy, inside, outside) => {
    for (const address of inside) expect(trusts([proxy], address), address).toBe(true)
    for (const address of outside) expect(trusts([proxy], address), address).toBe(false)
  })

  test('are any of those listed', () => {
    for (const address of ['10.0.0.1', '::1']) expect(trusts(['10.0.0.0/8', '::1'], address)).toBe(true)
  })

  test('are none by default, and never what is no address', () => {
    expect(trustedProxies(undefined)('127.0.0.1', 0)).toBe(false)
    for (const text of ['', 'unknown', 'undefined', '10.0.0.1:80', '10.0.0', '10.0.0.1, 10.0.0.2', '_hidden', '%'])
      expect(trusts(['0.0.0.0/1', 'loopback', 'uniquelocal'], text), text).toBe(false)
    expect(trusts(['loopback'], undefined as never)).toBe(false)
  })

  test('may be told by a function, as with a number of hops', () => {
    const isTrusted = trustedProxies((_, hop) => hop < 1)
    expect([isTrusted('8.8.8.8', 0), isTrusted('8.8.8.8', 1)]).toEqual([true, false])
  })

  test('that are no addresses stop the start', () => {
    expect(() => trustedProxies(['nonsense'])).toThrow()
  })
})

describe('a proxy that nobody has named', () => {
  const said = ({ logged }: { logged: string[] }) => logged.filter((line) => line.includes('TRUST_PROXY'))

  test.each<Record<string, string>>([{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }])(
    'is told of once, with what to set, when it shows by %j',
    async (headers) => {
      const app = await testApp()
      await app.call('GET', '/v1/products')
      expect(said(app)).toEqual([])
      for (const path of ['/health/live', '/v1/products', '/nowhere']) await app.call('GET', path, { headers })
      expect(said(app).map((line) => JSON.parse(line))).toMatchObject([
        { level: 'warn', msg: expect.stringContaining('Set TRUST_PROXY to the address of your proxy') },
      ])
    },
  )

  test('is none where one is named', async () => {
    const app = await testApp({ trustProxy: ['10.0.0.1'] })
    await app.call('GET', '/v1/products', { headers: { 'x-forwarded-for': '203.0.113.7' } })
    expect(said(app)).toEqual([])
  })
})

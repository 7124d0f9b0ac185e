// The header Shopper-Address: a server with the secret key names the shopper for whom it asks.

import { Type } from 'typebox'
import { expect, it } from 'vitest'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { testApp, UNCHANGED_VERSIONS } from '../support/app.ts'
import { replyOf } from '../support/shop.ts'
import { badRequest, errorBody, probe, slice } from './harness.ts'

const Client = Type.Object({ address: Type.String(), networks: Type.Array(Type.String()) })
const handle: Endpoint['handle'] = async ({ clientAddress: address, clientNetworks: networks }) => ({
  address,
  networks,
})
const slices = [
  slice([
    probe({ operation: 'probes.public', path: '/v1/probes', returns: Client, handle }),
    probe({ operation: 'probes.secret', path: '/v1/secret-probes', access: 'secret', returns: Client, handle }),
  ]),
]
const app = await testApp({ trustProxy: () => true, versions: UNCHANGED_VERSIONS, slices })
const lastTrusted = await testApp({ trustProxy: ['loopback'], versions: UNCHANGED_VERSIONS, slices })
const lastKey = (await lastTrusted.merchant()).keys.sandbox.public
const { keys } = await app.merchant()
const FROM = '192.0.2.1'

const ask = async (key: string, address?: string, path = '/v1/probes') => {
  const headers = { 'x-forwarded-for': FROM, ...(address === undefined ? {} : { 'shopper-address': address }) }
  return replyOf(app.call('GET', path, { key, headers }))
}

it('names the client of a request with the secret key, for limits and for what an order shows', async () => {
  const { secret, public: open } = keys.sandbox
  expect(await ask(open)).toEqual([200, { address: FROM, networks: [FROM] }])
  expect(await ask(secret)).toEqual([200, { address: FROM, networks: [] }])
  const networks = ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']
  for (const path of ['/v1/probes', '/v1/secret-probes']) {
    expect(await ask(secret, '203.0.113.7', path)).toEqual([200, { address: '203.0.113.7', networks: ['203.0.113.7'] }])
    expect(await ask(secret, ' 2001:db8:1:2::7 ', path)).toEqual([200, { address: '2001:db8:1:2::7', networks }])
    expect(await ask(secret, '::ffff:203.0.113.7', path)).toEqual([
      200,
      { address: '::ffff:203.0.113.7', networks: ['203.0.113.7'] },
    ])
  }
})

it.each([
  '',
  'shop.example',
  '203.0.113',
  '203.0.113.7:80',
  '[2001:db8::7]',
  'fe80::1%eth0',
  '203.0.113.7, 203.0.113.8',
])('that is no single address is refused, with the name of the header and the rule: %j', async (address) => {
  const message =
    'The header Shopper-Address must be one IPv4 or IPv6 address, such as 203.0.113.7 or 2001:db8::7, without a port or brackets.'
  expect(await ask(keys.sandbox.secret, address)).toEqual([400, badRequest(message)])
})

it('with a public key is refused, as whoever sends it would choose whom limits count against', async () => {
  const message =
    "The header Shopper-Address is accepted with the secret key only, from a server; leave it out with a public key or a customer's token."
  for (const address of ['203.0.113.7', 'nonsense'])
    expect(await ask(keys.sandbox.public, address)).toEqual([403, errorBody(403, 'forbidden', message)])
  expect(await ask('pk_test_unknown', '203.0.113.7')).toMatchObject([401, {}])
})

it.each([
  ['203.0.113.7:4711', '203.0.113.7', '203.0.113.7'],
  ['fe80::1%<b>eth0</b>', 'fe80::1', 'fe80:0:0:0::/64'],
  ['<script>alert(1)</script>', '127.0.0.1', 'unknown'],
  ['unknown', '127.0.0.1', 'unknown'],
  ['203.0.113.7, _hidden', '127.0.0.1', 'unknown'],
])('is not needed for the client to be an address, also where a proxy hands on %j', async (sent, address, network) => {
  const headers = { 'x-forwarded-for': sent }
  const { body } = await lastTrusted.call('GET', '/v1/probes', { key: lastKey, headers })
  expect(body).toMatchObject({ address, networks: expect.arrayContaining([network]) })
})

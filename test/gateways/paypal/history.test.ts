// PayPal signs messages by certificates. The rest: ../every-provider/adapter/telling.

import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { CONFIG, WEBHOOK_ID } from '../doubles/paypal.ts'
import type { SignedMessage } from '../doubles/paypal-messages.ts'
import { readerOf } from '../every-provider/adapter/bench.ts'
import { openPayPalBench } from './bench.ts'

const bench = await openPayPalBench()
const { paypal, clock } = bench
const { config } = bench.provider
const { signer } = paypal

const KEY = `atmpt_${'0'.repeat(26)}`
const EVENT = {
  id: 'WH-1',
  event_type: 'PAYMENT.CAPTURE.COMPLETED',
  resource: { id: '2GG279541U471931P', custom_id: KEY },
}

const read = readerOf(bench)
/** Reads a message that names this certificate. */
const readBy = (url: string) => read(signer.sign(EVENT, { 'paypal-cert-url': url }))

it('reads what PayPal has signed, and fetches the certificate once, with a User-Agent', async () => {
  const count = signer.asked.length
  const subject = { key: KEY, transactionId: '2GG279541U471931P' }
  for (let times = 0; times < 3; times++)
    expect(await read(signer.sign(EVENT))).toEqual({ kind: 'event', id: 'WH-1', subject })
  expect(signer.asked.slice(count)).toEqual(['/v1/notifications/certs/CERT-1'])
  // The client of all providers asks for it.
  expect(signer.agents.at(-1)).toMatch(/^Cartwright/)
})

it('accepts the message that was signed elsewhere by the published rule', async () => {
  // Made up once, with another program; the key belongs to nobody.
  const spki =
    'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCVn1HwdOSPgSI3Yf48HC/aXVclhL2/xFcFSMom3ejc1qT5mv9tu05LXiwLEOQ0cb33q0Y9f1Zr6jTNx6QisgXsbMrbMSCLe8XpmTskMjGJ2djL3GnwxjWucEvYV4EMkv1DQoiNMwE8d1sfy/6bKe/qOqrabla/0VYFcvRMu3wFBwIDAQAB'
  const publicKey = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' })
  const now = new Date('2026-11-15T10:00:30Z')
  const to = new Date('2030-01-01T00:00:00Z')
  signer.serve('VECTOR', { status: 200, body: signer.pem({ publicKey, from: new Date('2026-01-01T00:00:00Z'), to }) })
  const headers = {
    'paypal-transmission-id': '69cd13f0-d67a-11e5-baa3-778b53f4ae55',
    'paypal-transmission-time': '2026-11-15T10:00:00Z',
    'paypal-transmission-sig':
      'IF9wr7NK1yWsq1p3ni93QKJDtXAqikZVotf9q0K0OgFGt2KFurhyag4Ed1KLTyAU7jB+KOfSqpf34S56FZomqt0N49CPaRQk4E5J5gIf74jtBmeMTV8DcDB7Wl6AsAgSQ6VD4fg7b0GYRwROv3fPMLZE/Y6Kpo7mnjm25bHXaGM=',
    'paypal-cert-url': 'https://api.sandbox.paypal.com/v1/notifications/certs/VECTOR',
    'paypal-auth-algo': 'SHA256withRSA',
  }
  const body = Buffer.from(
    '{"id":"WH-1","event_type":"CHECKOUT.ORDER.APPROVED","resource_type":"checkout-order","resource":{"id":"5O190127TN364715T","status":"APPROVED"}}',
  )
  expect(WEBHOOK_ID).toBe('1JE4291016473214C')
  expect(body).toHaveLength(143)
  expect(await read({ headers, body }, { now })).toEqual({ kind: 'event', id: 'WH-1', subject: null })
  const other = Buffer.from(body.toString().replace('WH-1', 'WH-2'))
  expect(await read({ headers, body: other }, { now })).toEqual({ kind: 'refused', reason: 'Its signature is wrong.' })
})

const without = (message: SignedMessage, name: string): SignedMessage => {
  const { [name]: _, ...headers } = message.headers
  return { ...message, headers }
}

it.each([
  'paypal-transmission-id',
  'paypal-transmission-time',
  'paypal-transmission-sig',
  'paypal-cert-url',
  'paypal-auth-algo',
])('refuses a message without %s (F22)', async (name) => {
  expect(await read(without(signer.sign(EVENT), name))).toMatchObject({ kind: 'refused' })
})

it('refuses what is signed for another webhook than those that are set up, by another key, or for nobody', async () => {
  const message = signer.sign(EVENT)
  expect(await read(message, { config: { ...config, webhook_id: 'ANOTHER' } })).toMatchObject({ kind: 'refused' })
  for (const webhook_id of [`ANOTHER,${WEBHOOK_ID}`, `${WEBHOOK_ID} ANOTHER`])
    expect(await read(message, { config: { ...config, webhook_id } })).toMatchObject({ kind: 'event' })
  const unset = { kind: 'refused', reason: 'The gateway paypal has no webhook_id.' }
  expect(await read(message, { config: CONFIG })).toEqual(unset)
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const url = signer.serve('STRANGER', { status: 200, body: signer.pem({ publicKey: stranger.publicKey }) })
  expect(await readBy(url)).toMatchObject({ kind: 'refused' })
})

it.each([
  ['four days old', -4 * 86_400 - 1, false],
  ['three days old, as the last that PayPal tries', -3 * 86_400, true],
  ['a minute ahead', 60, true],
  ['an hour ahead', 3_600, false],
])('a message that is %s', async (_, seconds, isRead) => {
  const time = new Date(clock.now().getTime() + seconds * 1_000).toISOString()
  const answer = await read(signer.sign(EVENT, { 'paypal-transmission-time': time }))
  expect(answer.kind).toBe(isRead ? 'event' : 'refused')
})

it.each([
  'https://evil.example/v1/notifications/certs/CERT-1',
  'https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1',
  'https://api.paypal.com/v1/notifications/certs/CERT-1',
  'http://api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
  'https://api.sandbox.paypal.com:444/v1/notifications/certs/CERT-1',
  'https://someone@api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
  'https://api.sandbox.paypal.com/v1/notifications/certs/../../../other/CERT-1',
  'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1?redirect=x',
  'https://api.sandbox.paypal.com/v1/notifications/certs/',
  'https://api.sandbox.paypal.com/v1/other/CERT-1',
  'https://api.sandbox.paypal.com\\@evil.example/v1/notifications/certs/CERT-1',
  'CERT-1',
])('fetches no certificate from %s', async (url) => {
  const count = signer.asked.length
  const refused = { kind: 'refused', reason: 'Its certificate is not at an address of PayPal.' }
  expect(await readBy(url)).toEqual(refused)
  expect(signer.asked).toHaveLength(count)
})

it('believes the certificates of live on a live gateway, and those of the sandbox not (F24)', async () => {
  const at = (host: string) =>
    signer.sign(EVENT, { 'paypal-cert-url': `https://${host}/v1/notifications/certs/CERT-1` })
  const live = { is_sandbox: false }
  expect(await read(at('api.paypal.com'), live)).toMatchObject({ kind: 'event' })
  expect(signer.asked.at(-1)).toBe('/live/v1/notifications/certs/CERT-1')
  expect(await read(at('api.sandbox.paypal.com'), live)).toMatchObject({ kind: 'refused' })
})

it('refuses a certificate that is over, not yet valid, of another name, or none', async () => {
  const day = 86_400_000
  const now = clock.now().getTime()
  const served: Record<string, string> = {
    OVER: signer.pem({ from: new Date(now - 9 * day), to: new Date(now - day) }),
    EARLY: signer.pem({ from: new Date(now + day) }),
    OTHER: signer.pem({ commonName: 'www.paypal.com' }),
    NAMED: signer.pem({ commonName: 'messageverificationcerts.paypal.com.evil.example' }),
    NONE: 'no certificate',
    EMPTY: '',
  }
  for (const [name, body] of Object.entries(served)) {
    const url = signer.serve(name, { status: 200, body })
    expect([name, await readBy(url)]).toMatchObject([name, { kind: 'refused' }])
  }
  const ofLive = signer.pem({ commonName: 'messageverificationcerts.paypal.com' })
  expect(await readBy(signer.serve('LIVE', { status: 200, body: ofLive }))).toMatchObject({ kind: 'event' })
})

it('refuses what PayPal has no certificate for, follows no redirect, and asks to be told again where it cannot be had', async () => {
  const sign = (name: string, status: number, body = '', headers = {}) =>
    signer.sign(EVENT, { 'paypal-cert-url': signer.serve(name, { status, body, headers }) })
  expect(await read(sign('GONE', 404))).toMatchObject({ kind: 'refused' })
  const location = `${signer.url}/v1/notifications/certs/CERT-1`
  for (const message of [
    sign('MOVED', 302, '', { location }),
    sign('BROKEN', 500),
    sign('BIG', 200, 'x'.repeat(2_000_000)),
  ])
    await expect(read(message)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: true })
  // It is not remembered that it could not be had.
  expect(await readBy(signer.serve('BROKEN', { status: 200, body: signer.pem() }))).toMatchObject({ kind: 'event' })
})

const REFUND_KEY = `rfnd_${'1'.repeat(26)}`
const UP = { rel: 'up', href: 'https://api.sandbox.paypal.com/v2/payments/captures/2GG279541U471931P', method: 'GET' }

it.each([
  ['CHECKOUT.ORDER.APPROVED', { id: '5O1', purchase_units: [{ custom_id: KEY }] }, { key: KEY, transactionId: null }],
  ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', { purchase_units: [{ custom_id: KEY }] }, { key: KEY, transactionId: null }],
  ['PAYMENT.CAPTURE.PENDING', { id: 'C1', custom_id: KEY }, { key: KEY, transactionId: 'C1' }],
  ['PAYMENT.CAPTURE.DENIED', { id: 'C1', custom_id: KEY }, { key: KEY, transactionId: 'C1' }],
  ['PAYMENT.AUTHORIZATION.VOIDED', { id: 'A1', custom_id: KEY }, { key: KEY, transactionId: 'A1' }],
  [
    'PAYMENT.CAPTURE.REFUNDED',
    { id: 'R1', invoice_id: REFUND_KEY, links: [UP] },
    { key: REFUND_KEY, transactionId: '2GG279541U471931P' },
  ],
  ['PAYMENT.CAPTURE.REVERSED', { id: 'R1', links: [UP] }, { key: null, transactionId: '2GG279541U471931P' }],
  [
    'CUSTOMER.DISPUTE.CREATED',
    { dispute_id: 'PP-D-1', disputed_transactions: [{ seller_transaction_id: 'C1' }] },
    { key: null, transactionId: 'C1' },
  ],
  // Of another program that uses the same account.
  ['CHECKOUT.ORDER.APPROVED', { id: '5O1', purchase_units: [{ custom_id: 'WC-1234' }] }, null],
  ['PAYMENT.CAPTURE.COMPLETED', { id: 'C9', custom_id: 'WC-1234' }, { key: null, transactionId: 'C9' }],
  ['BILLING.SUBSCRIPTION.CREATED', { id: 'I-1', custom_id: KEY }, null],
  ['PAYMENT.CAPTURE.COMPLETED', undefined, null],
])('finds in %s which payment it is about (F24)', async (type, resource, subject) => {
  const event = { id: 'WH-2', event_type: type, ...(resource === undefined ? {} : { resource }) }
  expect(await read(signer.sign(event))).toEqual({ kind: 'event', id: 'WH-2', subject })
})

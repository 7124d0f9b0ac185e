// Takes a message of a payment provider: it is proven to be the provider's, noted once, and makes us ask. It changes no money itself, so that
// messages may come early, late, twice and in any order.

import { createHash } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { GatewayUnavailable, within } from '../../gateways/call.ts'
import type { GatewayAdapter } from '../../gateways/gateway.ts'
import type { MessageSubject, ReadMessage } from '../../gateways/provider/story.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { badRequest, notFound, unavailable } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import { lookAgainLater } from '../capture/late.ts'
import { type AttemptRow, findAttempt, hastenAttempt } from '../capture/store.ts'
import { findOrderByCheckout } from '../orders/store.ts'
import { messagePath } from '../payment-methods/payment-method.ts'
import { findKeptMethod, type KeptMethod } from '../payment-methods/store.ts'
import { askStory } from '../payments/ask.ts'
import { lookIntoLater } from '../payments/look-later.ts'
import { MOST_FAILURES } from '../payments/movement.ts'
import { type Gatherer, openGatherer } from './gather.ts'
import { findOrderPaidBy, noteMessage, type ToldOrder } from './store.ts'

type MessageServices = Pick<Services, 'db' | 'clock' | 'payments' | 'publicUrl'>

type SentMessage = {
  readonly merchantId: number
  /** Of the gateway: gway_… */
  readonly methodId: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** Providers give up after some seconds, and come again. */
const READ_MS = 5_000

/** What takes messages. It throws 404 for a gateway that has no provider, 400 for what is not the provider's, 503 where it cannot be told now. */
export const messageTaker = (services: MessageServices): ((sent: SentMessage) => Promise<void>) => {
  const gathered = openGatherer<ReadMessage>()
  return (sent) => takeMessage(services, gathered, sent)
}

async function takeMessage(services: MessageServices, gathered: Gatherer<ReadMessage>, sent: SentMessage) {
  const { db, payments } = services
  const { merchantId, methodId } = sent
  const method = await findKeptMethod(db, { merchantId }, methodId)
  const story = method === null ? undefined : payments.charging(method.code, method.is_simulated)?.story
  if (method === null || story === undefined) throw notFound('gateway')
  const look = () => readMessage(services, sent, method, story)
  const name = () => `${merchantId} ${methodId} ${createHash('sha256').update(sent.body).digest('base64url')}`
  const read = await (story.asksToRead ? gathered(name(), look) : look())
  if (read.kind === 'refused') throw badRequest(`The message was not taken: ${read.reason}`)
  const { id, subject } = read
  if (subject !== null) await act(services, { merchantId, methodId, id }, method, subject)
}

async function readMessage(
  { clock, publicUrl, payments }: MessageServices,
  { merchantId, methodId, headers, body }: SentMessage,
  { code, config: kept, is_sandbox: isSandbox }: KeptMethod,
  story: NonNullable<GatewayAdapter['story']>,
): Promise<ReadMessage> {
  // Never from the request: who sends it chooses its host.
  const url = (publicUrl ?? '') + messagePath(merchantId, methodId)
  try {
    const config = await payments.credentials.open({ merchantId, methodId, gateway: code }, kept)
    return await within(READ_MS, (signal) =>
      story.readMessage({ merchantId, config, isSandbox, headers, body, url, now: clock.now(), signal }),
    )
  } catch (error) {
    if (error instanceof GatewayUnavailable)
      throw Object.assign(unavailable('The message cannot be checked at the moment. Send it again.'), { cause: error })
    throw error
  }
}

/** By which gateway of whom it was sent. */
type Sender = Pick<SentMessage, 'merchantId' | 'methodId'>

/** In one transaction: a message that was noted has made somebody look, whatever dies. */
async function act(
  { db, clock }: MessageServices,
  sender: Sender & { readonly id: string },
  method: KeptMethod,
  subject: MessageSubject,
): Promise<void> {
  const now = clock.now()
  await db.transaction(async (tx) => {
    if (!(await noteMessage(tx, sender, sender, now))) return
    const isFollowed = await follow(tx, sender, subject, now)
    if (!isFollowed && subject.keyAt !== undefined) await followLater(tx, sender, method, subject.keyAt, now)
  })
}

/** Makes somebody look at what it is about: the completer, or a job. False where nothing was found. */
async function follow(tx: Tx, sender: Sender, subject: MessageSubject, now: Date): Promise<boolean> {
  const { merchantId, methodId } = sender
  const attempt = await attemptOf(subject)
  if (attempt?.state === 'released') await lookAgainLater(tx, attempt, now)
  else if (attempt !== null && attempt.state !== 'done') await hastenAttempt(tx, attempt, now)
  const order = await orderOf(subject, attempt)
  if (order !== null) await lookIntoLater(tx, merchantId, order, order, now)
  return attempt !== null || order !== null

  async function attemptOf({ key }: MessageSubject): Promise<AttemptRow | null> {
    if (key === null || !isId('paymentAttempt', key)) return null
    const found = await findAttempt(tx, { merchant_id: merchantId, id: key })
    // Of another gateway of the shop: somebody who may speak for one must not speak for the others.
    return found?.payment_method_id === methodId ? found : null
  }

  async function orderOf({ transactionId }: MessageSubject, made: AttemptRow | null): Promise<ToldOrder | null> {
    const paid = transactionId === null ? null : await findOrderPaidBy(tx, { merchantId }, methodId, transactionId)
    if (paid !== null || made?.state !== 'done') return paid
    const { is_sandbox, is_simulated, gateway, checkout_id: checkoutId } = made
    const order = await findOrderByCheckout(tx, { merchantId, isSandbox: is_sandbox }, checkoutId)
    return order && { order_id: order.id, is_sandbox, is_simulated, gateway: gateway ?? '' }
  }
}

// A message that does not name our key, and whose payment is of no order yet: the provider is asked for the key, when the message is answered.

const FIND_KEY = 'provider_messages.find_key'

type FindKeyPayload = { methodId: string; gateway: string; isSandbox: boolean; keyAt: string }

const followLater = (
  tx: Tx,
  { merchantId, methodId }: Sender,
  { code: gateway, is_sandbox: isSandbox }: KeptMethod,
  keyAt: string,
  runAt: Date,
) =>
  enqueue(tx, {
    merchantId,
    kind: FIND_KEY,
    key: `${methodId} ${keyAt}`,
    payload: { methodId, gateway, isSandbox, keyAt } satisfies FindKeyPayload,
    provider: gateway,
    runAt,
  })

export const findKeysOfMessages = (services: Services): JobHandler => ({
  kind: FIND_KEY,
  lane: 'provider',
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId, signal }) {
    const { keyAt, methodId, ...gateway } = payload as FindKeyPayload
    const entry = { ...gateway, merchantId, methodId, key: keyAt, isSimulated: false }
    const key = await askStory(
      { ...services, signal },
      entry,
      async (story, call) => story.keyOf?.(call, keyAt) ?? null,
    )
    const subject = { key, transactionId: null }
    await services.db.transaction((tx) => follow(tx, { merchantId, methodId }, subject, services.clock.now()))
  },
})

// Takes a message of a payment provider: it is proven to be the provider's, noted once, and makes us ask. It changes no money itself, so that
// messages may come early, late, twice and in any order.

import { createHash } from 'node:crypto'
import { GatewayUnavailable, within } from '../../gateways/call.ts'
import type { GatewayAdapter } from '../../gateways/gateway.ts'
import type { ReadMessage } from '../../gateways/provider/story.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { badRequest, notFound, unavailable } from '../../lib/errors.ts'
import { messagePath } from '../payment-methods/payment-method.ts'
import { findKeptMethod, type KeptMethod } from '../payment-methods/store.ts'
import { type Gatherer, openGatherer } from './gather.ts'
import { type HeardMessage, messageNoter } from './note.ts'

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
  const note = messageNoter(services)
  return (sent) => takeMessage(services, gathered, note, sent)
}

async function takeMessage(
  services: MessageServices,
  gathered: Gatherer<ReadMessage>,
  note: (heard: HeardMessage) => Promise<void>,
  sent: SentMessage,
) {
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
  if (subject !== null) await note({ merchantId, methodId, id, method, subject })
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

// Receives a message of a payment provider: checks that it is the provider's, records it once, and enqueues a poll. It changes no money
// itself, so messages may come early, late, twice and in any order.

import { createHash } from 'node:crypto'
import { GatewayUnavailable, withDeadline } from '../../gateways/call.ts'
import type { GatewayAdapter } from '../../gateways/gateway.ts'
import type { ParsedMessage } from '../../gateways/provider/history.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { badRequest, notFound, unavailable } from '../../lib/errors.ts'
import { messagePath } from '../payment-methods/payment-method.ts'
import { findMethodOrDeleted, type MethodOrDeleted } from '../payment-methods/store.ts'
import { type CheckBatcher, createCheckBatcher } from './gather.ts'
import { createMessageRecorder, type VerifiedMessage } from './note.ts'

type MessageServices = Pick<Services, 'db' | 'clock' | 'payments' | 'publicUrl'>

type IncomingMessage = {
  readonly merchant_id: number
  /** Id of the gateway: gway_… */
  readonly methodId: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** Providers give up after some seconds and send the message again. */
const READ_MS = 5_000

/**
 * Creates the receiver of messages. It throws 404 for a gateway that has no provider, and 400 for a message that is not the provider's. It
 * throws 503 if that cannot be checked now.
 */
export const createMessageReceiver = (services: MessageServices): ((message: IncomingMessage) => Promise<void>) => {
  const gatherer = createCheckBatcher<ParsedMessage>()
  const note = createMessageRecorder(services)
  return (message) => takeMessage(services, gatherer, note, message)
}

async function takeMessage(
  services: MessageServices,
  gatherer: CheckBatcher<ParsedMessage>,
  note: (message: VerifiedMessage) => Promise<void>,
  message: IncomingMessage,
) {
  const { db, payments } = services
  const { merchant_id, methodId } = message
  const method = await findMethodOrDeleted(db, { merchant_id }, methodId)
  const history = method === null ? undefined : payments.findAdapter(method.code, method.is_simulated)?.history
  if (method === null || history === undefined) throw notFound('gateway')
  const look = () => readMessage(services, message, method, history)
  const name = () => `${merchant_id} ${methodId} ${createHash('sha256').update(message.body).digest('base64url')}`
  const result = await (history.asksToRead ? gatherer(name(), look) : look())
  if (result.kind === 'refused') throw badRequest(`The message was rejected: ${result.reason}`)
  const { id, subject } = result
  if (subject !== null) await note({ merchant_id, methodId, id, method, subject })
}

async function readMessage(
  { clock, publicUrl, payments }: MessageServices,
  { merchant_id, methodId, headers, body }: IncomingMessage,
  { code, config: storedConfig, is_sandbox }: MethodOrDeleted,
  history: NonNullable<GatewayAdapter['history']>,
): Promise<ParsedMessage> {
  // Never taken from the request, because its sender chooses the host.
  const url = (publicUrl ?? '') + messagePath(merchant_id, methodId)
  try {
    const config = await payments.credentials.open({ merchant_id, methodId, gateway: code }, storedConfig)
    return await withDeadline(READ_MS, (signal) =>
      history.readMessage({ merchant_id, config, is_sandbox, headers, body, url, now: clock.now(), signal }),
    )
  } catch (error) {
    if (error instanceof GatewayUnavailable)
      throw Object.assign(unavailable('The message cannot be checked at the moment. Send it again.'), { cause: error })
    throw error
  }
}

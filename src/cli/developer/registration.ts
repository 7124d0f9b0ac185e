// The webhook of `cartwright listen`: one per machine, shop and mode. Its description carries the end of its secret's hash, by which it is
// found again. The secret is created once and kept, so that receivers can keep it in their settings.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '../../config.ts'
import type { Call, ServiceAddress } from '../client/call.ts'
import { fileInDataDir, readPrivateFile, userConfigFile, writePrivateFile } from '../client/private-file.ts'
import type { DeliveryToForward } from './forward.ts'
import { iterateWebhooks, type ListedApiWebhook } from './webhooks.ts'

const FILE = 'listen.json'
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/** One secret for the service of this machine, and one for each service elsewhere. So no service can sign in the name of another. */
export async function loadListenSecret(config: Config, { origin, isLocal }: ServiceAddress): Promise<string> {
  const file = isLocal ? fileInDataDir(config, FILE) : userConfigFile(FILE)
  const name = isLocal ? 'here' : origin
  const storedSecrets = await readPrivateFile(file)
  const storedSecret = storedSecrets[name]
  if (typeof storedSecret === 'string' && SECRET.test(storedSecret)) return storedSecret
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await writePrivateFile(file, { ...storedSecrets, [name]: secret })
  return secret
}

const secretMark = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 10)

/** Returns the id of the webhook, enabled and subscribed to these events. */
export async function registerListener(call: Call, secret: string, events: readonly string[]): Promise<string> {
  const mark = `(${secretMark(secret)})`
  const own: ListedApiWebhook[] = []
  for await (const webhook of iterateWebhooks(call))
    if (webhook.transport === 'listen' && webhook.description.endsWith(mark)) own.push(webhook)
  const [first, ...others] = own.sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
  // Two commands that started together created one webhook each, so every event would come twice.
  for (const { id } of others) await call('DELETE', `/v1/webhooks/${id}`)
  if (first === undefined) {
    const body = {
      transport: 'listen',
      subscribed_events: events,
      description: `cartwright listen on ${hostname()} ${mark}`,
      signing_key: secret,
    }
    const newWebhook = await call<ListedApiWebhook>('POST', '/v1/webhooks', body, { isInShopVersion: true })
    return newWebhook.id
  }
  const isSame = [...first.subscribed_events].sort().join() === [...events].sort().join()
  if (!isSame || !first.active)
    await call('PUT', `/v1/webhooks/${first.id}`, { subscribed_events: events, active: true })
  return first.id
}

/** False if somebody gave the webhook another secret: the receiver would refuse everything, with no visible reason. */
export function isSignedWith(secret: string, { headers, body }: DeliveryToForward): boolean {
  const header = (name: string) => Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? ''
  const content = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`)
  return header('webhook-signature')
    .split(' ')
    .some((each) => each.length === expected.length && timingSafeEqual(Buffer.from(each), expected))
}

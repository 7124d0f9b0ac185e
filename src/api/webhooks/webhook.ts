// The rules of webhooks: allowed URLs, changes, and rotation of the signing secret.

import { isIP } from 'node:net'
import type { Static } from 'typebox'
import { LOGIN_TOKEN_EVENT } from '../../events/catalogue.ts'
import { canIssueTokens } from '../../http/endpoint/caller.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { enqueueWithCommit } from '../../jobs/queue.ts'
import { isPublicAddress } from '../../lib/addresses.ts'
import { forbidden } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { parseHttpUrl } from '../../outbound/guarded-request.ts'
import { withRecord } from '../context.ts'
import type { CreateWebhook, UpdateWebhook, Webhook } from './schema.ts'
import { encryptSecret, newSecret, SECRET_RULE, secretBytes } from './secret.ts'
import { SKIP_QUEUE } from './sending/record.ts'
import {
  changeWebhookSecret,
  countWebhooks,
  deleteWebhookRow,
  insertWebhook,
  lockWebhook,
  updateWebhookRow,
  type WebhookColumns,
  type WebhookRow,
} from './store.ts'

export type WebhookContext = Pick<Context, 'db' | 'clock' | 'caller' | 'webhooks'>

/** Maximum number of webhooks per shop and mode. Each event may cause a delivery to all of them. */
const MAX_WEBHOOKS = 20

/** Time in which both secrets sign, so that receivers can switch to the new one. */
const ROTATION_MS = 86_400_000

/** Job that deletes the deliveries of a deleted webhook. */
export const DELETE_DELIVERIES = 'webhooks.delete_deliveries'

/**
 * Context of rules that return a signing key. `markNotFinal` keeps the reply, and so the key, from being stored for a repeated
 * Idempotency-Key. A repeated request therefore creates another signing key.
 */
type SecretContext = WebhookContext & Pick<Context, 'markNotFinal'>

/** `version` is the API version of the request. The webhook gets it if the body names none. */
export async function createWebhook(
  { db, clock, caller, webhooks, markNotFinal }: SecretContext,
  body: Static<typeof CreateWebhook>,
  version: string,
): Promise<Webhook> {
  markNotFinal()
  const { transport = 'http', active = true, description = '', signing_key = newSecret() } = body
  const problems = new Problems()
  if (transport === 'listen' && body.url !== undefined)
    problems.refused('url', 'must be omitted if transport is listen: deliveries are fetched')
  if (transport === 'http' && body.url === undefined) problems.malformed('url', 'is required')
  if (secretBytes(signing_key) === null) problems.malformed('signing_key', SECRET_RULE)
  const columns: WebhookColumns = {
    transport,
    url: body.url ?? null,
    subscribed_events: distinct(body.subscribed_events),
    description,
    version: body.version ?? version,
    disabled_reason: active ? null : 'by_you',
  }
  checkColumns(problems, columns, caller.is_sandbox, webhooks)
  refuseLoginLinks(caller, columns)
  const now = clock.now()
  const id = newId('webhook', now)
  const key = { merchant_id: caller.merchant_id, webhookId: id }
  const encryptedSecret = await encryptSecret(webhooks.credentials, key, signing_key)
  const row = await db.transaction(async (tx) => {
    if ((await countWebhooks(tx, caller)) >= MAX_WEBHOOKS) {
      const limitProblem = new Problems()
      limitProblem.refusedAs(
        'url',
        `A shop can have ${MAX_WEBHOOKS} webhooks in each mode. Delete one that is not needed.`,
      )
      limitProblem.throwIfAny()
    }
    return insertWebhook(tx, caller, id, columns, encryptedSecret, now)
  })
  return { ...viewWebhook(row), signing_key }
}

export const updateWebhook = (
  context: WebhookContext,
  id: string,
  body: Static<typeof UpdateWebhook>,
): Promise<Webhook> =>
  withRecord(context, 'webhook', lockWebhook, id, async (tx, current, now) => {
    const { caller, webhooks } = context
    const problems = new Problems()
    if (current.transport === 'listen' && body.url !== undefined)
      problems.refused('url', 'must be omitted if transport is listen: deliveries are fetched')
    const columns: WebhookColumns = {
      transport: current.transport,
      url: body.url ?? current.url,
      subscribed_events: distinct(body.subscribed_events ?? current.subscribed_events),
      description: body.description ?? current.description,
      version: body.version ?? current.version,
      disabled_reason: disabledReasonAfter(current, body.active),
    }
    refuseLoginLinks(caller, current)
    checkColumns(problems, columns, caller.is_sandbox, webhooks)
    refuseLoginLinks(caller, columns)
    const isEnabled = columns.disabled_reason === null
    const resetsHealth = isEnabled && (current.disabled_reason !== null || columns.url !== current.url)
    const row = await updateWebhookRow(tx, caller, id, columns, resetsHealth, now)
    if (!isEnabled && current.disabled_reason === null)
      enqueueWithCommit(tx, { ...webhookJob(context, id), kind: SKIP_QUEUE, runAt: now })
    return viewWebhook(row)
  })

/** Reason after a change. A webhook that was disabled automatically keeps its reason until the merchant sets `active`. */
const disabledReasonAfter = ({ disabled_reason }: WebhookRow, active: boolean | undefined) => {
  if (active === undefined) return disabled_reason
  return active ? null : (disabled_reason ?? 'by_you')
}

export const deleteWebhook = (context: WebhookContext, id: string): Promise<void> =>
  withRecord(context, 'webhook', deleteWebhookRow, id, async (tx, _row, now) =>
    enqueueWithCommit(tx, { ...webhookJob(context, id), kind: DELETE_DELIVERIES, runAt: now }),
  )

const webhookJob = ({ caller }: WebhookContext, webhookId: string) => ({
  merchant_id: caller.merchant_id,
  key: webhookId,
  payload: { webhookId },
})

/**
 * Rotates the signing secret: both the new one and the previous one sign for a day. A second rotation within the day replaces the newer
 * secret, because receivers may know only the oldest. `finishNow` ends the rotation in progress, so that only its new secret signs. If there
 * is no rotation, `finishNow` replaces the secret at once.
 */
export const rotateSecret = (context: SecretContext, id: string, finishNow: boolean): Promise<Webhook> => {
  context.markNotFinal()
  return withRecord(context, 'webhook', lockWebhook, id, async (tx, current, now) => {
    const { caller, webhooks } = context
    refuseLoginLinks(caller, current)
    const isRotating = current.previous_secret !== null && (current.previous_until ?? 0) * 1_000 > now.getTime()
    const changeSecret = async (secrets: Parameters<typeof changeWebhookSecret>[3]) =>
      viewWebhook(await changeWebhookSecret(tx, caller, id, secrets, now))
    const noPreviousSecret = { previous_secret: null, previous_until: null }
    if (finishNow && isRotating) return changeSecret({ secret: current.secret, ...noPreviousSecret })
    const signing_key = newSecret()
    const secret = await encryptSecret(
      webhooks.credentials,
      { merchant_id: caller.merchant_id, webhookId: id },
      signing_key,
    )
    const previousSecret = {
      previous_secret: isRotating ? current.previous_secret : current.secret,
      previous_until: new Date(now.getTime() + ROTATION_MS),
    }
    return { ...(await changeSecret({ secret, ...(finishNow ? noPreviousSecret : previousSecret) })), signing_key }
  })
}

/**
 * A login link opens a customer's account. A caller who may not log in as a customer may not subscribe a webhook to login links. Such a
 * caller may not read or change a subscribed webhook either: with another URL or secret, the caller would receive the links.
 */
export function refuseLoginLinks(
  caller: WebhookContext['caller'],
  { subscribed_events }: Pick<WebhookColumns, 'subscribed_events'>,
) {
  if (canIssueTokens(caller) || !subscribed_events.includes(LOGIN_TOKEN_EVENT)) return
  const { role } = caller.account ?? { role: 'public key' }
  throw forbidden(
    `As ${role} you may not receive ${LOGIN_TOKEN_EVENT} of live customers, nor change a webhook that does: its links open their accounts. An owner or manager may.`,
  )
}

function checkColumns(
  problems: Problems,
  { url, subscribed_events, version }: WebhookColumns,
  is_sandbox: boolean,
  { hasVersion, allowsPrivateAddresses }: WebhookContext['webhooks'],
) {
  if (url !== null && !problems.has('url')) checkUrl(problems, url, is_sandbox, allowsPrivateAddresses)
  if (!hasVersion(version)) problems.refused('version', 'must be the date of an API version')
  if (subscribed_events.length === 0) problems.malformed('subscribed_events', 'must name an event')
  problems.throwIfAny()
}

/** Checks only the text of the URL. Each attempt resolves the host name and checks its address, because that may change. */
function checkUrl(problems: Problems, text: string, is_sandbox: boolean, allowsPrivateAddresses: boolean) {
  const url = parseHttpUrl(text)
  if (url === null)
    return problems.malformed('url', 'must be an absolute http or https address without a user name or password')
  if (!is_sandbox && url.protocol !== 'https:') problems.refused('url', 'must begin with https:// for live events')
  if (!allowsPrivateAddresses && isPrivate(url.hostname))
    problems.refused(
      'url',
      'must lead to a server on the public internet. Use cartwright listen to test on your own machine',
    )
}

function isPrivate(hostname: string): boolean {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (isIP(literal) !== 0) return !isPublicAddress(literal)
  return /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(literal) || !literal.includes('.')
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)]

export const viewWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  transport: row.transport,
  subscribed_events: row.subscribed_events,
  description: row.description,
  active: row.disabled_reason === null,
  state: stateOf(row),
  disabled_reason: row.disabled_reason,
  version: row.version,
  failing_since: row.failing_since,
  last_delivered: row.last_delivered,
  previous_key_until: row.previous_until,
  created: row.created,
  updated: row.updated,
})

function stateOf({ disabled_reason, failing_since }: WebhookRow): Webhook['state'] {
  if (disabled_reason !== null) return 'disabled'
  return failing_since === null ? 'enabled' : 'failing'
}

// The rules of the gateways that merchants set up: which may be there once and for which mode, and how a config is judged by the fields that
// the gateway names, merged, and shown without its secrets.

import type { Tx } from '../../db/db.ts'
import { type Shop, unlessTaken } from '../../db/records.ts'
import type { GatewayConfig } from '../../gateways/call.ts'
import { type ConfigField, canCharge, type Gateway, hasCredentials, type Payments } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import { eachIn } from '../../gateways/provider/messages.ts'
import { canWriteLive } from '../../http/endpoint/caller.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { forbidden, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { announceChange, markLiveSeller } from '../merchants/store.ts'
import { MASK, maskOf } from './credentials.ts'
import { learnedIn, learnLater } from './learn.ts'
import type { GatewayChanges, GatewayRecord, NewGateway } from './schema.ts'
import {
  deletePaymentMethodRow,
  insertPaymentMethod,
  lockPaymentMethod,
  type PaymentMethodColumns,
  type PaymentMethodRow,
  updatePaymentMethodRow,
} from './store.ts'

type GatewayContext = RuleContext & { readonly payments: Pick<Payments, 'credentials'> }

export async function createPaymentMethod(
  { db, clock, caller, payments }: GatewayContext,
  body: NewGateway,
): Promise<GatewayRecord> {
  const gateway = getGateway(body.code)
  const is_sandbox = gateway.isSandboxOnly || caller.isSandbox
  const blank = { is_sandbox, is_simulated: false, config: {}, is_enabled: true }
  const { columns, entered } = mergeChanges(gateway, blank, body, caller)
  refuseLiveWrite(caller, columns)
  const now = clock.now()
  const id = newId('gateway', now)
  const config = await payments.credentials.seal(ownerOf(caller, id, gateway), columns.config, entered)
  const method = { ...columns, config, code: gateway.code, is_single: !gateway.isRepeatable }
  const row = await db.transaction(async (tx) => {
    const made = await insertPaymentMethod(tx, caller, id, method, now)
    if (made === null) return null
    await learnLater(tx, caller, gateway, made, now)
    await noteLiveSales(tx, caller, made, now)
    return made
  })
  if (row === null)
    throw notValid({
      code: [`code must be new: ${modeOf(columns)} ${gateway.code} is set up already. Change that one instead.`],
    })
  return viewPaymentMethod(row, caller)
}

export const updatePaymentMethod = (
  context: GatewayContext,
  id: string,
  body: GatewayChanges,
): Promise<GatewayRecord> =>
  withRecord(context, 'gateway', lockPaymentMethod, id, async (tx, current, now) => {
    const gateway = getGateway(current.code)
    if (body.code !== undefined && body.code !== gateway.code)
      throw notValid({
        code: [`code cannot be changed from ${gateway.code}; set up the other gateway beside this one.`],
      })
    const { caller, payments } = context
    refuseLiveWrite(caller, current)
    const { columns, entered, isSameAccount } = mergeChanges(gateway, current, body, caller)
    refuseLiveWrite(caller, columns)
    const config = await payments.credentials.seal(ownerOf(caller, id, gateway), columns.config, entered)
    const write = updatePaymentMethodRow(tx, caller, id, { ...columns, config, isSameAccount }, now)
    const refusal = () =>
      notValid({ sandbox: [`sandbox must stay: ${modeOf(columns)} ${gateway.code} is set up already.`] })
    const row = await unlessTaken(write, 'payment_methods_single_unique', refusal)
    await learnLater(tx, caller, gateway, row, now)
    await noteLiveSales(tx, caller, row, now)
    return viewPaymentMethod(row, caller)
  })

export const deletePaymentMethod = (context: RuleContext, id: string): Promise<void> =>
  withRecord(context, 'gateway', lockPaymentMethod, id, async (tx, current, now) => {
    refuseLiveWrite(context.caller, current)
    await deletePaymentMethodRow(tx, context.caller, id, now)
  })

/** Without this, a key of the sandbox could send live money to another account, or change the bank account that live shoppers are shown. */
function refuseLiveWrite(caller: RuleContext['caller'], { is_sandbox }: Pick<PaymentMethodColumns, 'is_sandbox'>) {
  if (!is_sandbox && !canWriteLive(caller))
    throw forbidden(
      caller.account === undefined
        ? 'This gateway takes live payments: set it up, change it or delete it with a live secret key (sk_…).'
        : `As ${caller.account.role} you may not set up, change or delete gateways that take live payments: an owner may.`,
    )
}

/** With its first live gateway that is switched on, a shop begins to sell live. Nothing changes that back. */
async function noteLiveSales(tx: Tx, { merchantId }: Shop, row: PaymentMethodRow, now: Date) {
  if (row.is_sandbox || !row.is_enabled) return
  if (await markLiveSeller(tx, merchantId, now)) await announceChange(tx)
}

const ownerOf = ({ merchantId }: Pick<Caller, 'merchantId'>, methodId: string, { code: gateway }: Gateway) => ({
  merchantId,
  methodId,
  gateway,
})

function getGateway(code: string): Gateway {
  const gateway = findGateway(code)
  if (gateway === undefined)
    throw notValid({ code: [`code ${code} names a gateway that only a newer release of this service knows.`] })
  return gateway
}

/** `entered`: the fields of the config that were sent now, as they were sent. The others are as they are stored. */
type Merged = {
  readonly columns: PaymentMethodColumns
  readonly entered: ReadonlySet<string>
  readonly isSameAccount: boolean
}

/** What the method becomes: fields sent replace, fields left out stay. Throws when the result breaks a rule. */
function mergeChanges(
  gateway: Gateway,
  current: PaymentMethodColumns,
  body: GatewayChanges,
  caller: Pick<Caller, 'isSandbox'>,
): Merged {
  const problems = new Problems()
  const isSimulated = body.simulated ?? current.is_simulated
  const { config, entered } = mergeConfig(gateway, current.config, body.config ?? {}, isSimulated, problems)
  problems.throwIfAny()
  if (gateway.isSandboxOnly && body.sandbox === false)
    throw notValid({ sandbox: [`sandbox must be true for ${gateway.code}, which works in the sandbox only.`] })
  const isSandbox = body.sandbox ?? current.is_sandbox
  const isSwitchedOn = isSimulated && !current.is_simulated
  if (isSimulated) refuseSimulation(gateway, { isSandbox, config, mayBegin: !isSwitchedOn || caller.isSandbox })
  const isUsable = canCharge(gateway, isSimulated)
  if (body.enabled === true && !isUsable) throw notValid({ enabled: [cannotCharge(gateway)] })
  // Who switches a simulation on wants to use it.
  const isEnabled = body.enabled ?? (isSwitchedOn || current.is_enabled)
  // What is not required, as the secret of messages, is not what an account is known by. A secret that was sent anew may be of another one.
  const isKnownBy = (name: string) =>
    gateway.accountField === undefined ? gateway.config[name]?.isRequired : name === gateway.accountField
  const isSameAccount =
    isSandbox === current.is_sandbox &&
    isSimulated === current.is_simulated &&
    [...entered].every((name) => !isKnownBy(name) || config[name] === current.config[name])
  const columns = {
    is_sandbox: isSandbox,
    is_simulated: isSimulated,
    config: isSameAccount ? { ...config, ...learnedIn(gateway, current.config) } : config,
    is_enabled: isEnabled && isUsable,
  }
  return { columns, entered, isSameAccount }
}

const cannotCharge = ({ code, simulation }: Gateway): string =>
  `enabled must be false: ${code} cannot take payments yet${simulation ? '. In the sandbox it can be tried out with simulated: true, without credentials' : ''}.`

type WantedSimulation = {
  readonly isSandbox: boolean
  readonly config: GatewayConfig
  /** Whether the caller's key may switch it on, or it is on already. */
  readonly mayBegin: boolean
}

/** Nothing that is made up may come near a live shop, nor stand beside credentials: nobody could tell which of the two takes the money. */
function refuseSimulation(gateway: Gateway, { isSandbox, config, mayBegin }: WantedSimulation) {
  const { code } = gateway
  const credentials = Object.keys(config).filter((name) => gateway.config[name]?.isSecret)
  if (gateway.simulation === undefined)
    throw notValid({ simulated: [`simulated must be false for ${code}: it needs no account to be tried out.`] })
  if (!mayBegin) throw notValid({ simulated: ['simulated can be switched on with a secret key of the sandbox alone.'] })
  if (!isSandbox)
    throw notValid({ sandbox: ['sandbox must be true where simulated is: nothing is made up for live keys.'] })
  if (credentials.length > 0)
    throw notValid({
      simulated: [
        `simulated must be false where there are credentials: config.${credentials.join(', config.')}. To use them, send simulated: false; to simulate, send null for each of them.`,
      ],
    })
}

const modeOf = ({ is_sandbox }: PaymentMethodColumns) => (is_sandbox ? 'a sandbox' : 'a live')

/** Field by field, in the newest form, without its secrets. */
export function viewPaymentMethod(row: PaymentMethodRow, { merchantId }: Shop): GatewayRecord {
  const gateway = findGateway(row.code)
  return {
    id: row.id,
    code: row.code,
    name: gateway?.name ?? row.code,
    // An older release, or a newer one, may have switched on what cannot be charged here.
    enabled: row.is_enabled && (gateway === undefined || canCharge(gateway, row.is_simulated)),
    sandbox: row.is_sandbox,
    simulated: row.is_simulated,
    // Nothing of one that only a newer release knows: nobody here can tell its secrets.
    config: gateway === undefined ? {} : viewConfig(gateway, row.config),
    webhook_path:
      gateway !== undefined && hasCredentials(gateway) && !row.is_simulated ? messagePath(merchantId, row.id) : null,
    created: row.created,
    updated: row.updated,
  }
}

/** Where the provider of a gateway that a merchant has set up sends its messages. */
export const MESSAGE_PATH = '/gateway-webhooks/:merchant_id/:id'

export const messagePath = (merchantId: number, id: string): string => `/gateway-webhooks/${merchantId}/${id}`

const LONGEST = 10_000

/** Every field the gateway has, those that are not set as null. */
const viewConfig = (gateway: Gateway, config: GatewayConfig): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(gateway.config).map(([name, { isSecret }]) => {
      const value = config[name]
      if (value === undefined) return [name, null]
      return [name, isSecret ? maskOf(value) : value]
    }),
  )

/**
 * Fields that are sent replace, those left out stay, null takes away. What the gateway does not name is left out. A simulation requires
 * nothing.
 */
function mergeConfig(
  gateway: Gateway,
  current: GatewayConfig,
  sent: Readonly<Record<string, unknown>>,
  isSimulated: boolean,
  problems: Problems,
): { config: GatewayConfig; entered: ReadonlySet<string> } {
  const config: Record<string, string> = {}
  const entered = new Set<string>()
  for (const [name, field] of Object.entries(gateway.config)) {
    const { isRequired, isSecret } = field
    const path = `config.${name}`
    const before = current[name]
    // A record that is read, edited and sent back carries masks: they stand for the secrets behind them.
    const isKept = isSecret && before !== undefined && sent[name] === maskOf(before)
    const isNew = sent[name] !== undefined && !isKept
    const value = isNew ? sent[name] : before
    const problem =
      value === undefined || value === null
        ? isRequired && !isSimulated && 'is required'
        : isNew && brokenRule(value, field)
    if (problem) problems.malformed(path, problem)
    else if (typeof value === 'string') {
      config[name] = value
      if (isNew) entered.add(name)
    }
  }
  return { config, entered }
}

/** No sentence repeats the value: it may be a secret, also in a field that asks for none. */
function brokenRule(value: unknown, { isSecret, beginsWith, oneOf, mayBeTwo }: ConfigField): string | null {
  if (typeof value !== 'string') return 'must be a string'
  if (value.trim() === '') return 'must not be empty'
  if (value.length > LONGEST) return `must be at most ${LONGEST} characters long`
  // Kept as it is, it would replace a secret that works by asterisks.
  if (isSecret && value.startsWith(MASK))
    return 'is masked; send the whole secret, or leave it out to keep the one there is'
  if (oneOf && !oneOf.includes(value)) return `must be ${oneOf.join(' or ')}`
  const values = mayBeTwo ? eachIn(value) : [value]
  // It goes into the head of a request, or is compared with one.
  if (isSecret && /[^\x20-\x7e]/.test(value))
    return 'must be the secret itself: it holds a character that no secret has, such as "…"'
  // One that has blanks or commas in it would be taken apart, and never be found right.
  if (values.length < 1 || values.length > 2)
    return 'must be one value, or two with a comma or a blank between them: the old and the new, while one replaces the other'
  if (beginsWith && !values.every((each) => beginsWith.some((prefix) => each.startsWith(prefix))))
    return `must begin with ${beginsWith.join(' or ')}`
  return null
}

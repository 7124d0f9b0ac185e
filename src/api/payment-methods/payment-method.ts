// Rules of the gateways that merchants set up: which may exist only once, and for which mode. A config is checked by the fields of its
// gateway, merged, and shown without its secrets.

import type { Shop, Tx } from '../../db/db.ts'
import { translateUniqueViolation } from '../../db/records.ts'
import type { GatewayConfig } from '../../gateways/call.ts'
import { type GatewayConfigField, hasCredentials } from '../../gateways/config-fields.ts'
import { canCharge, type GatewayDefinition, type PaymentGateways } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import { splitValues } from '../../gateways/provider/messages.ts'
import { canWriteLive } from '../../http/endpoint/caller.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { forbidden, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { announceChange, markLiveSeller } from '../merchants/store.ts'
import { MASK, maskSecret } from './credentials.ts'
import { knownAccountFacts, scheduleAccountFacts } from './learn.ts'
import type { GatewayChanges, GatewayRecord, NewGateway } from './schema.ts'
import {
  deletePaymentMethodRow,
  insertPaymentMethod,
  lockPaymentMethod,
  type PaymentMethodColumns,
  type PaymentMethodRow,
  updatePaymentMethodRow,
} from './store.ts'

type GatewayContext = RuleContext & { readonly payments: Pick<PaymentGateways, 'credentials'> }

export async function createPaymentMethod(
  { db, clock, caller, payments }: GatewayContext,
  body: NewGateway,
): Promise<GatewayRecord> {
  const gateway = getGateway(body.code)
  const is_sandbox = gateway.isSandboxOnly || caller.is_sandbox
  const blank = { is_sandbox, is_simulated: false, config: {}, is_enabled: true }
  const { columns, entered } = mergeChanges(gateway, blank, body, caller)
  refuseLiveWrite(caller, columns)
  const now = clock.now()
  const id = newId('gateway', now)
  const config = await payments.credentials.seal(ownerOf(caller, id, gateway), columns.config, entered)
  const method = { ...columns, config, code: gateway.code, is_single: !gateway.isRepeatable }
  const row = await db.transaction(async (tx) => {
    const insertedMethod = await insertPaymentMethod(tx, caller, id, method, now)
    if (insertedMethod === null) return null
    await scheduleAccountFacts(tx, caller, gateway, insertedMethod, now)
    await noteLiveSales(tx, caller, insertedMethod, now)
    return insertedMethod
  })
  if (row === null)
    throw notValid({
      code: [`code must be new: ${modeOf(columns)} ${gateway.code} is already set up. Change that gateway instead.`],
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
        code: [`code cannot be changed from ${gateway.code}: set up another gateway instead.`],
      })
    const { caller, payments } = context
    refuseLiveWrite(caller, current)
    const { columns, entered, isSameAccount } = mergeChanges(gateway, current, body, caller)
    refuseLiveWrite(caller, columns)
    const config = await payments.credentials.seal(ownerOf(caller, id, gateway), columns.config, entered)
    const write = updatePaymentMethodRow(tx, caller, id, { ...columns, config, isSameAccount }, now)
    const refusal = () =>
      notValid({ sandbox: [`sandbox cannot be changed: ${modeOf(columns)} ${gateway.code} is already set up.`] })
    const row = await translateUniqueViolation(write, 'payment_methods_single_unique', refusal)
    await scheduleAccountFacts(tx, caller, gateway, row, now)
    await noteLiveSales(tx, caller, row, now)
    return viewPaymentMethod(row, caller)
  })

export const deletePaymentMethod = (context: RuleContext, id: string): Promise<void> =>
  withRecord(context, 'gateway', lockPaymentMethod, id, async (tx, current, now) => {
    refuseLiveWrite(context.caller, current)
    await deletePaymentMethodRow(tx, context.caller, id, now)
  })

/** Without this check, a sandbox key could send live money to another account, or change the bank account that live shoppers see. */
function refuseLiveWrite(caller: RuleContext['caller'], { is_sandbox }: Pick<PaymentMethodColumns, 'is_sandbox'>) {
  if (!is_sandbox && !canWriteLive(caller))
    throw forbidden(
      caller.account === undefined
        ? 'This gateway takes live payments. Use a live secret key (sk_…) to set it up, change it or delete it.'
        : `Only an owner may set up, change or delete gateways that take live payments. Your role is ${caller.account.role}.`,
    )
}

/** A shop begins to sell live with its first enabled live gateway. Nothing reverses that. */
async function noteLiveSales(tx: Tx, { merchant_id }: Shop, row: PaymentMethodRow, now: Date) {
  if (row.is_sandbox || !row.is_enabled) return
  if (await markLiveSeller(tx, { merchant_id }, now)) await announceChange(tx)
}

const ownerOf = (
  { merchant_id }: Pick<Caller, 'merchant_id'>,
  methodId: string,
  { code: gateway }: GatewayDefinition,
) => ({
  merchant_id,
  methodId,
  gateway,
})

function getGateway(code: string): GatewayDefinition {
  const gateway = findGateway(code)
  if (gateway === undefined)
    throw notValid({ code: [`code ${code} is a gateway that needs a newer release of this service.`] })
  return gateway
}

/** `entered`: the fields of the config that this request has sent, as they were sent. The others are as they are stored. */
type MergedMethod = {
  readonly columns: PaymentMethodColumns
  readonly entered: ReadonlySet<string>
  readonly isSameAccount: boolean
}

/** The method after the change: fields that were sent replace, omitted fields stay. Throws if the result breaks a rule. */
function mergeChanges(
  gateway: GatewayDefinition,
  current: PaymentMethodColumns,
  body: GatewayChanges,
  caller: Pick<Caller, 'is_sandbox'>,
): MergedMethod {
  const problems = new Problems()
  const isSimulated = body.simulated ?? current.is_simulated
  const { config, entered } = mergeConfig(gateway, current.config, body.config ?? {}, isSimulated, problems)
  problems.throwIfAny()
  if (gateway.isSandboxOnly && body.sandbox === false)
    throw notValid({ sandbox: [`sandbox must be true for ${gateway.code}, which works in the sandbox only.`] })
  const is_sandbox = body.sandbox ?? current.is_sandbox
  const isSwitchedOn = isSimulated && !current.is_simulated
  if (isSimulated) refuseSimulation(gateway, { is_sandbox, config, mayBegin: !isSwitchedOn || caller.is_sandbox })
  const isUsable = canCharge(gateway, isSimulated)
  if (body.enabled === true && !isUsable) throw notValid({ enabled: [cannotCharge(gateway)] })
  // A merchant who switches a simulation on wants to use it.
  const isEnabled = body.enabled ?? (isSwitchedOn || current.is_enabled)
  // Optional fields, such as the secret of messages, do not identify an account. A secret that was entered again may belong to another
  // account.
  const isAccountField = (name: string) =>
    gateway.accountField === undefined ? gateway.config[name]?.isRequired : name === gateway.accountField
  const isSameAccount =
    is_sandbox === current.is_sandbox &&
    isSimulated === current.is_simulated &&
    [...entered].every((name) => !isAccountField(name) || config[name] === current.config[name])
  const columns = {
    is_sandbox,
    is_simulated: isSimulated,
    config: isSameAccount ? { ...config, ...knownAccountFacts(gateway, current.config) } : config,
    is_enabled: isEnabled && isUsable,
  }
  return { columns, entered, isSameAccount }
}

const cannotCharge = ({ code, createSimulation }: GatewayDefinition): string =>
  `enabled must be false: ${code} cannot take payments yet${createSimulation ? '. To try it in the sandbox without credentials, send simulated: true' : ''}.`

type SimulationRequest = {
  readonly is_sandbox: boolean
  readonly config: GatewayConfig
  /** True if the caller's key may switch it on, or if it is on already. */
  readonly mayBegin: boolean
}

/** A simulation must not come near a live shop, nor exist beside credentials. Nobody could tell which of the two takes the money. */
function refuseSimulation(gateway: GatewayDefinition, { is_sandbox, config, mayBegin }: SimulationRequest) {
  const { code } = gateway
  const credentials = Object.keys(config).filter((name) => gateway.config[name]?.isSecret)
  if (gateway.createSimulation === undefined)
    throw notValid({ simulated: [`simulated must be false for ${code}: you can try it without an account.`] })
  if (!mayBegin)
    throw notValid({ simulated: ['simulated can be switched on only with a sandbox secret key (sk_test_…).'] })
  if (!is_sandbox)
    throw notValid({ sandbox: ['sandbox must be true when simulated is true: live payments cannot be simulated.'] })
  if (credentials.length > 0)
    throw notValid({
      simulated: [
        `simulated must be false while credentials are set: config.${credentials.join(', config.')}. To use them, send simulated: false. To simulate, send null for each of them.`,
      ],
    })
}

const modeOf = ({ is_sandbox }: PaymentMethodColumns) => (is_sandbox ? 'a sandbox' : 'a live')

/** Maps a row to its newest API form, field by field, without its secrets. */
export function viewPaymentMethod(row: PaymentMethodRow, { merchant_id }: Shop): GatewayRecord {
  const gateway = findGateway(row.code)
  return {
    id: row.id,
    code: row.code,
    name: gateway?.name ?? row.code,
    // Another release may have switched on a gateway that cannot charge here.
    enabled: row.is_enabled && (gateway === undefined || canCharge(gateway, row.is_simulated)),
    sandbox: row.is_sandbox,
    simulated: row.is_simulated,
    // Shows nothing of a gateway that only a newer release knows, because its secrets are unknown here.
    config: gateway === undefined ? {} : viewConfig(gateway, row.config),
    webhook_path:
      gateway !== undefined && hasCredentials(gateway) && !row.is_simulated ? messagePath(merchant_id, row.id) : null,
    created: row.created,
    updated: row.updated,
  }
}

/** Address to which the provider of a gateway sends its messages. */
export const MESSAGE_PATH = '/gateway-webhooks/:merchant_id/:id'

export const messagePath = (merchant_id: number, id: string): string => `/gateway-webhooks/${merchant_id}/${id}`

const MAX_LENGTH = 10_000

/** Every field of the gateway; those that are not set are null. */
const viewConfig = (gateway: GatewayDefinition, config: GatewayConfig): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(gateway.config).map(([name, { isSecret }]) => {
      const value = config[name]
      if (value === undefined) return [name, null]
      return [name, isSecret ? maskSecret(value) : value]
    }),
  )

/**
 * Fields that were sent replace, omitted fields stay, and null removes a field. Fields that the gateway does not name are dropped. A
 * simulation requires no fields.
 */
function mergeConfig(
  gateway: GatewayDefinition,
  current: GatewayConfig,
  changes: Readonly<Record<string, unknown>>,
  isSimulated: boolean,
  problems: Problems,
): { config: GatewayConfig; entered: ReadonlySet<string> } {
  const config: Record<string, string> = {}
  const entered = new Set<string>()
  for (const [name, field] of Object.entries(gateway.config)) {
    const { isRequired, isSecret } = field
    const path = `config.${name}`
    const before = current[name]
    // A record that is read, edited and sent back contains masks. A mask keeps the stored secret.
    const isKept = isSecret && before !== undefined && changes[name] === maskSecret(before)
    const isNew = changes[name] !== undefined && !isKept
    const value = isNew ? changes[name] : before
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

/** No message repeats the value: it may be a secret, even in a field that should hold none. */
function brokenRule(value: unknown, { isSecret, beginsWith, oneOf, mayBeTwo }: GatewayConfigField): string | null {
  if (typeof value !== 'string') return 'must be a string'
  if (value.trim() === '') return 'must not be empty'
  if (value.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters long`
  // Storing a mask would replace a working secret by asterisks.
  if (isSecret && value.startsWith(MASK))
    return 'is masked: send the whole secret, or leave it out to keep the stored one'
  if (oneOf && !oneOf.includes(value)) return `must be ${oneOf.join(' or ')}`
  const values = mayBeTwo ? splitValues(value) : [value]
  // The value is sent in the header of a request, or compared with one.
  if (isSecret && /[^\x20-\x7e]/.test(value))
    return 'must be the secret itself: it contains a character that no secret has, such as "…"'
  // A value that contains blanks or commas would be split, and would never match.
  if (values.length < 1 || values.length > 2)
    return 'must be one value or, while you replace it, the old and the new value separated by a comma or space'
  if (beginsWith && !values.every((each) => beginsWith.some((prefix) => each.startsWith(prefix))))
    return `must begin with ${beginsWith.join(' or ')}`
  return null
}

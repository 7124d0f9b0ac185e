// A server in a process of its own, for the proofs to kill, stop and starve: the whole application with its jobs, and gateways that fail
// when they are told to. Its parent speaks with it by messages; it ends with its parent.

import { hastenAttempt } from '../../src/api/capture/store.ts'
import { createApp } from '../../src/app.ts'
import { leaveWith } from '../../src/cli/exit.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { type ConnectionSettings, openPool } from '../../src/db/pool.ts'
import type { GatewayAdapter } from '../../src/gateways/gateway.ts'
import { chargingWith } from '../../src/gateways/index.ts'
import { openBreaker } from '../../src/gateways/provider/breaker.ts'
import { providerClient } from '../../src/gateways/provider/client.ts'
import { testJournal } from '../../src/gateways/sandbox/journal-store.ts'
import { createLog } from '../../src/http/server/log.ts'
import { onCheckpoint, stopAt } from '../../src/lib/checkpoint.ts'
import type { MailServer } from '../../src/mail/smtp.ts'

/**
 * What the gateways do. `reset`: charge, and then break off; while `down` they break off before, and cannot be asked either. `late`: they
 * charge when the fault is over, and not before.
 */
type GatewayFault = 'none' | 'reset' | 'down' | 'late'

export type ServerSettings = {
  connection: ConnectionSettings
  dataDir: string
  settleSeconds: number
  poolSize?: number
  /** After which a request is refused that no connection has become free for. Longer than any waits, unless it is said. */
  waitMs?: number
  /** How many passings of each checkpoint never come back, from the first moment on. */
  park?: Readonly<Record<string, number>>
  withJobs?: boolean
  mailServer?: MailServer
  /** Servers in the places of payment providers, by the address that each provider has. */
  providers?: Readonly<Record<string, string>>
  /** Its address, where providers are to sign it. */
  publicUrl?: string
  /** Whether webhooks may lead to this machine. */
  allowPrivateAddresses?: boolean
  /** Its clock is so far ahead: it comes so much later than the others. */
  clockAheadMs?: number
  /** For a provider that is left alone no time passes but what the server is told of. */
  holdsBreaker?: boolean
}

export type Told =
  | { readonly park: Readonly<Record<string, number>> }
  | { readonly killAt: string }
  | { readonly fault: GatewayFault }
  /** So much time passes for a provider that is left alone because it is down. */
  | { readonly passMs: number }

export type Says = { readonly address: string } | { readonly parked: string } | { readonly done: true }

const settings = JSON.parse(process.env.CARTWRIGHT_FAULT_SERVER ?? '{}') as ServerSettings
const say = (message: Says) => void process.send?.(message)
const never = new Promise<never>(() => undefined)

let quotas: Record<string, number> = { ...settings.park }
let fault: GatewayFault = 'none'
let breakerAheadMs = 0

function park(next: Readonly<Record<string, number>>) {
  quotas = { ...next }
  onCheckpoint((name) => {
    const left = quotas[name] ?? 0
    if (left < 1) return undefined
    quotas[name] = left - 1
    say({ parked: name })
    return never
  })
}
park(quotas)

process.on('message', (told: Told) => {
  if ('park' in told) park(told.park)
  if ('killAt' in told) stopAt(`${told.killAt}:kill`)
  if ('passMs' in told) breakerAheadMs += told.passMs
  if ('fault' in told) void turnTo(told.fault).then(() => say({ done: true }))
  else say({ done: true })
})
process.on('disconnect', () => process.exit(0))

/** Also waits until those have charged who were late. */
async function turnTo(next: GatewayFault) {
  fault = next
  for (const charge of late.splice(0)) charge()
  await Promise.allSettled([...charging])
}
/** Charges that wait until their gateway is no longer late, and all that are under way. */
const late: (() => void)[] = []
const charging = new Set<Promise<unknown>>()

const { providers = {}, clockAheadMs } = settings
const providerAddress = (official: string) => providers[official] ?? official
const clock = { now: () => new Date(Date.now() + (clockAheadMs ?? 0)) }

const connectionReset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** A busy machine fails no proof. */
const patience = { waitMs: 90_000, statementTimeoutMs: 90_000 }

/** The usual gateways behind a line that breaks. The books have a pool of their own, as those of a processor would. */
function faultyCharging() {
  const books = openPool(settings.connection, { size: 2, onError: () => undefined, ...patience })
  const usual = chargingWith({
    journal: testJournal(books, clock),
    announce: async (merchantId, id) => void (await hastenAttempt(books, { merchant_id: merchantId, id }, clock.now())),
    http: providerClient(),
    address: providerAddress,
    clock,
  })
  const line = async <T>(call: () => Promise<T>): Promise<T> => {
    if (fault === 'down') throw connectionReset()
    return call()
  }
  return (code: string, isSimulated: boolean): GatewayAdapter | undefined => {
    const gateway = usual(code, isSimulated)
    if (gateway === undefined) return undefined
    return {
      ...gateway,
      charge: (request) => {
        const charged = line(async () => {
          // Deaf to the signal: as a request is that has left the house.
          if (fault === 'late') await new Promise<void>((resolve) => void late.push(resolve))
          const outcome = await gateway.charge(request)
          if (fault === 'reset') throw connectionReset()
          return outcome
        })
        charging.add(charged)
        const forget = () => void charging.delete(charged)
        charged.then(forget, forget)
        return charged
      },
      lookUp: (call) => {
        if (fault === 'reset') return Promise.reject(connectionReset())
        return line(() => gateway.lookUp(call))
      },
      cancel: (call) => line(() => gateway.cancel(call)),
    }
  }
}

const log = createLog('info')
const app = await createApp({
  connection: settings.connection,
  migrations: await readMigrations(),
  dataDir: settings.dataDir,
  log,
  captureSettleSeconds: settings.settleSeconds,
  charging: faultyCharging(),
  providerAddress,
  // Live keys work over HTTPS only, and each shopper has an address: what a proxy in front of it would say.
  trustProxy: () => true,
  breaker: openBreaker(() => (settings.holdsBreaker ? 0 : performance.now()) + breakerAheadMs),
  ...(clockAheadMs === undefined ? {} : { clock }),
  ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
  mailServer: settings.mailServer ?? null,
  allowPrivateAddresses: settings.allowPrivateAddresses ?? false,
  // The search for cards and secrets goes through what it keeps, too.
  requestLog: 'all',
  // Thousands of captures come from one address here.
  clientRequestsPerSecond: 0,
  pool: {
    ...patience,
    ...(settings.poolSize === undefined ? {} : { size: settings.poolSize }),
    ...(settings.waitMs === undefined ? {} : { waitMs: settings.waitMs }),
  },
})
const exit = leaveWith(log)
exit.beforeLeaving(() => app.close(10_000))
if (settings.withJobs ?? true) app.startJobs()
say({ address: await app.server.listen({ host: '127.0.0.1', port: 0 }) })
exit.ready()

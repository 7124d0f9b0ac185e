// A server in a separate process that proofs can kill, stop and starve. Messages of the parent control it, and it ends with its parent.

import { hastenAttempt } from '../../src/api/capture/store.ts'
import { createApp } from '../../src/app.ts'
import { installExitHandlers } from '../../src/cli/exit.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { type ConnectionSettings, openPool } from '../../src/db/pool.ts'
import type { GatewayAdapter } from '../../src/gateways/gateway.ts'
import { createAdapters } from '../../src/gateways/index.ts'
import { openBreaker } from '../../src/gateways/provider/breaker.ts'
import { providerClient } from '../../src/gateways/provider/client.ts'
import { testJournal } from '../../src/gateways/sandbox/journal-store.ts'
import { createLog } from '../../src/http/server/log.ts'
import { killAtCheckpoint, onCheckpoint } from '../../src/lib/checkpoint.ts'
import type { MailServer } from '../../src/mail/smtp.ts'

/**
 * Behaviour of the gateways. `reset`: charge, then disconnect. `down`: disconnect before charging, and answer no polls either. `late`:
 * charge only once the fault is over.
 */
type GatewayFault = 'none' | 'reset' | 'down' | 'late'

export type ServerSettings = {
  connection: ConnectionSettings
  dataDir: string
  settleSeconds: number
  poolSize?: number
  /** Time after which a request without a free connection is refused. The default is longer than any wait. */
  waitMs?: number
  /** How many requests to park for ever at each checkpoint, from the start. */
  park?: Readonly<Record<string, number>>
  withJobs?: boolean
  mailServer?: MailServer
  /** Provider doubles, by each provider's official address. */
  providers?: Readonly<Record<string, string>>
  /** Its address, for providers that sign it. */
  publicUrl?: string
  /** True if webhooks may point to this machine. */
  allowPrivateAddresses?: boolean
  /** How far its clock is ahead of the others'. */
  clockAheadMs?: number
  /** Freezes the circuit breaker's clock, except for `passMs` messages. */
  holdsBreaker?: boolean
}

export type Told =
  | { readonly park: Readonly<Record<string, number>> }
  | { readonly killAt: string }
  | { readonly fault: GatewayFault }
  /** Advances the circuit breaker's clock for a provider that is down. */
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
  if ('killAt' in told) killAtCheckpoint(`${told.killAt}:kill`)
  if ('passMs' in told) breakerAheadMs += told.passMs
  if ('fault' in told) void turnTo(told.fault).then(() => say({ done: true }))
  else say({ done: true })
})
process.on('disconnect', () => process.exit(0))

/** Also waits until the late charges are done. */
async function turnTo(next: GatewayFault) {
  fault = next
  for (const charge of late.splice(0)) charge()
  await Promise.allSettled([...charging])
}
/** Charges that wait until their gateway is no longer late, and all running ones. */
const late: (() => void)[] = []
const charging = new Set<Promise<unknown>>()

const { providers = {}, clockAheadMs } = settings
const providerAddress = (official: string) => providers[official] ?? official
const clock = { now: () => new Date(Date.now() + (clockAheadMs ?? 0)) }

const connectionReset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** Long timeouts: a busy machine fails no proof. */
const patience = { waitMs: 90_000, statementTimeoutMs: 90_000 }

/** The usual gateways behind a faulty connection. Their books have a separate pool, like those of a real processor. */
function faultyCharging() {
  const books = openPool(settings.connection, { size: 2, onError: () => undefined, ...patience })
  const usual = createAdapters({
    journal: testJournal(books, clock),
    announce: async (merchant_id, id) => void (await hastenAttempt(books, { merchant_id, id }, clock.now())),
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
          // It ignores the abort signal, like a request that is already on its way.
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
  findAdapter: faultyCharging(),
  providerAddress,
  // Trust the forwarded headers: live keys require HTTPS, and each shopper has a separate address.
  trustProxy: () => true,
  breaker: openBreaker(() => (settings.holdsBreaker ? 0 : performance.now()) + breakerAheadMs),
  ...(clockAheadMs === undefined ? {} : { clock }),
  ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
  mailServer: settings.mailServer ?? null,
  allowPrivateAddresses: settings.allowPrivateAddresses ?? false,
  // Log all requests, so that the search for cards and secrets covers the request log too.
  requestLog: 'all',
  // Thousands of captures come from one address here.
  clientRequestsPerSecond: 0,
  pool: {
    ...patience,
    ...(settings.poolSize === undefined ? {} : { size: settings.poolSize }),
    ...(settings.waitMs === undefined ? {} : { waitMs: settings.waitMs }),
  },
})
const exit = installExitHandlers(log)
exit.addExitStep(() => app.close(10_000))
if (settings.withJobs ?? true) app.startJobs()
say({ address: await app.server.listen({ host: '127.0.0.1', port: 0 }) })
exit.ready()

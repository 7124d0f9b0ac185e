// `cartwright listen`: forwards the events of a shop to a receiver on this machine, through a webhook that this command pulls from.

import { existsSync } from 'node:fs'
import { type Config, ConfigError } from '../../config.ts'
import { connectToService, resolveServiceAddress, SERVICE_OPTIONS, type ServiceValues } from '../client/reach.ts'
import { printLine, printNote, readArguments } from '../help.ts'
import { whenNpmEnds } from '../processes/npm.ts'
import { type DeliveryToForward, type ForwardResult, forwardDelivery, parseForwardTarget } from './forward.ts'
import { clockTime, colourOf, paint, printJsonLine, toTableCell } from './lines.ts'
import { type ListenerReporter, runListener } from './listener.ts'
import { isSignedWith, loadListenSecret, registerListener } from './registration.ts'

const ALL_EVENTS = '*'

export async function listenCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, {
    ...SERVICE_OPTIONS,
    'forward-to': { type: 'string' },
    events: { type: 'string' },
    'print-secret': { type: 'boolean' },
    json: { type: 'boolean' },
  })
  if (values['print-secret']) return printLine(await secretFor(config, values))
  const target = parseForwardTarget(values['forward-to'])
  const events = eventsFrom(values.events)
  const service = await connectToService(config, values)
  const secret = await secretFor(config, values)
  const { call, origin, is_sandbox } = service
  const stop = new AbortController()
  const removeHandlers = stopOnSignal(stop)
  try {
    await runListener({
      call,
      register: () => registerListener(call, secret, events),
      forward: (pulled) => forwardDelivery(target, pulled),
      news: createNews(values.json ?? false, secret),
      stop: stop.signal,
      ready: () =>
        printNote(
          `Events of the ${is_sandbox ? 'sandbox' : 'live shop'} at ${origin} go to ${target.href}. They are signed with the secret that cartwright listen --print-secret shows. Press Ctrl-C to stop.`,
        ),
    })
  } finally {
    removeHandlers()
  }
}

async function secretFor(config: Config, values: ServiceValues): Promise<string> {
  const place = resolveServiceAddress(config, values, !(values.live ?? false))
  if (place.isLocal && config.databaseUrl === null && !existsSync(config.dataDir))
    throw new ConfigError(
      `There is no data folder ${config.dataDir}. Start the service first, or set DATA_DIR to where it is.`,
    )
  return loadListenSecret(config, place)
}

const eventsFrom = (text: string = ALL_EVENTS): string[] => {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

/**
 * Ctrl-C reaches every process of a terminal, and npm also passes it on to its child. So a second signal this soon belongs to the same key
 * press.
 */
const SAME_PRESS_MS = 1_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function stopOnSignal(stop: AbortController): () => void {
  let stopRequestedAt = 0
  const onSignal = () => {
    if (!stop.signal.aborted) {
      stopRequestedAt = performance.now()
      printNote('Finishing the deliveries in progress. Press Ctrl-C again to stop at once.')
      stop.abort()
    } else if (performance.now() - stopRequestedAt > SAME_PRESS_MS) process.exit(130)
  }
  // The reader of our output has ended (`listen --json | head -1`), so there is no reason to continue.
  const onClosed = () => stop.abort()
  for (const signal of SIGNALS) process.on(signal, onSignal)
  process.stdout.once('error', onClosed)
  const stopWatchingNpm = whenNpmEnds(onClosed)
  return () => {
    stopWatchingNpm()
    for (const signal of SIGNALS) process.off(signal, onSignal)
    process.stdout.off('error', onClosed)
  }
}

function createNews(isJson: boolean, secret: string): ListenerReporter {
  let hasWarned = false
  return {
    forwarded(pulled, answer) {
      if (!hasWarned && !isSignedWith(secret, pulled)) {
        hasWarned = true
        printNote(
          'These deliveries are not signed with the secret of this machine: somebody has changed the secret. Delete this webhook (cartwright webhooks list shows it) and start again.',
        )
      }
      if (isJson) printJsonLine(record(pulled, answer))
      else printLine(describeLine(pulled, answer))
    },
    connectionLost: (reason) => printNote(`${reason} Retrying until it answers.`),
    reconnected: () => printNote('Connected again.'),
    webhookDeleted: () =>
      printNote(
        'The webhook of this command was deleted. It is being created again, but its queued deliveries are lost.',
      ),
    unreported: (count) =>
      printNote(`The results of ${count} deliveries could not be reported; the service will deliver these again.`),
  }
}

/** Id of the object that the event is about. */
function objectOf(body: string): string | null {
  try {
    const { payload, model_ids: ids } = JSON.parse(body) as { payload?: { id?: unknown } | null; model_ids?: unknown }
    const id = payload?.id ?? (Array.isArray(ids) ? ids[0] : null)
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}

const record = ({ delivery, event, body }: DeliveryToForward, { attempt, status, ms, error }: ForwardResult) => ({
  time: new Date().toISOString(),
  event,
  object_id: objectOf(body),
  delivery,
  attempt,
  status,
  ms,
  error,
})

function describeLine({ event, body }: DeliveryToForward, { attempt, status, ms, error }: ForwardResult): string {
  const attemptNote = attempt > 1 ? paint(`  attempt ${attempt}`, 'grey') : ''
  return [
    paint(clockTime(new Date()), 'grey'),
    toTableCell(event, 24),
    toTableCell(objectOf(body), 32),
    paint(toTableCell(status ?? error), colourOf(status)),
    `${ms} ms${attemptNote}`,
  ].join('  ')
}

// Several HTTP processes behind one port. The primary owns the port, the database, the migrations and the jobs. It replaces a process that
// dies and adds up the metrics of all processes. The end of this file closes connections that were being sent to a dead process.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue } from 'prom-client'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../http/server/log.ts'
import type { Metrics } from '../http/server/metrics.ts'
import { unavailable } from '../lib/errors.ts'
import type { Exit } from './exit.ts'
import { keepListening } from './processes/listeners.ts'

type Figures = MetricObjectWithValues<MetricValue<string>>[]
/** An HTTP process requests the metrics of all processes from the primary. The primary requests each process's own figures. */
type Question = { ask: 'metrics' | 'figures'; number: number }
/** `text` is null if the figures of a process are missing. */
type Answer = { answer: 'metrics'; number: number; text: string | null }
type FiguresAnswer = { answer: 'figures'; number: number; figures: Figures }
type Failure = { failed: string }
type Order = { order: 'leave' }

/** A process that keeps dying at once must not be restarted in a tight loop. */
const RESTART_MS = 1_000
/** The primary waits for the figures for less time than a process waits for the primary. */
const FIGURES_MS = 1_500
const METRICS_MS = 2_000
/** Time to close the database after the time for requests. A process that takes longer hangs. */
const LEAVE_MS = 2_000

type Supervisor = {
  /** Starts the HTTP processes and resolves with the port once all of them listen. */
  start(config: Config, own: Metrics): Promise<number>
  /** Gives the processes `withinMs` to finish their requests, and kills those that have not left soon after. */
  stop(withinMs: number): Promise<void>
}

export function createSupervisor(log: Log): Supervisor {
  let isStopping = false
  const serving = new Set<Worker>()
  const listener = keepListening()

  function watchProcesses(own: Metrics) {
    new Gauge({
      name: 'cartwright_http_processes',
      help: 'HTTP processes that listen.',
      registers: [own.registry],
      collect() {
        this.set(serving.size)
      },
    })
    const total = shareCalls(() => addUp(serving, own))
    cluster.on('message', async (worker, message: Partial<Question>) => {
      if (message?.ask !== 'metrics' || message.number === undefined) return
      const answer: Answer = { answer: 'metrics', number: message.number, text: await total() }
      // The requesting process may have ended meanwhile.
      if (worker.isConnected()) worker.send(answer)
    })
    // A message to a process that has just died fails here; the exit handler below reports the death.
    cluster.on('fork', (worker) => {
      worker.on('error', (error) => log.warn({ err: error }, 'an HTTP process could not be reached'))
      closeUnacknowledged(worker, listener.sent)
    })
    cluster.on('exit', (worker, code, signal) => {
      serving.delete(worker)
      if (isStopping) return
      log.error({ pid: worker.process.pid, code, signal }, 'an HTTP process ended; starting another')
      setTimeout(() => isStopping || cluster.fork(), RESTART_MS)
    })
    cluster.on('listening', (worker) => void serving.add(worker))
  }

  return {
    async start({ workers, port }, own) {
      watchProcesses(own)
      const ports = await Promise.all(Array.from({ length: workers }, () => waitUntilListening(cluster.fork())))
      return ports[0] ?? port
    },
    async stop(withinMs) {
      isStopping = true
      listener.release()
      const workers = Object.values(cluster.workers ?? {}).flatMap((worker) =>
        worker === undefined || worker.isDead() ? [] : [worker],
      )
      const whenEnded = Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))))
      for (const worker of workers) serving.has(worker) ? requestLeave(worker) : worker.process.kill('SIGKILL')
      // A process that hangs or is suspended never leaves by itself, and would keep the database open.
      await Promise.race([whenEnded, pause(withinMs + LEAVE_MS, undefined, { ref: false })])
      for (const worker of workers.filter((worker) => !worker.isDead())) {
        log.error({ pid: worker.process.pid }, 'an HTTP process did not stop in time and is killed')
        worker.process.kill('SIGKILL')
      }
      await whenEnded
    },
  }
}

/**
 * Sends a message instead of a signal, so that it arrives after all connections already handed over. `disconnect` stops the hand-over: a
 * connection given to a closed process would hang until that process ends.
 */
function requestLeave(worker: Worker) {
  worker.send({ order: 'leave' } satisfies Order)
  worker.disconnect()
}

const waitUntilListening = (worker: Worker) =>
  new Promise<number>((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port))
    worker.on('message', ({ failed: message }: Partial<Failure>) => message && reject(new ConfigError(message)))
    worker.once('exit', () => reject(new Error('An HTTP process ended before it listened; its message is above.')))
  })

/** In an HTTP process: leaves when the primary says so. */
export const leaveOnRequest = (exit: Exit) =>
  void process.on('message', (message: Partial<Order>) => {
    if (message?.order === 'leave') void exit.leave()
  })

/** In an HTTP process that cannot listen: reports the reason to the primary and ends. */
export const reportFailureToPrimary = (failed: string) =>
  process.send?.({ failed } satisfies Failure, undefined, undefined, () => process.exit(1))

let requestCount = 0

/** Callers during a running call share its result: anybody may request metrics, and each request costs all processes. */
function shareCalls<T>(ask: () => Promise<T>): () => Promise<T> {
  let currentCall: Promise<T> | undefined
  return () => {
    currentCall ??= ask().finally(() => {
      currentCall = undefined
    })
    return currentCall
  }
}

/**
 * All or nothing: to Prometheus, a sum without one process looks like a counter reset. The next complete sum would look like a burst.
 * Processes that have ended are left out, because their counts are gone for good.
 */
const addUp = (workers: Iterable<Worker>, own: Metrics): Promise<string | null> =>
  Promise.all([own.registry.getMetricsAsJSON(), ...Array.from(workers, figuresOf)])
    .then((figures) => AggregatorRegistry.aggregate(figures.filter((some) => some !== 'ended')).metrics())
    .catch(() => null)

function figuresOf(worker: Worker): Promise<Figures | 'ended'> {
  const number = ++requestCount
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new Error('no answer'))), FIGURES_MS)
    const onEnd = () => settle(() => resolve('ended'))
    const onMessage = (message: Partial<FiguresAnswer>) => {
      const { answer, figures } = message ?? {}
      if (answer === 'figures' && message.number === number && figures) settle(() => resolve(figures))
    }
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('disconnect', onEnd)
      finish()
    }
    if (!worker.isConnected()) return onEnd()
    worker.on('message', onMessage).once('disconnect', onEnd)
    worker.send({ ask: 'figures', number } satisfies Question)
  })
}

/** In an HTTP process: sends its figures when the primary requests them. */
export const reportFigures = ({ registry }: Metrics) =>
  void process.on('message', async (message: Partial<Question>) => {
    if (message?.ask !== 'figures' || message.number === undefined) return
    const figures = await registry.getMetricsAsJSON()
    process.send?.({ answer: 'figures', number: message.number, figures } satisfies FiguresAnswer)
  })

/** In an HTTP process: the metrics of all processes, whichever process serves the request. */
export const collectAllMetrics = shareCalls(() => {
  const number = ++requestCount
  return new Promise<string>((resolve, reject) => {
    const fail = (why: string) => settle(() => reject(unavailable(why)))
    const timer = setTimeout(() => fail('The first process did not answer in time.'), METRICS_MS)
    const onMessage = (message: Partial<Answer>) => {
      if (message?.answer !== 'metrics' || message.number !== number) return
      const { text } = message
      if (typeof text === 'string') settle(() => resolve(text))
      else fail('One of the processes did not report its metrics in time.')
    }
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      process.off('message', onMessage)
      finish()
    }
    process.on('message', onMessage)
    process.send?.({ ask: 'metrics', number } satisfies Question)
  })
})

// Connections on their way to an HTTP process. Node's cluster accepts them in the primary, sends them over, and closes its own end once the
// process has acknowledged them. A killed process acknowledges nothing. The primary would keep its end open, and the client would wait for
// ever. So this part remembers the primary's ends until they are acknowledged, and closes them when the process has ended.

/** The messages between the cluster module and its processes, as far as we need them. */
type ClusterMessage = { cmd?: unknown; act?: unknown; seq?: unknown; ack?: unknown }
type Connection = { close(): void }

const isClusterMessage = (message: unknown): message is ClusterMessage =>
  typeof message === 'object' && message !== null && (message as ClusterMessage).cmd === 'NODE_CLUSTER'

const isConnection = (handle: unknown): handle is Connection =>
  typeof handle === 'object' && handle !== null && typeof (handle as Connection).close === 'function'

/** Call it when the process has been forked. */
function closeUnacknowledged(worker: Worker, onSent: (connection: Connection) => void): void {
  const { process: child } = worker
  const unacknowledged = new Map<unknown, Connection>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]) => {
    const [message, handle] = args
    if (isClusterMessage(message) && message.act === 'newconn' && isConnection(handle)) {
      onSent(handle)
      unacknowledged.set(message.seq, handle)
    }
    return send(...args)
  }
  child.on('internalMessage', (message: unknown) => {
    if (isClusterMessage(message) && message.ack !== undefined) unacknowledged.delete(message.ack)
  })
  child.once('exit', () => {
    for (const connection of unacknowledged.values()) connection.close()
    unacknowledged.clear()
  })
}

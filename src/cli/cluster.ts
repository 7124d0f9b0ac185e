// Several HTTP processes behind one port. The primary owns the port, the database, the migrations and the jobs, replaces a process that
// dies, and adds up everybody's metrics, its own among them. What is on its way to a process that dies is closed at the end of this file.

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
/** An HTTP process asks the primary for everybody's metrics; the primary asks each process for its figures. */
type Question = { ask: 'metrics' | 'figures'; number: number }
/** `text` is null when somebody's figures are missing. */
type Answer = { answer: 'metrics'; number: number; text: string | null }
type FiguresAnswer = { answer: 'figures'; number: number; figures: Figures }
type Failure = { failed: string }
type Order = { order: 'leave' }

/** A process that dies at once again and again must not be restarted in a tight loop. */
const RESTART_MS = 1_000
/** The primary waits for everybody's figures less long than a process waits for the primary. */
const FIGURES_MS = 1_500
const METRICS_MS = 2_000
/** Beyond the time for requests, to let go of the database; a process that takes longer hangs. */
const LEAVING_MS = 2_000

type Supervisor = {
  /** Starts the HTTP processes and resolves with the port once all of them listen. */
  start(config: Config, own: Metrics): Promise<number>
  /** Lets them finish their requests for at most `withinMs`, and ends those that have not left soon after. */
  stop(withinMs: number): Promise<void>
}

export function supervisor(log: Log): Supervisor {
  let isStopping = false
  const serving = new Set<Worker>()
  const listener = keepListening()

  function watch(own: Metrics) {
    new Gauge({
      name: 'cartwright_http_processes',
      help: 'HTTP processes that listen.',
      registers: [own.registry],
      collect() {
        this.set(serving.size)
      },
    })
    const total = sharing(() => addUp(serving, own))
    cluster.on('message', async (worker, message: Partial<Question>) => {
      if (message?.ask !== 'metrics' || message.number === undefined) return
      const answer: Answer = { answer: 'metrics', number: message.number, text: await total() }
      // The one who asked may have ended meanwhile.
      if (worker.isConnected()) worker.send(answer)
    })
    // A message to a process that has just died fails here; that it died is told below.
    cluster.on('fork', (worker) => {
      worker.on('error', (error) => log.warn({ err: error }, 'an HTTP process is gone'))
      closeWhatItLeaves(worker, listener.sent)
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
      watch(own)
      const ports = await Promise.all(Array.from({ length: workers }, () => listening(cluster.fork())))
      return ports[0] ?? port
    },
    async stop(withinMs) {
      isStopping = true
      listener.release()
      const workers = Object.values(cluster.workers ?? {}).flatMap((worker) =>
        worker === undefined || worker.isDead() ? [] : [worker],
      )
      const ended = Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))))
      for (const worker of workers) serving.has(worker) ? dismiss(worker) : worker.process.kill('SIGKILL')
      // A process that hangs, or was stopped by the system, never leaves by itself, and the database would stay open behind it.
      await Promise.race([ended, pause(withinMs + LEAVING_MS, undefined, { ref: false })])
      for (const worker of workers.filter((worker) => !worker.isDead())) {
        log.error({ pid: worker.process.pid }, 'an HTTP process did not leave in time and is killed')
        worker.process.kill('SIGKILL')
      }
      await ended
    },
  }
}

/**
 * By message and not by signal, so that it arrives behind every connection handed over before. `disconnect` stops the handing
 * over: a connection given to a process that has closed already would hang until this one ends.
 */
function dismiss(worker: Worker) {
  worker.send({ order: 'leave' } satisfies Order)
  worker.disconnect()
}

const listening = (worker: Worker) =>
  new Promise<number>((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port))
    worker.on('message', ({ failed }: Partial<Failure>) => failed && reject(new ConfigError(failed)))
    worker.once('exit', () => reject(new Error('An HTTP process ended before it listened; its message is above.')))
  })

/** In an HTTP process: the primary says when to leave. */
export const leaveWhenDismissed = (exit: Exit) =>
  void process.on('message', (message: Partial<Order>) => {
    if (message?.order === 'leave') void exit.leave()
  })

/** In an HTTP process that cannot listen: says why, and ends. */
export const tellPrimary = (failed: string) =>
  process.send?.({ failed } satisfies Failure, undefined, undefined, () => process.exit(1))

let questions = 0

/** Who asks while somebody's question is being answered gets the same answer: anybody may ask, and each one costs all processes. */
function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= ask().finally(() => {
      running = undefined
    })
    return running
  }
}

/**
 * All or nothing: a sum without one process looks to Prometheus as if every counter had begun again, and the next whole one as
 * if everything had happened in between. A process that has ended is another matter: its counts are gone for good.
 */
const addUp = (workers: Iterable<Worker>, own: Metrics): Promise<string | null> =>
  Promise.all([own.registry.getMetricsAsJSON(), ...Array.from(workers, figuresOf)])
    .then((figures) => AggregatorRegistry.aggregate(figures.filter((some) => some !== 'ended')).metrics())
    .catch(() => null)

function figuresOf(worker: Worker): Promise<Figures | 'ended'> {
  const number = ++questions
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(new Error('no answer'))), FIGURES_MS)
    const onEnd = () => done(() => resolve('ended'))
    const onMessage = (message: Partial<FiguresAnswer>) => {
      const { answer, figures } = message ?? {}
      if (answer === 'figures' && message.number === number && figures) done(() => resolve(figures))
    }
    const done = (finish: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('disconnect', onEnd)
      finish()
    }
    if (!worker.isConnected()) return onEnd()
    worker.on('message', onMessage).once('disconnect', onEnd)
    worker.send({ ask: 'figures', number } satisfies Question)
  })
}

/** In an HTTP process: tells the primary this process's figures when it asks. */
export const tellFigures = ({ registry }: Metrics) =>
  void process.on('message', async (message: Partial<Question>) => {
    if (message?.ask !== 'figures' || message.number === undefined) return
    const figures = await registry.getMetricsAsJSON()
    process.send?.({ answer: 'figures', number: message.number, figures } satisfies FiguresAnswer)
  })

/** In an HTTP process: the metrics of all processes, whichever of them was asked. */
export const metricsOfAll = sharing(() => {
  const number = ++questions
  return new Promise<string>((resolve, reject) => {
    const fail = (why: string) => done(() => reject(unavailable(why)))
    const timer = setTimeout(() => fail('The first process did not answer in time.'), METRICS_MS)
    const onMessage = (message: Partial<Answer>) => {
      if (message?.answer !== 'metrics' || message.number !== number) return
      const { text } = message
      if (typeof text === 'string') done(() => resolve(text))
      else fail('One of the processes did not tell its figures in time.')
    }
    const done = (finish: () => void) => {
      clearTimeout(timer)
      process.off('message', onMessage)
      finish()
    }
    process.on('message', onMessage)
    process.send?.({ ask: 'metrics', number } satisfies Question)
  })
})

// Connections on their way to an HTTP process. Node's cluster accepts each in the primary, sends it over, and closes its own end when the
// process has said that it has it. A process that is killed says nothing: the primary would keep its end open, and the client would wait
// for an answer for ever. So the primary's ends are remembered here until they are acknowledged, and closed when the process has gone.

/** What the cluster module and its processes tell each other, as far as it is needed here. */
type ClusterMessage = { cmd?: unknown; act?: unknown; seq?: unknown; ack?: unknown }
type Connection = { close(): void }

const isOfCluster = (message: unknown): message is ClusterMessage =>
  typeof message === 'object' && message !== null && (message as ClusterMessage).cmd === 'NODE_CLUSTER'

const isConnection = (handle: unknown): handle is Connection =>
  typeof handle === 'object' && handle !== null && typeof (handle as Connection).close === 'function'

/** To be called when the process has been forked. */
function closeWhatItLeaves(worker: Worker, onSent: (connection: Connection) => void): void {
  const { process: child } = worker
  const underWay = new Map<unknown, Connection>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]) => {
    const [message, handle] = args
    if (isOfCluster(message) && message.act === 'newconn' && isConnection(handle)) {
      onSent(handle)
      underWay.set(message.seq, handle)
    }
    return send(...args)
  }
  child.on('internalMessage', (message: unknown) => {
    if (isOfCluster(message) && message.ack !== undefined) underWay.delete(message.ack)
  })
  child.once('exit', () => {
    for (const connection of underWay.values()) connection.close()
    underWay.clear()
  })
}

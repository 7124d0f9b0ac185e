// The load: keep-alive connections on loopback, one request at a time on each, for a bounded time.
// Bare sockets, so that the client costs little and does so equally for every server.

import { connect } from 'node:net'
import { fillIn } from './placeholders.js'

const { port, scenario, seconds, warmUpMs } = await new Promise((resolve) => process.once('message', resolve))
const { steps, headers, targets, isEachOnce, connections } = scenario
const NEVER_ENDS_MS = 20_000
// Each round is a process of its own, and its runs must not repeat another's.
const NOBODY_ELSES = process.pid.toString(36).padStart(4, '0').slice(-4)

let next = 0
let failure = null

const measureFrom = performance.now() + warmUpMs
const end = measureFrom + seconds * 1_000
const latencies = []

await Promise.all(Array.from({ length: connections }, drive))
latencies.sort((a, b) => a - b)
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
process.send({ error: failure, used: next, rate: latencies.length / seconds, p50: at(0.5), p99: at(0.99) }, () =>
  process.exit(),
)

/** One connection: the scenario's steps one after the other, again and again. */
async function drive() {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(NEVER_ENDS_MS, () => socket.destroy(new Error('the server does not answer')))
  try {
    for (;;) {
      const startedAt = performance.now()
      if (startedAt >= end || failure) break
      if (isEachOnce && next >= targets.length) throw new Error(`needs more than ${targets.length} targets`)
      const target = targets[next % targets.length] ?? []
      const run = { n: NOBODY_ELSES + (next++).toString(36).padStart(4, '0'), target, ids: [] }
      for (const [index, step] of steps.entries()) run.ids.push(await send(socket, index, step, run))
      if (startedAt >= measureFrom) latencies.push(performance.now() - startedAt)
    }
  } catch (error) {
    failure ??= error.message
  }
  socket.end()
}

/** Sends one request and gives the id that the answer begins with, if it does. */
function send(socket, index, { method = 'GET', path, body }, run) {
  const payload = body === undefined ? '' : fillIn(JSON.stringify(body), run)
  // The headers x-step, x-n and x-target tell the floor what the placeholders stand for; ours does not read them.
  const sent = { host: `127.0.0.1:${port}`, ...headers, 'x-step': index, 'x-n': run.n, 'x-target': run.target.join() }
  if (payload) Object.assign(sent, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    let missing = -1
    let id
    const settle = (finish, value) => {
      socket.off('data', read)
      socket.off('error', fail)
      socket.off('close', left)
      finish(value)
    }
    const fail = (error) => settle(reject, error)
    const left = () => settle(reject, new Error('the server closed the connection'))
    const read = (chunk) => {
      // The head of every answer here fits one chunk; of the body only the length and its first id matter.
      if (missing === -1) {
        const end = chunk.indexOf('\r\n\r\n')
        const text = chunk.latin1Slice(0, end)
        if (!/^HTTP\/1\.1 2/.test(text))
          return fail(new Error(`${text.split('\r\n')[0]} at ${path}: ${chunk.toString('utf8', end + 4)}`))
        missing = Number(/content-length: (\d+)/i.exec(text)?.[1]) - (chunk.length - end - 4)
        id = /"id":"([^"]+)"/.exec(chunk.latin1Slice(end, Math.min(end + 200, chunk.length)))?.[1]
      } else missing -= chunk.length
      if (missing <= 0) settle(resolve, id)
    }
    socket.on('data', read)
    socket.on('error', fail)
    socket.on('close', left)
    socket.write(`${method} ${fillIn(path, run)} HTTP/1.1\r\n${head.join('')}\r\n${payload}`)
  })
}

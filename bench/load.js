// The load generator: keep-alive connections on loopback, one request at a time on each, for a limited time. It checks every response. Bare
// sockets keep the client's cost low, and equal for every server.

import { connect } from 'node:net'
import { payPage, scenarios } from './scenarios.js'

const NEVER_ENDS_MS = 30_000
// Each round runs in a new process, and its ids must not repeat another's.
const NOBODY_ELSES = `${process.pid.toString(36)}-${Date.now().toString(36)}`

const task = await new Promise((resolve) => process.once('message', resolve))
const { port, key, shop, name, targets, clients, seconds, most = Number.POSITIVE_INFINITY, headers } = task
const { steps, isEachOnce } = name === payPage.name ? payPage : scenarios(shop).find((each) => each.name === name)

let next = 0
let failure = null
const latencies = []
const startedAt = performance.now()
const end = startedAt + seconds * 1_000

await Promise.all(Array.from({ length: clients }, drive))
latencies.sort((a, b) => a - b)
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
const figures = {
  count: latencies.length,
  seconds: (performance.now() - startedAt) / 1_000,
  p50: at(0.5),
  p99: at(0.99),
}
process.send({ ...figures, used: next, error: failure }, () => process.exit())

/** Drives one connection: it repeats the scenario's steps in sequence. */
async function drive() {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.setTimeout(NEVER_ENDS_MS, () => socket.destroy(new Error('the server does not answer')))
  try {
    for (;;) {
      const beganAt = performance.now()
      if (beganAt >= end || failure || next >= most || (isEachOnce && next >= targets.length)) break
      const run = { n: `${NOBODY_ELSES}-${next}`, target: targets[next++ % targets.length], ids: [] }
      for (const step of steps) run.ids.push(await send(socket, step(run)))
      latencies.push(performance.now() - beganAt)
    }
  } catch (error) {
    failure ??= error.message
  }
  socket.end()
}

/** Sends one request and returns the id at the start of the response, if there is one. */
function send(socket, { method = 'GET', path, body, check }) {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const sent = { host: `127.0.0.1:${port}`, 'x-authorization': key, ...headers }
  if (payload) Object.assign(sent, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
  const head = Object.entries(sent).map(([field, value]) => `${field}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    const chunks = []
    let length = 0
    let whole = Number.POSITIVE_INFINITY
    let bodyAt = 0
    const settle = (finish, value) => {
      socket.off('data', read)
      socket.off('error', fail)
      socket.off('close', left)
      finish(value)
    }
    const fail = (error) => settle(reject, error)
    const left = () => fail(new Error('the server closed the connection'))
    const read = (chunk) => {
      chunks.push(chunk)
      length += chunk.length
      if (bodyAt === 0) {
        const start = Buffer.concat(chunks)
        const end = start.indexOf('\r\n\r\n')
        if (end === -1) return
        bodyAt = end + 4
        whole = bodyAt + Number(/content-length: (\d+)/i.exec(start.latin1Slice(0, end))?.[1])
        if (Number.isNaN(whole)) return fail(new Error(`${method} ${path}: an answer without a length`))
      }
      if (length < whole) return
      const answer = Buffer.concat(chunks)
      const text = answer.latin1Slice(bodyAt)
      const status = answer.latin1Slice(9, 12)
      if (!status.startsWith('2') || !check(text))
        return fail(new Error(`${method} ${path}: ${status} is not what was asked: ${text.slice(0, 400)}`))
      settle(resolve, /"id":"([^"]+)"/.exec(text.slice(0, 300))?.[1])
    }
    socket.on('data', read)
    socket.on('error', fail)
    socket.on('close', left)
    socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${payload}`)
  })
}

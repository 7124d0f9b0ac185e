// The load: keep-alive connections on loopback, one request at a time on each, for a bounded time.
// Bare sockets, so that the client costs little and does so equally for every server.

import { connect } from 'node:net'

const { port, method, path, headers, seconds, connections } = JSON.parse(process.argv[2])
const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
const request = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
const WARM_UP_MS = 1_000

const started = performance.now()
const measureFrom = started + WARM_UP_MS
const end = measureFrom + seconds * 1_000
const latencies = []
let failure = null

await Promise.all(Array.from({ length: connections }, drive))
latencies.sort((a, b) => a - b)
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
process.send({ error: failure, rate: latencies.length / seconds, p50: at(0.5), p99: at(0.99) }, () => process.exit())

function drive() {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let sentAt = 0
    let missing = -1
    const send = () => {
      sentAt = performance.now()
      if (sentAt >= end || failure) return socket.end()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('close', resolve)
    socket.on('error', (error) => {
      failure ??= error.message
      resolve()
    })
    socket.on('data', (chunk) => {
      // The head of every answer here fits one chunk; of the body only the length matters.
      if (missing === -1) {
        const head = chunk.indexOf('\r\n\r\n')
        const text = chunk.latin1Slice(0, head)
        if (!/^HTTP\/1\.1 2/.test(text)) {
          failure ??= text.split('\r\n')[0]
          return socket.destroy()
        }
        missing = Number(/content-length: (\d+)/i.exec(text)?.[1]) - (chunk.length - head - 4)
      } else missing -= chunk.length
      if (missing > 0) return
      missing = -1
      const now = performance.now()
      if (sentAt >= measureFrom) latencies.push(now - sentAt)
      send()
    })
  })
}

// A webhook receiver using only Node:  WEBHOOK_SECRET=whsec_… node examples/webhooks/node.mjs

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_SECRET = '', PORT = '4242' } = process.env
if (!WEBHOOK_SECRET.startsWith('whsec_')) throw new Error('Set WEBHOOK_SECRET to the signing key: whsec_…')
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
const MOST_BYTES = 5_000_000

/** Ids of handled events. In production use a table with a unique column, written in the same transaction as your own work. */
const handled = new Set()

/** Your own reaction to the event. You have 15 seconds to respond, so queue slow work. */
async function handle({ event, payload }, id) {
  process.stdout.write(`${event} ${payload.id ?? ''} ${id}\n`)
}

/** `body`: the raw bytes as received. Parsing and serializing again may change them. */
function isGenuine({ 'webhook-id': id, 'webhook-timestamp': sent, 'webhook-signature': signatures = '' }, body) {
  if (!(Math.abs(Date.now() / 1_000 - Number(sent)) <= 300)) return false
  const expected = createHmac('sha256', key).update(`${id}.${sent}.`).update(body).digest()
  // Two signatures during a key rotation.
  return signatures.split(' ').some((each) => {
    const [version, text = ''] = each.split(',')
    const signature = Buffer.from(text, 'base64')
    return version === 'v1' && signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

async function answer(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) return 413
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  if (!isGenuine(request.headers, body)) return 400
  const id = request.headers['webhook-id']
  if (handled.has(id)) return 200
  handled.add(id)
  try {
    await handle(JSON.parse(body), id)
    return 200
  } catch {
    // Any status except 2xx makes the shop send the event again.
    handled.delete(id)
    return 500
  }
}

const server = createServer(async (request, response) => {
  const status = await answer(request).catch(() => 400)
  response.writeHead(status).end()
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`Listening on http://127.0.0.1:${server.address().port}\n`)
})

// Measures the cost of webhooks, and how soon events arrive: `npm run bench:webhooks`. The same build runs twice, each with its own server
// and PostgreSQL. Both take turns at whole purchases in every round, so that a slow minute of the machine affects both.
// 1. Three webhooks with queued deliveries (transport listen), against none: the cost of writing the deliveries.
// 2. Three webhooks posted to receivers on this machine, against none: the whole cost. Receivers and load share the cores with the service.
// 3. A hundred events a second to three receivers: time from the response of the causing request to the arrival of each.
// 4. The same beside four bad receivers of the same shop that refuse, hang, drip or never end, against four more good ones: the harm that
// bad receivers do to others. (Part 2 measures the cost of having a receiver at all.)

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readOptions } from './options.js'
import { measurePair, shown } from './ratios.js'
import { fillSide, openSide } from './side.js'

/** Minimum ratio to purchases without webhooks. The aim is missed if the whole interval is below. */
const LEAST = 0.97
const SCENARIO = 'whole purchase'
const ROWS = 2_000
const EVENTS_PER_SECOND = 100
const ARRIVAL_AIM_MS = 1_000
const BAD_ROUNDS = 5

const { rounds, seconds, clients, isAsInLife } = readOptions({ rounds: 15, seconds: 2 })
const folder = fileURLToPath(new URL('../', import.meta.url))
const sides = []
const receivers = []
const arrivals = new Map()
try {
  for (let index = 0; index < 3; index++) receivers.push(await openReceiver())
  for (let index = 0; index < 2; index++) {
    const side = await openSide(folder, { isAsInLife, settings: { ALLOW_PRIVATE_ADDRESSES: 'true' } })
    sides.push(side)
    await fillSide(side, { rows: ROWS, shops: 2 })
  }
  console.log(`${rounds} rounds of ${seconds} s, ${clients} clients, ${cpus().length} cores. Aim: at least ${LEAST}.\n`)
  console.log(
    '| three webhooks | × throughput (95 %) | × less CPU (95 %) | purchases a second | CPU ms, server + database |',
  )
  console.log('|---|---|---|---|---|')
  const [side] = sides
  const held = await subscribe(
    side,
    receivers.map(() => ({ transport: 'listen' })),
  )
  await report('held back', true)
  await unsubscribe(side, held)
  await subscribe(
    side,
    receivers.map(({ url }) => ({ url })),
  )
  await report('sent', false)
  await settled(side)
  const { arrivals: alone } = await timesOf(side, EVENTS_PER_SECOND, 10)
  const at95 = percentile(alone, 0.95)
  console.log(
    `\n${EVENTS_PER_SECOND} events a second, 3 receivers, ${alone.length} of ${3 * 10 * EVENTS_PER_SECOND} arrived: p50 ${percentile(alone, 0.5).toFixed(0)} ms, p95 ${at95.toFixed(0)} ms, p99 ${percentile(alone, 0.99).toFixed(0)} ms. Aim: p95 ${ARRIVAL_AIM_MS} ms.`,
  )
  if (alone.length < 3 * 10 * EVENTS_PER_SECOND || at95 > ARRIVAL_AIM_MS) process.exitCode = 1
  await besideBadOnes()
} finally {
  for (const { server } of receivers) server.close()
  for (const side of sides) await side.service.close()
}

async function report(title, isBar) {
  const { sides: figures, throughput, cpu } = await measurePair(sides, SCENARIO, { rounds, seconds, clients })
  const rates = figures.map(({ rate }) => rate.toFixed(0)).join(' against ')
  const costs = figures
    .map(({ serverMs, databaseMs }) => `${serverMs.toFixed(1)} + ${databaseMs.toFixed(1)}`)
    .join(' against ')
  console.log(`| ${title} | ${shown(throughput)} | ${shown(cpu)} | ${rates} | ${costs} |`)
  if (isBar && throughput.high < LEAST) process.exitCode = 1
}

function subscribe({ service }, webhooks) {
  const create = (webhook) => service.send('POST', '/v1/webhooks', { ...webhook, subscribed_events: ['*'] })
  return Promise.all(webhooks.map(create))
}

async function unsubscribe({ service }, webhooks) {
  for (const { id } of webhooks) await service.send('DELETE', `/v1/webhooks/${id}`)
}

/** Waits until everything has been delivered. */
async function settled({ service }) {
  for (;;) {
    const { rows } = await service.admin.query(
      `select count(*)::integer from deliveries where state in ('pending', 'sending', 'retrying')`,
    )
    if (rows[0].count === 0) return
    await sleep(200)
  }
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function ascending(one, other) {
  return one - other
}

/**
 * Causes events at this rate. Returns the duration of each request, and the time from its response until the event arrived at each good
 * receiver; both sorted.
 */
async function timesOf({ service }, perSecond, seconds) {
  arrivals.clear()
  const caused = new Map()
  const requests = []
  const count = perSecond * seconds
  const startedAt = performance.now() + 100
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await sleep(Math.max(0, startedAt + (n * 1_000) / perSecond - performance.now()))
      const body = { name: `Attribute ${n}`, description: '', type: 'short_text' }
      const sentAt = performance.now()
      const { id } = await service.send('POST', '/v1/attributes', body)
      requests.push(performance.now() - sentAt)
      caused.set(id, performance.now())
    }),
  )
  // Do not wait for arrivals that bad receivers hold up.
  for (let waits = 0; waits < 100 && [...caused.keys()].some((id) => (arrivals.get(id) ?? []).length < 3); waits++)
    await sleep(100)
  const times = [...caused].flatMap(([id, at]) => (arrivals.get(id) ?? []).map((arrival) => Math.max(0, arrival - at)))
  return { arrivals: times.sort(ascending), requests: requests.sort(ascending) }
}

/** In turns, at half the rate: this compares the waiting that other receivers cause, not an overloaded machine. */
async function besideBadOnes() {
  const [beside, apart] = sides
  await subscribe(
    apart,
    receivers.map(({ url }) => ({ url })),
  )
  const child = fork(new URL('bad-receivers.js', import.meta.url))
  const [bad] = await once(child, 'message')
  await subscribe(
    beside,
    bad.map((url) => ({ url })),
  )
  const more = await Promise.all(bad.map(() => openReceiver(() => undefined)))
  receivers.push(...more)
  await subscribe(
    apart,
    more.map(({ url }) => ({ url })),
  )
  const found = { beside: { arrivals: [], requests: [] }, apart: { arrivals: [], requests: [] } }
  for (let round = 0; round < BAD_ROUNDS; round++)
    for (const [name, side] of Object.entries({ beside, apart })) {
      const times = await timesOf(side, EVENTS_PER_SECOND / 2, 4)
      for (const kind of ['arrivals', 'requests']) found[name][kind].push(...times[kind])
    }
  console.log(
    '\n| beside four bad receivers, against four more good ones | p50, ms | p99, ms | count |\n|---|---|---|---|',
  )
  for (const kind of ['arrivals', 'requests']) {
    const [one, other] = [found.beside[kind], found.apart[kind]].map((times) => times.sort(ascending))
    const against = (share) => `${percentile(one, share).toFixed(0)} against ${percentile(other, share).toFixed(0)}`
    console.log(`| ${kind} | ${against(0.5)} | ${against(0.99)} | ${one.length} against ${other.length} |`)
  }
  child.disconnect()
}

function noteArrival(id) {
  arrivals.set(id, [...(arrivals.get(id) ?? []), performance.now()])
}

/** `note`: called with the id of the event's object when it arrives. */
async function openReceiver(note = noteArrival) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { id } = JSON.parse(text).payload
    note(id)
    response.writeHead(204).end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${server.address().port}/` }
}

// Measures how fast the service answers messages of payment providers: `npm run bench:messages`. A service runs in its own process with its
// jobs, beside the provider doubles of test/gateways/doubles. Each message has a valid signature, a unique id and a paid order. So the
// service verifies and stores it, and a job calls the provider. The time counts from when a message is due until its response ends.
// `cartwright start` calls only the providers' real addresses, so the process is that of the proofs (test/faults/server-process.ts).

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundleInto } from '../scripts/bundle.js'
import { readOptions } from './options.js'
import { run, send } from './service.js'

const FOLDER = fileURLToPath(new URL('../', import.meta.url))
/** Time limit for a response. */
const AIM_MS = 100
const PER_SECOND = 20
const BURST = 50
const BURST_EVERY_MS = 1_000
/** Orders per provider, which its messages concern in turn. */
const ORDERS = 20
/** Square includes the configured address in its signature. */
const PUBLIC_URL = 'https://shop.example'
const PROVIDERS = ['Stripe', 'Square', 'Razorpay', 'PayPal']

const { seconds } = readOptions({ rounds: 2, seconds: 10 })
const home = mkdtempSync(join(tmpdir(), 'cartwright-bench-'))
const bundle = (contents) => bundleInto(mkdtempSync(join(home, 'program-')), contents)
const agent = new Agent({ keepAlive: true, maxSockets: BURST })
const closers = [() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }), () => agent.destroy()]
try {
  const shop = await openShop(await openProviders())
  console.log(
    `${cpus().length} cores, Node.js ${process.versions.node}, ${seconds} s each. Aim: p99 below ${AIM_MS} ms.\n`,
  )
  console.log('| messages of | at | answered | p50, ms | p99, ms | slowest, ms |\n|---|---|---|---|---|---|')
  const loads = [
    [`${PER_SECOND} a second`, evenly],
    [`bursts of ${BURST}`, inBursts],
  ]
  for (const provider of shop)
    for (const [title, moments] of loads) {
      // Warm up: PayPal's certificate is fetched once, and statements are prepared.
      for (let n = 0; n < 3; n++) await tell(provider, performance.now())
      const figures = await measure(provider, moments())
      console.log(`| ${provider.name} | ${title} | ${figures.map((figure) => figure.toFixed(0)).join(' | ')} |`)
      if (figures[2] >= AIM_MS) process.exitCode = 1
    }
} finally {
  for (const close of closers.toReversed()) await close()
}

/** Due times of the messages, in milliseconds from the start. */
function evenly() {
  return Array.from({ length: seconds * PER_SECOND }, (_, n) => (n * 1_000) / PER_SECOND)
}

function inBursts() {
  return Array.from(
    { length: Math.ceil((seconds * 1_000) / BURST_EVERY_MS) * BURST },
    (_, n) => Math.floor(n / BURST) * BURST_EVERY_MS,
  )
}

async function measure(provider, moments) {
  // Sign in advance: the sender's own work is not part of the measurement.
  const messages = moments.map(() => nextOf(provider))
  const startedAt = performance.now() + 100
  const times = await Promise.all(
    moments.map(async (moment, n) => {
      await sleep(Math.max(0, startedAt + moment - performance.now()))
      return tell(provider, startedAt + moment, messages[n])
    }),
  )
  times.sort((a, b) => a - b)
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return [times.length, at(0.5), at(0.99), at(1)]
}

function nextOf(provider) {
  const id = provider.payments[provider.next++ % provider.payments.length]
  return provider.message('moved', { key: null, id }, PUBLIC_URL + provider.path)
}

/** Sends a message, and returns the milliseconds from its due time to the response. */
function tell(provider, dueAt, { headers, body } = nextOf(provider)) {
  const { path, port } = provider
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve(performance.now() - dueAt)
          else reject(new Error(`A message was answered ${answer.statusCode}: ${text.slice(0, 300)}`))
        })
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
}

/** Opens the provider doubles, in this process. */
async function openProviders() {
  const imports = PROVIDERS.map(
    (name) => `export { open${name}Provider } from './test/gateways/every-provider/${name.toLowerCase()}.ts'`,
  )
  const opened = await import(pathToFileURL(await bundle(imports.join('\n'))).href)
  const providers = []
  for (const name of PROVIDERS) {
    const provider = await opened[`open${name}Provider`](() => new Date())
    closers.push(() => provider.close())
    providers.push({ ...provider, name })
  }
  return providers
}

/**
 * Opens a service with a shop that uses all providers and has sold through each. Returns the providers, each with the data for its
 * messages.
 */
async function openShop(providers) {
  const { startEmbedded } = await import(pathToFileURL(join(FOLDER, 'dist/db/embedded/start.js')).href)
  const dataDir = join(home, 'data')
  const postgres = await startEmbedded({ dataDir, purpose: 'server' })
  const abandon = () => postgres.stopNow()
  process.once('exit', abandon)
  closers.push(async () => {
    await postgres.stop()
    process.off('exit', abandon)
  })
  const { connection } = postgres
  const { host, port: databasePort, user, database } = connection
  const url = `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${databasePort}`
  const environment = { ...process.env, DATABASE_URL: url, DATA_DIR: dataDir }
  const command = join(FOLDER, 'bin/cartwright.js')
  await run(command, ['migrate'], environment)
  const about = ['--name', 'Bench', '--email', 'bench@example.com', '--json']
  const { keys } = JSON.parse(await run(command, ['merchant', 'create', ...about], environment))
  const places = Object.assign({}, ...providers.map((provider) => provider.places))
  const port = await startServer({ connection, dataDir, settleSeconds: 30, providers: places, publicUrl: PUBLIC_URL })
  const ask = (...sent) => send(port, keys.sandbox.secret, ...sent)
  const { id: product } = await ask('POST', '/v1/products', { name: 'A book', price: 10 })
  const sold = []
  for (const provider of providers) {
    const { code, config } = provider
    const { webhook_path: path } = await ask('POST', '/v1/gateways', { code, config })
    const payments = []
    for (let n = 0; n < ORDERS; n++) payments.push(await buy(ask, product, provider, port, keys.sandbox.public))
    sold.push({ ...provider, path, port, payments, next: 0 })
  }
  return sold
}

/** Returns the provider's id of the payment. */
async function buy(ask, product, provider, port, key) {
  const { id: token } = await ask('GET', `/v1/checkouts/${product}?type=product_id`)
  // A capture that needs the shopper's confirmation is not an error here.
  const capture = async (body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/checkouts/${token}`, {
      method: 'POST',
      headers: { 'x-authorization': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const { status, body } = await capture(await provider.ready(capture))
  if (status !== 200) throw new Error(`Nothing was sold by ${provider.code}: ${JSON.stringify(body).slice(0, 500)}`)
  return body.transactions[0].gateway_transaction_id
}

/** Returns its port. */
async function startServer(settings) {
  const program = await bundle(`import './test/faults/server-process.ts'`)
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, CARTWRIGHT_FAULT_SERVER: JSON.stringify(settings) },
    // Log lines are written as in production, but discarded.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  closers.push(async () => {
    child.kill('SIGTERM')
    await gone
  })
  const address = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message.address))
    child.once('exit', (code) => reject(new Error(`The service did not start (${code}).`)))
  })
  return Number(new URL(address).port)
}

// Measures the checkout page: `npm run bench:checkout-page`. A service runs as in production, beside its own PostgreSQL.
// 1. A checkout page with three lines, requested like browsers do, with compression: pages a second, and CPU per page.
// 2. Chromium on a phone's screen, on a line of 1.6 Mbit/s and 150 ms, with an empty cache: largest contentful paint (LCP).
// The load shares the cores with the service, as in the whole bench. Missing either limit fails the run.

import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { readOptions } from './options.js'
import { openService } from './service.js'
import { LINES, makeShop } from './shop.js'
import { load } from './side.js'
import { medianOf } from './statistics.js'

const LEAST_PAGES = 300
const MOST_LCP_MS = 1_000
const TOKENS = 100
/**
 * Warm-up: V8 compiles code as it is used, which is a third of the cost of the first thousand pages. Skip this many pages, or as many as
 * are served in the warm-up time.
 */
const WARM_PAGES = 4_000
const WARM_SECONDS = 40
const LOADS = 7
/** A phone's slow line; throughput in bytes a second. */
const LINE = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
/** Accept-Encoding values. "identity" shows the cost of compression by leaving it out. */
const CODINGS = ['br', 'gzip', 'identity']

const { rounds, seconds, clients } = readOptions({ rounds: 5, seconds: 3 })
const service = await openService(fileURLToPath(new URL('../', import.meta.url)))
try {
  const shop = await makeShop(service.send)
  const carts = []
  const pages = []
  for (let n = 0; n < TOKENS; n++) {
    const { id } = await service.send('GET', '/v1/carts')
    for (const choice of shop.choices.slice(0, LINES)) await service.send('POST', `/v1/carts/${id}`, choice)
    const { id: token } = await service.send('GET', `/v1/checkouts/${id}?type=cart`)
    carts.push(`/checkout/${service.merchantId}/cart/${id}`)
    pages.push(`/checkout/${service.merchantId}/pay/${token}`)
  }
  console.log(`${rounds} rounds of ${seconds} s, ${clients} clients, ${cpus().length} cores.\n`)
  await measurePages(pages)
  await measureLcp({ 'the pay page': pages, "a cart's link": carts })
} finally {
  await service.close()
}

async function measurePages(pages) {
  console.log('| pay page | pages a second | p50, p99 in ms | CPU ms of a page, server + database | bytes |')
  console.log('|---|---|---|---|---|')
  await ask(pages, { 'accept-encoding': 'br', accept: 'text/html' }, WARM_SECONDS, WARM_PAGES)
  for (const coding of CODINGS) {
    const headers = { 'accept-encoding': coding, accept: 'text/html' }
    const bytes = await sizeOf(pages[0], headers)
    const figures = []
    // The first round warms up this encoding and does not count.
    for (let number = -1; number < rounds; number++) {
      const before = service.cpu()
      const one = await ask(pages, headers, seconds)
      const after = service.cpu()
      const each = (part) => ((after[part] - before[part]) / one.count) * 1_000
      if (number >= 0) figures.push({ ...one, server: each('server'), database: each('database') })
    }
    const of = (read) => medianOf(figures.map(read))
    const rate = of(({ count, seconds: taken }) => count / taken)
    const times = `${of(({ p50 }) => p50).toFixed(0)}, ${of(({ p99 }) => p99).toFixed(0)}`
    const cpu = `${of(({ server }) => server).toFixed(2)} + ${of(({ database }) => database).toFixed(2)}`
    console.log(`| ${coding} | ${rate.toFixed(0)} | ${times} | ${cpu} | ${bytes} |`)
    if (coding !== 'identity' && rate < LEAST_PAGES)
      missed(`${rate.toFixed(0)} pages a second (${coding})`, LEAST_PAGES)
  }
}

async function ask(pages, headers, forSeconds, most) {
  const { port, keys } = service
  const task = {
    port,
    key: keys.public,
    name: 'pay page',
    shop: null,
    targets: pages,
    clients,
    seconds: forSeconds,
    most,
    headers,
  }
  const figures = await load(task)
  if (figures.error !== null) throw new Error(figures.error)
  return figures
}

async function sizeOf(path, headers) {
  const { headers: told } = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers })
  return Number(told.get('content-length'))
}

async function measureLcp(addresses) {
  const executablePath = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
  const browser = await chromium.launch({
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu', '--no-proxy-server', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  })
  console.log('\n| from | LCP in ms, median | least to most | what it is |')
  console.log('|---|---|---|---|')
  try {
    for (const [name, paths] of Object.entries(addresses)) {
      const seen = []
      for (let number = -1; number < LOADS; number++) {
        const one = await lcpOf(browser, paths[number + 1])
        if (number >= 0) seen.push(one)
      }
      const times = seen.map(({ ms }) => ms).sort((one, other) => one - other)
      const median = medianOf(times)
      const span = `${times[0].toFixed(0)} – ${times.at(-1).toFixed(0)}`
      console.log(`| ${name} | ${median.toFixed(0)} | ${span} | ${seen[0].what} |`)
      if (median > MOST_LCP_MS) missed(`LCP of ${median.toFixed(0)} ms from ${name}`, MOST_LCP_MS)
    }
  } finally {
    await browser.close()
  }
}

/** Uses a new context, so the browser's cache is empty. */
async function lcpOf(browser, path) {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    deviceScaleFactor: 2,
    isMobile: true,
  })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', LINE)
    await page.goto(`http://127.0.0.1:${service.port}${path}`, { waitUntil: 'load' })
    return await page.evaluate(() => {
      const { promise, resolve } = Promise.withResolvers()
      const observer = new PerformanceObserver((list) => {
        const last = list.getEntries().at(-1)
        resolve({ ms: last.startTime, what: `${last.element?.tagName.toLowerCase()}.${last.element?.className}` })
      })
      observer.observe({ type: 'largest-contentful-paint', buffered: true })
      return promise
    })
  } finally {
    await context.close()
  }
}

function missed(figure, bar) {
  console.log(`\nMissed: ${figure}; the bar is ${bar}.\n`)
  process.exitCode = 1
}

// Computes docs/scale.md from the figures of `npm run bench`: how the service grows. The bench writes the page, and a test compares it with
// results.json, so that no figure is older than its measurement.

/** Size of the example installation. */
const SHOPS = 10_000
const ORDERS_OF_SHOP = 1_000_000
const YEARS = 5
/** Ratio of the busiest hour to the average. */
const PEAK = 4
/** CPU utilization at the peak. */
const BUSY = 0.6
const SECONDS_OF_YEAR = 365 * 86_400
const PRODUCTS_OF_SHOP = 1_000

/** Operations of shoppers per completed order. */
const PER_ORDER = {
  'get a product': 50,
  'list 20 products': 10,
  'new cart + first item': 4,
  'add a new line': 2,
  'add to a line': 1,
  'read a cart': 8,
  token: 2,
  live: 4,
  'whole purchase': 1,
}

const OF_AN_ORDER = ['orders', 'order_items', 'order_transactions', 'customers', 'customer_addresses']
/**
 * The bench neither ships nor delivers downloads. In production most orders ship as one parcel with all three items, and some have a
 * download; these shares are our assumption. The bytes per row were measured once, as the growth of tables and indexes with 20,000 orders.
 */
const AFTER_AN_ORDER = { shipments: 0.9 * 302, shipment_items: 0.9 * 3 * 312, downloads: 0.1 * 326 }
const OF_A_CART = ['carts', 'cart_lines']
const OF_A_TOKEN = ['checkouts', 'checkout_lines']
const OF_A_PAYMENT = ['capture_attempts', 'idempotency_keys', 'events']
const OF_A_PRODUCT = [
  ...['products', 'product_categories', 'product_assets', 'product_attributes', 'related_products', 'extra_fields'],
  ...['variant_groups', 'variant_options', 'variants', 'stock'],
]
/** Retention in days: of carts, payments and events; and of tokens. */
export const CART_DAYS = 30
export const TOKEN_DAYS = 7

/**
 * Connections of a process that serves requests, or of the primary of `WORKERS`, which only runs jobs; each includes one for its heartbeat.
 * The second is for a process that does both, as without `WORKERS`.
 */
export const CONNECTIONS = 5
export const CONNECTIONS_OF_BOTH = 9
/** Serving processes per process that runs jobs: `WORKERS` of each machine. */
const WORKERS = 8
/** Assumed capacity of one PostgreSQL: a choice, not a measurement. */
const BOX_TERABYTES = 4
const BOX_CORES = 32

const TB = 1e12
const GB = 1e9

/** @param results Content of results.json. */
export function model({ scenarios, clients, bytesPerRow }) {
  const sum = (tables) => tables.reduce((total, table) => total + (bytesPerRow[table] ?? 0), 0)
  const costs = Object.entries(PER_ORDER).map(([name, times]) => {
    const figures = scenarios.find((scenario) => scenario.name === name)?.loads?.[clients]
    if (figures === undefined) throw new Error(`"${name}" was not measured, and docs/scale.md counts with it.`)
    const { serverMs, databaseMs, walBytes } = figures
    return { name, times, serverMs, databaseMs, walBytes }
  })
  const perOrder = (read) => costs.reduce((total, cost) => total + cost.times * read(cost), 0)
  const serverMs = perOrder((cost) => cost.serverMs)
  const databaseMs = perOrder((cost) => cost.databaseMs)
  const walBytes = perOrder((cost) => cost.walBytes)
  const orders = SHOPS * ORDERS_OF_SHOP
  const average = orders / (YEARS * SECONDS_OF_YEAR)
  const peak = average * PEAK
  const ordersADay = average * 86_400
  const sent = Object.values(AFTER_AN_ORDER).reduce((total, each) => total + each, 0)
  const bytes = {
    sent,
    order: sum(OF_AN_ORDER) + sent,
    cart: sum(OF_A_CART),
    token: sum(OF_A_TOKEN),
    payment: sum(OF_A_PAYMENT),
    product: sum(OF_A_PRODUCT),
  }
  const kept = orders * bytes.order
  const passing =
    ordersADay *
    (CART_DAYS * (PER_ORDER['new cart + first item'] + 1) * bytes.cart +
      TOKEN_DAYS * (PER_ORDER.token + 1) * bytes.token +
      CART_DAYS * bytes.payment)
  const catalogue = SHOPS * PRODUCTS_OF_SHOP * bytes.product
  const cores = (ms) => (peak * ms) / 1_000 / BUSY
  const serverCores = cores(serverMs)
  const databaseCores = cores(databaseMs)
  const total = kept + passing + catalogue
  const machines = Math.ceil(serverCores / WORKERS)
  return {
    costs,
    serverMs,
    databaseMs,
    walBytes,
    average,
    peak,
    bytes,
    kept,
    passing,
    catalogue,
    total,
    serverCores,
    databaseCores,
    machines,
    connections: (Math.ceil(serverCores) + machines) * CONNECTIONS,
    nodesByBytes: Math.ceil(total / (BOX_TERABYTES * TB)),
    nodesByCores: Math.ceil(databaseCores / BOX_CORES),
    /** Orders a second for a number of cores: all on one box, and the database alone. */
    onBox: (count) => (count * 1_000 * BUSY) / (serverMs + databaseMs),
    onDatabase: (count) => (count * 1_000 * BUSY) / databaseMs,
    /** Orders until one PostgreSQL is full. */
    ordersOfBox: (BOX_TERABYTES * TB) / bytes.order,
  }
}

export function scalePage(results) {
  const m = model(results)
  const many = (value, digits = 0) =>
    value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })
  const kb = (value) => `${many(value / 1_000, 1)} KB`
  const size = (value) => (value >= TB ? `${many(value / TB, 1)} TB` : `${many(value / GB, 1)} GB`)
  const costs = m.costs.map(
    ({ name, times, serverMs, databaseMs, walBytes }) =>
      `| ${name} | ${times} | ${many(serverMs, 2)} | ${many(databaseMs, 2)} | ${kb(walBytes)} |`,
  )
  // Two digits: the model is based on minutes on one machine and is not more precise.
  const aDay = (perSecond) => many(Number(((perSecond * 86_400) / PEAK).toPrecision(2)))
  const [what, more, least] =
    m.nodesByBytes >= m.nodesByCores
      ? ['storage', m.nodesByBytes, m.nodesByCores]
      : ['the CPU of PostgreSQL', m.nodesByCores, m.nodesByBytes]
  const other = what === 'storage' ? 'CPU' : 'storage'
  const first = `The first limit is **${what}**: it needs ${many(more)} PostgreSQL servers of ${BOX_TERABYTES} TB and ${BOX_CORES} cores, where ${other} alone would need ${many(least)}. The
disks of one are full after ${many(m.ordersOfBox / 1e6)} million orders.`
  return `# How it grows

This page is computed: \`npm run bench\` measures the constants, puts them into the model below and writes the page. A test compares it
with [bench/results.json](../bench/results.json). Measured on ${results.measuredOn}, with one shop of ${many(results.rows)} of everything.
Your cores are not those cores: run the bench on your machine, and the page is about it.

## What one operation costs

CPU time of the server and of PostgreSQL, and bytes that PostgreSQL writes to its log (WAL), at ${results.clients} clients with full tables. "Times" is our assumption of
what shoppers do for one order that is made in the end; change it in \`bench/scale.js\`.

| operation | times for an order | server, ms | database, ms | WAL |
|---|---|---|---|---|
${costs.join('\n')}
| **for one order** | | **${many(m.serverMs)}** | **${many(m.databaseMs)}** | **${kb(m.walBytes)}** |

How much of it hangs on how full the tables are is measured, too: [bench/results.md](../bench/results.md) has the ratio of full to empty tables for each.

## What one order leaves behind

Measured as the growth of the tables with their indexes, for a row of each that the API wrote (three lines in a cart and in an order). The bench
sends nothing: that nine orders of ten have one parcel and one of ten has a download is our assumption, with the bytes of such rows as they were measured once,
apart from the bench (${kb(m.bytes.sent)} of an order's).

| what | bytes | kept |
|---|---|---|
| an order with its items, payment, customer, parcel and downloads | ${kb(m.bytes.order)} | for ever |
| a cart | ${kb(m.bytes.cart)} | ${CART_DAYS} days |
| a checkout token | ${kb(m.bytes.token)} | ${TOKEN_DAYS} days |
| the attempt to pay, its event, its idempotency key | ${kb(m.bytes.payment)} | ${CART_DAYS} days at most; an attempt that came to nothing 90 |
| a product with options, variants and stock | ${kb(m.bytes.product)} | as long as it is sold |

## ${many(SHOPS)} shops with ${many(ORDERS_OF_SHOP)} orders each

${many(SHOPS * ORDERS_OF_SHOP)} orders over ${YEARS} years are ${many(m.average)} a second on average; we count with a peak of ${PEAK} times that, ${many(m.peak)} a second, and with CPUs that
are busy for ${BUSY * 100} % of it. Each shop has ${many(PRODUCTS_OF_SHOP)} products.

| needed | how much | how it is computed |
|---|---|---|
| orders, for ever | ${size(m.kept)} | orders × ${kb(m.bytes.order)} |
| what passes through | ${size(m.passing)} | orders a day × days × bytes of carts, tokens, payments |
| catalogues | ${size(m.catalogue)} | shops × products × ${kb(m.bytes.product)} |
| **storage of PostgreSQL**, once | **${size(m.total)}** | their sum; twice that with a standby |
| **CPU of the servers** | **${many(m.serverCores)} cores** | peak × ${many(m.serverMs)} ms ÷ ${BUSY} |
| **CPU of PostgreSQL** | **${many(m.databaseCores)} cores** | peak × ${many(m.databaseMs)} ms ÷ ${BUSY} |
| WAL at the peak | ${many((m.peak * m.walBytes) / 1e6, 1)} MB/s | peak × ${kb(m.walBytes)} |
| connections | ${many(m.connections)} | a process for each core of the servers, and on each of ${many(m.machines)} machines of ${WORKERS} cores one that has the jobs, × ${CONNECTIONS}; a process that serves and has jobs, as without \`WORKERS\`, opens ${CONNECTIONS_OF_BOTH} |

${first} One shop of a million orders is ${size(ORDERS_OF_SHOP * m.bytes.order)}, and no problem anywhere.

## Step by step

"Orders a day" is what the CPUs carry when the busiest hour is ${PEAK} times the average.

| step | orders a day | what to do |
|---|---|---|
| one box, 2 cores | ${aDay(m.onBox(2))} | \`npx cartwright start\`; nothing else |
| one box, 8 cores | ${aDay(m.onBox(8))} | \`WORKERS=4\`: one process uses one core, and PostgreSQL wants the rest |
| a PostgreSQL of its own, ${BOX_CORES} cores | ${aDay(m.onDatabase(BOX_CORES))} | \`DATABASE_URL\`; as many servers with as many \`WORKERS\` as the CPU of the servers asks for. They share the database, and the files by S3, and nothing else: any of them may answer any request. Set \`max_connections\` to ${CONNECTIONS} for each process of \`WORKERS\` and their primary, ${CONNECTIONS_OF_BOTH} for each start without \`WORKERS\`, and 20 more |
| reports | the same | a streaming replica of PostgreSQL for whoever counts and exports by SQL. The service itself reads from the primary alone: a cart that was just written must be there |
| more than one PostgreSQL holds | × nodes | Citus: \`DATABASE_URL\` of its coordinator, then \`cartwright migrate\`. Every table of a shop is distributed by its merchant, and a request touches one shard. For the ${many(SHOPS)} shops: ${many(m.nodesByBytes)} nodes of ${BOX_TERABYTES} TB by storage, ${many(m.nodesByCores)} of ${BOX_CORES} cores by CPU, and several times that many with what [Citus itself costs](shards.md#what-it-costs); the larger number counts |

## Memory

The aims were 90 MB idle, 150 MB after every scenario and 90 MB for each worker more. Measured: ${results.memory.idle} MB idle, **${results.memory.after} MB after all scenarios in a row**, and with
\`WORKERS\` ${results.memory.primary} MB of the primary and ${results.memory.workers.join(', ')} MB of the workers, idle. What stands in the way:

- Idle: Node.js itself, the compiled program with its routes, schemas and serializers, and the clients of PostgreSQL. Most of it is in every process.
- After load: V8 collects garbage late while there is room, so that most of what a process holds waits to be collected. With a smaller heap,
  \`NODE_OPTIONS='--max-old-space-size=192 --max-semi-space-size=8'\`, side by side at 32 clients (shop pages, carts, purchases one after the other) a process took
  148 – 162 MB in place of 194 – 240 MB, for 4 to 19 % more CPU of server and database together: an add to a cart 17 %, a purchase 11 %. A smaller young generation alone (4 or 8 MB)
  saved nothing. On a small machine it is worth setting.
- What is kept on purpose, and bounded: what lines show of products, 16 MB of text (\`src/api/lines/goods.ts\`); the pieces of which replies are put together, 16 MB
  (\`src/http/endpoint/pieces.ts\`); what clients have spent of their share, some 20 MB where very many come (\`src/http/endpoint/client-meter.ts\`). These alone are a third of 150 MB when they are full.

## What is not claimed

- The constants are those of warm caches: the list is always the same first page, products are 1,000 in turn, and what the service and PostgreSQL keep in memory
  holds both. A shop whose visitors look at all of a large catalogue costs more of each; how much was not measured.
- Nothing above two cores was measured. The model multiplies; it knows no locks, network or disks that are too slow. What is written to is a
  shop's own rows, but for the few tables that all shops share (merchants, their keys, schedules), which change seldom.
- On Citus, CPU was measured with all nodes on one machine: it takes several times as much of it ([shards](shards.md#what-it-costs)). The nodes by
  CPU above do not count with that.
- ${BOX_TERABYTES} TB and ${BOX_CORES} cores for one PostgreSQL are our choice for this page, not limits of PostgreSQL.
- Files of products lie in the data folder or in S3 and are not counted.
`
}

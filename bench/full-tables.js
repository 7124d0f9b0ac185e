// Fills the tables of a migrated database as years of trade would. It makes ten shops. The large one has 100,000 carts, orders, products,
// customers, events and jobs, with their dependent rows. Each row copies one that the API wrote, so row sizes are realistic. A copy has new
// ids of the usual form, its own unique values and its own time. PostgreSQL's catalogue lists the columns, so columns added later are
// copied too.
// It analyses no table, and does nothing that would make PostgreSQL replan statements prepared before.

import pg from 'pg'
import { readSchema } from './schema.js'

/**
 * Families to copy as a whole: a row, and rows of other tables whose key refers to it by `link`. `of` names the order's column that selects
 * the row to copy. If the shop has no order, or the row is gone, the row of median size is copied.
 */
const FAMILIES = [
  { root: 'products', link: 'product_id', most: 10 },
  { root: 'customers', link: 'customer_id', of: 'customer_id' },
  { root: 'carts', link: 'cart_id', of: 'cart_id' },
  { root: 'checkouts', link: 'checkout_id', of: 'checkout_id' },
  { root: 'orders', link: 'order_id', of: 'id' },
  { root: 'capture_attempts', link: 'attempt_id', of: 'attempt_id' },
  { root: 'test_charges', of: 'attempt_id' },
  { root: 'events', most: 5 },
  { root: 'jobs', most: 5 },
  { root: 'mails' },
  // The service keeps these for a day or less.
  { root: 'idempotency_keys', oneIn: 10 },
  { root: 'attempts', oneIn: 10 },
]

/** Columns that every copy keeps: they refer to a row that the whole shop shares, or JSON of the same copy refers to them. */
const KEPT =
  /^(category|asset|attribute|group|option|zone|discount|gift_card|payment_method|shipping_method|line_item)_id$|^(variant_groups|variant_options|extra_fields|cart_lines|checkout_lines)\.id$/

/** SQL values. `row` is the copied row; `copy` has its number n, its unique code, and its age. */
const VALUES = {
  'products.name': "row.name || ' ' || copy.n",
  'products.sku': "row.sku || '-' || copy.code",
  'products.price': 'least(row.price + copy.n % 400 * 25, 1000000000000)',
  'customers.email': "copy.code || '.' || row.email",
  'customers.email_key': "lower(copy.code) || '.' || copy.n || '.' || row.email_key",
  'orders.email': "copy.code || '.' || row.email",
  'orders.customer_reference': "regexp_replace(row.customer_reference, '[0-9]+$', '') || (1000000 + copy.n)",
  // Counted in the sales of their day, except those of the last minute.
  'orders.sales_day': 'case when copy.n % 100 > 0 then (:now::timestamptz - copy.age)::date end',
  'orders.is_returning': 'case when copy.n % 100 > 0 then copy.n % 3 = 0 end',
  'mails.recipient': "copy.code || '.' || row.recipient",
  // Jobs are due in the future: otherwise the workers of the measured service would run them all.
  'jobs.due_at': "greatest(row.due_at, :now::timestamptz) + interval '30 days' + copy.age",
  'jobs.is_running': 'false',
  'attempts.resets_at': ":now::timestamptz + interval '1 day' + copy.age",
}

const ID = "'^[a-z]+_[0-9A-Za-z]{26}$'"
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Maximum age of copies: too young for any cleanup to delete them. */
const OLDEST = '5 days'

/**
 * @typedef {object} Filling
 * @property {number} merchantId The shop whose rows are copied; it becomes the large one.
 * @property {number} [rows] Copies of each root for it.
 * @property {number} [shops] Total number of shops, including this one.
 * @property {number} [rowsOfOthers] Copies for each other shop.
 * @property {Date} [now] The reader's current time: ages are relative to it.
 * @property {string[]} [only] Copy only these roots.
 * @property {() => Promise<unknown>} [besides] Inserts other rows at the same time.
 * @property {Record<string, string[]>} [templates] Ids to copy per root (`{ products: ['prod_…'] }`), instead of rows of median size.
 */

/**
 * @param {import('pg').ClientConfig} connection A role that may set `session_replication_role`: checking foreign keys of millions of
 * correct copies would take most of the time.
 * @param {Filling} filling
 * @returns {Promise<{ rows: Record<string, number>, shops: number[], missing: string[] }>} Rows created per table; the other shops; the
 * roots for which the shop had no row.
 */
export async function fillTables(connection, filling) {
  const { merchantId, rows = 100_000, shops = 10, rowsOfOthers = 200, now = new Date() } = filling
  const clients = await Promise.all([open(connection), open(connection)])
  const [client] = clients
  try {
    const schema = await readSchema(client)
    const others = await makeShops(client, schema, merchantId, shops - 1)
    const { chosen, missing } = await chooseTemplates(client, schema, merchantId, filling.templates ?? {})
    const isFilled = (root) => chosen.has(root) && (filling.only?.includes(root) ?? true)
    // Lines refer to copies of these products, if there are any.
    const products = isFilled('products') ? chosen.get('products') : []
    const values = { now: now.toISOString(), merchant_id: merchantId, products }
    const sizes = [[merchantId, rows], ...others.map((id) => [id, rowsOfOthers])]
    await makeCopies(client, { sizes, now, products: products.length })
    const parts = await gatherParts(client)
    const statements = FAMILIES.filter(({ root }) => isFilled(root)).flatMap((family) =>
      tablesOf(schema, family).map((table) => ({ table, family, keys: chosen.get(family.root) })),
    )
    // Longest first; each session takes the next statement when it is done with one.
    const heavy = ['products', 'orders', 'mails', 'idempotency_keys', 'stock', 'cart_lines']
    statements.sort((a, b) => (heavy.indexOf(b.table) >= 0) - (heavy.indexOf(a.table) >= 0))
    const made = {}
    const work = async (session) => {
      for (let next = statements.shift(); next; next = statements.shift())
        made[next.table] = await copyTable(session, schema, { ...next, values })
    }
    await Promise.all([...clients.map(work), filling.besides?.()])
    await client.query(`drop table ${[SETS, PLAIN_COPIES, COPIES]}`)
    await enterParts(client, parts)
    await raiseCounters(client, schema)
    await recount(client, schema)
    return { rows: made, shops: others, missing }
  } finally {
    for (const each of clients) await each.end()
  }
}

/**
 * Turns off autovacuum for all tables. This makes PostgreSQL forget its plans, so call it before statements are prepared.
 * @param {import('pg').ClientConfig} connection
 */
export async function leaveUnanalysed(connection) {
  const client = await open(connection)
  try {
    for (const table of (await readSchema(client)).keys())
      await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  } finally {
    await client.end()
  }
}

/**
 * Lets GIN indexes collect new entries and merge them at once later: row by row would take most of the time. This changes no index that a
 * plan depends on; test/plans checks that its plans stay.
 * @returns {Promise<string[]>} The indexes that now collect entries.
 */
async function gatherParts(client) {
  const { rows } = await client.query(
    `select index.relname as name from pg_class index join pg_am on pg_am.oid = index.relam
     where pg_am.amname = 'gin' and index.relnamespace = 'public'::regnamespace and 'fastupdate=off' = any(index.reloptions)`,
  )
  for (const { name } of rows)
    await client.query(`alter index ${name} set (fastupdate = on, gin_pending_list_limit = ${MOST_GATHERED_KB})`)
  return rows.map(({ name }) => name)
}

/** More than is ever collected. */
const MOST_GATHERED_KB = 2_000_000

async function enterParts(client, indexes) {
  await client.query(`set maintenance_work_mem = '512MB'`)
  for (const name of indexes) {
    await client.query('select gin_clean_pending_list($1::regclass)', [name])
    await client.query(`alter index ${name} set (fastupdate = off)`)
    await client.query(`alter index ${name} reset (gin_pending_list_limit)`)
  }
}

async function open(connection) {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`set session_replication_role = replica; set synchronous_commit = off; set work_mem = '128MB';
    set statement_timeout = 0; set jit = off; set max_parallel_workers_per_gather = 0`)
  return client
}

/** Creates further shops, each with copies of the first shop's rows except its keys. */
async function makeShops(client, schema, merchantId, count) {
  const made = []
  for (let n = 0; n < count; n++) {
    const own = schema.get('merchants').columns.filter(({ name }) => name !== 'merchant_id')
    const names = own.map(({ name }) => name)
    const { rows } = await client.query(
      `insert into merchants (${names}) select ${names} from merchants where merchant_id = $1 returning merchant_id`,
      [merchantId],
    )
    const shop = rows[0].merchant_id
    for (const [table, { columns, uniques }] of schema) {
      // Keys and other values that are unique in the whole installation can belong to one shop only.
      if (table === 'merchants' || table === 'jobs' || uniques.some((unique) => !unique.includes('merchant_id')))
        continue
      const list = columns.map(({ name }) => name)
      const taken = list.map((name) => (name === 'merchant_id' ? '$2::integer' : name))
      await client.query(`insert into ${table} (${list}) select ${taken} from ${table} where merchant_id = $1`, [
        merchantId,
        shop,
      ])
    }
    made.push(shop)
  }
  return made
}

/** Chooses the keys of the rows to copy, by root. */
async function chooseTemplates(client, schema, merchantId, given) {
  const chosen = new Map()
  const missing = []
  // The order comes first, because its cart, token and customer are copied too.
  const order = await orderToCopy(client, schema, merchantId, given.orders)
  for (const family of FAMILIES) {
    const { root, of, most = 1 } = family
    const key = keyOf(schema, family)
    const asked = given[root] ?? (of && order?.[of] ? [order[of]] : [])
    const { rows } = await client.query(
      `select ${key} as key from ${root} where merchant_id = $1 and ${key}::text = any($2::text[])`,
      [merchantId, asked],
    )
    const keys =
      rows.length > 0 ? rows.map((row) => row.key) : await medians(client, schema, { family, merchantId, most })
    if (keys.length > 0) chosen.set(root, keys)
    else missing.push(root)
  }
  return { chosen, missing }
}

async function orderToCopy(client, schema, merchantId, given) {
  const family = FAMILIES.find(({ root }) => root === 'orders')
  const [id] = given ?? (await medians(client, schema, { family, merchantId, most: 1 }))
  const { rows } = await client.query('select * from orders where merchant_id = $1 and id = $2', [merchantId, id])
  return rows[0]
}

/** Returns the rows of median size, measured with all their dependent rows. */
async function medians(client, schema, { family, merchantId, most }) {
  const { root, link } = family
  const key = keyOf(schema, family)
  const lengths = tablesOf(schema, family).map((table) =>
    table === root
      ? 'pg_column_size(root.*)'
      : `coalesce((select sum(pg_column_size(part.*)) from ${table} part
           where part.merchant_id = root.merchant_id and part.${link} = root.${key}), 0)`,
  )
  const { rows } = await client.query(
    `select ${key} as key from (
       select ${key}, row_number() over (order by ${lengths.join(' + ')}, ${key}) as place, count(*) over () as total
       from ${root} root where merchant_id = $1
     ) as measured
     order by abs(place - (total + 1) / 2.0) limit $2`,
    [merchantId, most],
  )
  return rows.map((row) => row.key)
}

/** The column that identifies a row of the root within its shop. */
const keyOf = (schema, { root }) =>
  schema
    .get(root)
    .key.filter((name) => name !== 'merchant_id')
    .at(-1)

/** Returns the root, and every table with rows that belong to a row of it. */
function tablesOf(schema, { root, link }) {
  if (link === undefined) return [root]
  const parts = [...schema].filter(
    ([table, { key, columns, parents }]) =>
      table !== root &&
      columns.some(({ name }) => name === link) &&
      (key.includes(link) || parents.some((parent) => parent.table === root && parent.columns.includes(link))),
  )
  return [root, ...parts.map(([table]) => table)]
}

// No temporary tables: a session's first one creates a schema, and PostgreSQL then replans all statements in all sessions.
const SETS = 'filling_sets'
const PLAIN_COPIES = 'filling_plain_copies'
const COPIES = 'filling_copies'
const TEMPLATE = 'filling_template'

/**
 * Creates one row per copy and shop. The template products are copied together as a set, as often as needed. Carts and tokens of copy n
 * contain products of set `n % sets`.
 */
async function makeCopies(client, { sizes, now, products }) {
  const base62 = (number, digits) =>
    Array.from(
      { length: digits },
      (_, n) => `substr('${ALPHABET}', (${number} / ${62 ** (digits - 1 - n)} % 62)::integer + 1, 1)`,
    ).join(' || ')
  const fill = (table, share) => `
    create unlogged table ${table} as
    select merchant_id, n, number, age, ${base62('(extract(epoch from $3::timestamptz - age) * 1000)::bigint', 9)} as stamp,
      ${base62('number', 6)} as code
    from (
      select merchant_id, n, row_number() over (order by merchant_id, n) as number,
        interval '${OLDEST}' * (1 - n::double precision / count) as age
      from unnest($1::integer[], $2::integer[]) as shop (merchant_id, size),
        lateral (select greatest(1, ceil(size / ${share}.0)::integer) as count) as counted,
        lateral generate_series(0, count - 1) as n
    ) as numbered`
  const lists = [sizes.map(([id]) => id), sizes.map(([, size]) => size), now.toISOString()]
  await client.query(fill(SETS, Math.max(1, products)), lists)
  await client.query(fill(PLAIN_COPIES, 1), lists)
  await client.query(`
    create unlogged table ${COPIES} as
    select copy.*, of.stamp as set_stamp, of.code as set_code
    from ${PLAIN_COPIES} copy
    join (select merchant_id, count(*) as total from ${SETS} group by merchant_id) as counted using (merchant_id)
    join ${SETS} of on of.merchant_id = copy.merchant_id and of.n = copy.n % counted.total`)
}

async function copyTable(client, schema, { table, family, keys, values }) {
  const { columns, key, uniques } = schema.get(table)
  const isOfProducts = family.root === 'products'
  const link = table === family.root ? keyOf(schema, family) : family.link
  const rows = `${table} row where row.merchant_id = :merchant_id and row.${link}::text = any(:keys::text[])`
  const own = { ...values, keys: keys.map(String) }
  const ids = await idColumns(client, columns, rows, own)
  const renewed = (name, stamp = 'copy.stamp', code = 'copy.code') =>
    `left(row.${name}, -26) || ${stamp} || substr(right(row.${name}, 17), 1, 11) || ${code}`
  const expressions = new Map()
  for (const { name, type } of columns) {
    const place = `${table}.${name}`
    if (name === 'merchant_id') expressions.set(name, 'copy.merchant_id')
    else if (VALUES[place]) expressions.set(name, VALUES[place])
    else if (ids.has(name) && !KEPT.test(name) && !KEPT.test(place))
      expressions.set(name, name === 'product_id' && !isOfProducts ? productOf(renewed) : renewed(name))
    else if (type === 'timestamp with time zone')
      // Times in the future stay in the future.
      expressions.set(name, `row.${name} + case when row.${name} > :now::timestamptz then copy.age else - copy.age end`)
    else expressions.set(name, `row.${name}`)
  }
  for (const unique of [key, ...uniques]) tellApart(unique, columns, expressions)
  // Skip related products that are not copied themselves.
  const isWhole = table === 'related_products' ? ' and row.related_id = any(:products::text[])' : ''
  // Read the template rows once, instead of searching for each copy in a growing table.
  const asked = named(
    `select row.*, array_position(:keys::text[], row.${link}::text) - 1 as turn from ${rows}${isWhole}`,
    own,
  )
  const template = `${TEMPLATE}_${table}`
  await client.query({ text: `create unlogged table ${template} as ${asked.text}`, values: asked.values })
  const isItsTurn = isOfProducts
    ? 'true'
    : `copy.n % ${keys.length} = ${template}.turn and copy.n % ${family.oneIn ?? 1} = 0`
  const text = `insert into ${table} (${[...expressions.keys()]})
    select ${[...expressions.values()].join(', ')}
    from ${isOfProducts ? SETS : COPIES} copy, lateral (select * from ${template} where ${isItsTurn} offset 0) as row`
  const { rowCount } = await client.query(named(text, own))
  await client.query(`drop table ${template}`)
  return rowCount
}

/** The product of a line: its copy in the same set, if there is one. */
const productOf = (renewed) =>
  `case when row.product_id = any(:products::text[]) then ${renewed('product_id', 'copy.set_stamp', 'copy.set_code')}
     else row.product_id end`

/** Returns the columns that contain only ids. */
async function idColumns(client, columns, rows, values) {
  const texts = columns.filter(({ type }) => type === 'text')
  if (texts.length === 0) return new Set()
  const asked = texts.map(({ name }) => `coalesce(bool_and(row.${name} ~ ${ID}), false) as ${name}`)
  const { rows: found } = await client.query(named(`select ${asked} from ${rows}`, values))
  return new Set(texts.map(({ name }) => name).filter((name) => found[0][name]))
}

/** Makes two copies of one row differ in every unique index. */
function tellApart(unique, columns, expressions) {
  const differs = ({ name }) => name !== 'merchant_id' && expressions.get(name) !== `row.${name}`
  const own = columns.filter(({ name }) => unique.includes(name))
  if (own.some((column) => differs(column) && column.type !== 'timestamp with time zone')) return
  const texts = own.filter(({ type }) => type === 'text' || type === 'bytea')
  const column = texts.at(-1)
  // No text column to change: the index then belongs to a shop's own row, which is never copied here.
  if (column === undefined) return
  const { name, type } = column
  expressions.set(
    name,
    type === 'text' ? `row.${name} || '-' || copy.code` : `sha256(row.${name} || convert_to(copy.code, 'UTF8'))`,
  )
}

/** New order numbers continue above the greatest. */
async function raiseCounters(client, schema) {
  if (!schema.has('order_counters')) return
  await client.query(`
    update order_counters counter set last_number = greatest(last_number, (
      select coalesce(max(substring(customer_reference from '-([0-9]{1,18})$')::bigint), 0) from orders
      where orders.merchant_id = counter.merchant_id and orders.is_sandbox = counter.is_sandbox
    ))`)
}

/** Recounts stored totals of lists; a list has the name of its table. */
async function recount(client, schema) {
  if (!schema.has('kept_counts')) return
  const { rows } = await client.query('select distinct list from kept_counts')
  for (const { list } of rows) {
    const isActive = list === 'active_products'
    const table = isActive ? 'products' : list
    if (!schema.has(table)) throw new Error(`kept_counts has a list "${list}", and there is no such table to count.`)
    // Gateways have one list for both modes.
    const isOfMode = list !== 'payment_methods' && schema.get(table).columns.some(({ name }) => name === 'is_sandbox')
    const mode = isOfMode ? 'is_sandbox' : 'false'
    await client.query('delete from kept_counts where list = $1', [list])
    await client.query(
      `insert into kept_counts (merchant_id, list, is_sandbox, slot, total)
       select merchant_id, $1, ${mode}, 0, count(*) from ${table} ${isActive ? 'where is_active' : ''} group by 1, 3`,
      [list],
    )
  }
  if (!schema.has('category_counts')) return
  await client.query('delete from category_counts')
  await client.query(
    `insert into category_counts (merchant_id, category_id, slot, products)
     select link.merchant_id, link.category_id, 0, count(*)
     from product_categories link
     join products product on product.merchant_id = link.merchant_id and product.id = link.product_id and product.is_active
     group by 1, 2`,
  )
}

/** Converts `:name` parameters to node-postgres's `$n`. */
function named(text, values) {
  const order = []
  const numbered = text.replace(/(?<!:):([a-z_]+)/g, (_, name) => {
    if (!order.includes(name)) order.push(name)
    return `$${order.indexOf(name) + 1}`
  })
  return { text: numbered, values: order.map((name) => values[name]) }
}

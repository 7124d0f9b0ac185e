// Measures lists of deliveries: `npm run bench:delivery-lists`. It requests the same pages with a thousand deliveries of a webhook, and
// again with a million. One process does both, without table statistics. Each page should take the same time.

import { fileURLToPath } from 'node:url'
import { openService } from './service.js'

const FEW = 1_000
const MANY = 1_000_000
const TIMES = 200

const service = await openService(fileURLToPath(new URL('../', import.meta.url)), {})
try {
  const webhook = await service.send('POST', '/v1/webhooks', { transport: 'listen', subscribed_events: ['*'] })
  // Create one real delivery. The others are older copies of it with their own ids.
  await service.send('POST', '/v1/attributes', { name: 'Colour', description: '', type: 'short_text' })
  await fill(1, FEW)
  const path = `/v1/webhooks/${webhook.id}/deliveries`
  const { before: middle } = await middleOf(FEW)
  const few = await measure(pages(path, middle))
  await fill(FEW, MANY)
  const { before: deep } = await middleOf(MANY)
  const many = await measure(pages(path, deep))
  console.log(
    `| list, ${TIMES} times each | with ${FEW}, ms (p50) | with ${MANY}, ms (p50) | ratio |\n|---|---|---|---|`,
  )
  for (const [name, one] of Object.entries(few))
    console.log(`| ${name} | ${one.toFixed(2)} | ${many[name].toFixed(2)} | ${(many[name] / one).toFixed(2)} |`)
} finally {
  await service.close()
}

function pages(path, before) {
  return {
    'the newest 25': `${path}?limit=25`,
    'the newest 100': `${path}?limit=100`,
    'a page from the middle': `${path}?limit=25&after=${before}`,
    'those that failed': `${path}?limit=25&state=failed`,
    'of one event': `${path}?limit=25&event=attributes.create`,
  }
}

/** Creates deliveries number `from` to `to`, each a second older than the previous one; every hundredth has failed. */
async function fill(from, to) {
  await service.admin.query(
    `insert into deliveries
     select merchant_id, webhook_id, 'dlvr_0' || lpad((100000000 - n)::text, 19, '0') || right(webhook_id, 6),
       'evt_0' || lpad((100000000 - n)::text, 25, '0'), event, object_id,
       case when n % 100 = 0 then 'failed' else 'delivered' end, null, false, claim, 1, 0, 204, null, log,
       created_at - n * interval '1 second', updated_at
     from (select * from deliveries order by id desc limit 1) newest, generate_series($1::integer, $2::integer) n`,
    [from, to - 1],
  )
}

async function middleOf(count) {
  const { rows } = await service.admin.query('select id as before from deliveries order by id desc offset $1 limit 1', [
    count / 2,
  ])
  return rows[0]
}

async function measure(wanted) {
  const times = Object.fromEntries(Object.keys(wanted).map((name) => [name, []]))
  // In turns, so that a slow moment affects all of them.
  for (let time = 0; time < TIMES; time++)
    for (const [name, url] of Object.entries(wanted)) {
      const startedAt = performance.now()
      const { data } = await service.send('GET', url)
      times[name].push(performance.now() - startedAt)
      if (data.length === 0) throw new Error(`There is nothing in the list: ${url}`)
    }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, all.sort((a, b) => a - b)[TIMES / 2]]))
}

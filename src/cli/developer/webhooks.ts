// `cartwright webhooks list | create | test | delete`.

import type { Config } from '../../config.ts'
import type { Call } from '../client/call.ts'
import { connectToService, SERVICE_OPTIONS } from '../client/reach.ts'
import { printLine, readArguments, UsageError } from '../help.ts'
import { printJsonLine, toTableCell } from './lines.ts'

export async function webhooksCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'list') return list(config, rest)
  if (verb === 'create') return create(config, rest)
  if (verb === 'test') return test(config, rest)
  if (verb === 'delete') return remove(config, rest)
  throw new UsageError('webhooks needs a subcommand: list, create, test or delete.')
}

const OPTIONS = { ...SERVICE_OPTIONS, json: { type: 'boolean' } } as const

async function list(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, OPTIONS)
  const { call } = await connectToService(config, values)
  let count = 0
  for await (const webhook of iterateWebhooks(call)) {
    count++
    if (values.json) printJsonLine(webhook)
    else printLine(describe(webhook))
  }
  if (count === 0 && !values.json) printLine('There are no webhooks.')
}

function describe({
  id,
  state,
  disabled_reason: reason,
  transport,
  url,
  description,
  subscribed_events: events,
}: ListedApiWebhook) {
  const where = transport === 'listen' ? description || 'cartwright listen' : url
  return [
    id,
    toTableCell(reason === null ? state : `${state} (${reason})`, 8),
    toTableCell(where),
    toTableCell(events.join(',')),
  ].join('  ')
}

async function create(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, {
    ...OPTIONS,
    url: { type: 'string' },
    events: { type: 'string' },
    description: { type: 'string' },
  })
  const { url, events, description } = values
  if (url === undefined || events === undefined)
    throw new UsageError('webhooks create needs --url https://… and --events orders.create,orders.refund (or "*").')
  const { call } = await connectToService(config, values)
  const body = {
    url,
    subscribed_events: events.split(',').map((name) => name.trim()),
    ...(description === undefined ? {} : { description }),
  }
  const newWebhook = await call<ListedApiWebhook>('POST', '/v1/webhooks', body, { isInShopVersion: true })
  if (values.json) return printJsonLine(newWebhook)
  printLine(`${newWebhook.id}  ${toTableCell(newWebhook.url)}`)
  printLine(`Its signing secret, shown only once: ${newWebhook.signing_key ?? ''}`)
}

async function test(config: Config, args: readonly string[]) {
  const { values, id } = readId(args, 'test')
  const { call } = await connectToService(config, values)
  const testDelivery = await call<{ delivery: string; event: string }>('POST', `/v1/webhooks/${id}/test`)
  if (values.json) return printJsonLine(testDelivery)
  printLine(`test.webhook is on its way to ${id}: ${testDelivery.delivery} of ${testDelivery.event}.`)
}

async function remove(config: Config, args: readonly string[]) {
  const { values, id } = readId(args, 'delete')
  const { call } = await connectToService(config, values)
  await call('DELETE', `/v1/webhooks/${id}`)
  if (values.json) return printJsonLine({ id, deleted: true })
  printLine(`${id} is deleted.`)
}

function readId(args: readonly string[], verb: string) {
  const { values, positionals } = readArguments(args, OPTIONS, 1)
  const [id] = positionals
  if (id === undefined || !/^wbhk_\w+$/.test(id))
    throw new UsageError(`webhooks ${verb} needs the id of a webhook (wbhk_…), as webhooks list shows it.`)
  return { values, id }
}

// Webhooks as the API returns them, read page by page.

export type ListedApiWebhook = {
  readonly id: string
  readonly url: string | null
  readonly transport: 'http' | 'listen'
  readonly subscribed_events: readonly string[]
  readonly description: string
  readonly active: boolean
  readonly state: string
  readonly disabled_reason: string | null
  readonly created: number
  readonly signing_key?: string
}

const PAGE_SIZE = 100

export async function* iterateWebhooks(call: Call): AsyncGenerator<ListedApiWebhook> {
  for (let page = 1; ; page++) {
    const { data } = await call<{ data: readonly ListedApiWebhook[] }>(
      'GET',
      `/v1/webhooks?limit=${PAGE_SIZE}&page=${page}`,
    )
    yield* data
    if (data.length < PAGE_SIZE) return
  }
}

// `cartwright events list | resend`.

import type { Config } from '../../config.ts'
import { connectToService, SERVICE_OPTIONS } from '../client/reach.ts'
import { printLine, readArguments, UsageError } from '../help.ts'
import { dateAndTime, paint, printJsonLine, toTableCell } from './lines.ts'

type EventLine = {
  readonly id: string
  readonly event: string
  readonly object_id: string | null
  readonly request_id: string | null
  readonly created: number
}

type Delivery = { readonly id: string; readonly webhook_id: string; readonly event: string; readonly state: string }

type Page = { readonly data: readonly EventLine[]; readonly next: string | null }

/** The API's limit for one page of a list by key. */
const PAGE_SIZE = 200
const DEFAULT_LIMIT = 20
const MAX_LIMIT = 10_000

export async function eventsCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'list') return list(config, rest)
  if (verb === 'resend') return resend(config, rest)
  throw new UsageError('events needs a subcommand: list or resend.')
}

const OPTIONS = { ...SERVICE_OPTIONS, json: { type: 'boolean' } } as const

async function list(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, {
    ...OPTIONS,
    event: { type: 'string' },
    object: { type: 'string' },
    limit: { type: 'string' },
  })
  const limit = limitFrom(values.limit)
  const { call } = await connectToService(config, values)
  let after: string | null = null
  let remaining = limit
  do {
    const query = new URLSearchParams({ limit: String(Math.min(remaining, PAGE_SIZE)) })
    for (const name of ['event', 'object'] as const) if (values[name] !== undefined) query.set(name, values[name])
    if (after !== null) query.set('after', after)
    const page: Page = await call<Page>('GET', `/v1/events?${query}`)
    for (const event of page.data) {
      if (values.json) printJsonLine(event)
      else printLine(describe(event))
    }
    remaining -= page.data.length
    after = page.next
  } while (after !== null && remaining > 0)
  if (remaining === limit && !values.json) printLine('No events match.')
}

const describe = ({ id, event, object_id: object, request_id: request, created }: EventLine) =>
  [
    paint(dateAndTime(created), 'grey'),
    toTableCell(id, 30),
    toTableCell(event, 24),
    toTableCell(object, 32),
    toTableCell(request),
  ].join('  ')

function limitFrom(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}.`)
}

async function resend(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, { ...OPTIONS, webhook: { type: 'string' } }, 1)
  const [id] = positionals
  if (id === undefined || !/^evt_\w+$/.test(id))
    throw new UsageError('events resend needs the id of an event (evt_…), as events list shows it.')
  const { call } = await connectToService(config, values)
  const body = values.webhook === undefined ? {} : { webhook_id: values.webhook }
  const { data } = await call<{ data: readonly Delivery[] }>('POST', `/v1/events/${id}/resend`, body)
  if (values.json) return data.forEach(printJsonLine)
  if (data.length === 0) return printLine(`There is no webhook to send ${id} to.`)
  for (const { id: delivery, webhook_id: webhook, event } of data)
    printLine(`${toTableCell(event)} is on its way to ${toTableCell(webhook)} again: ${toTableCell(delivery)}.`)
}

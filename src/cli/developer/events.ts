// `cartwright events list | resend`.

import type { Config } from '../../config.ts'
import { reachService, SERVICE_OPTIONS } from '../client/reach.ts'
import { readArguments, say, UsageError } from '../help.ts'
import { cell, dateAndTime, paint, sayJson } from './lines.ts'

type EventLine = {
  readonly id: string
  readonly event: string
  readonly object_id: string | null
  readonly request_id: string | null
  readonly created: number
}

type Delivery = { readonly id: string; readonly webhook_id: string; readonly event: string; readonly state: string }

type Page = { readonly data: readonly EventLine[]; readonly next: string | null }

/** Of one page by key, as the API allows. */
const PAGE = 200
const USUAL = 20
const MOST = 10_000

export async function events(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'list') return list(config, rest)
  if (verb === 'resend') return resend(config, rest)
  throw new UsageError('events is followed by list or resend.')
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
  const { call } = await reachService(config, values)
  let after: string | null = null
  let left = limit
  do {
    const query = new URLSearchParams({ limit: String(Math.min(left, PAGE)) })
    for (const name of ['event', 'object'] as const) if (values[name] !== undefined) query.set(name, values[name])
    if (after !== null) query.set('after', after)
    const page: Page = await call<Page>('GET', `/v1/events?${query}`)
    for (const event of page.data) {
      if (values.json) sayJson(event)
      else say(describe(event))
    }
    left -= page.data.length
    after = page.next
  } while (after !== null && left > 0)
  if (left === limit && !values.json) say('There are no such events.')
}

const describe = ({ id, event, object_id: object, request_id: request, created }: EventLine) =>
  [paint(dateAndTime(created), 'grey'), cell(id, 30), cell(event, 24), cell(object, 32), cell(request)].join('  ')

function limitFrom(text: string | undefined): number {
  const limit = text === undefined ? USUAL : /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MOST) return limit
  throw new UsageError(`--limit is a whole number from 1 to ${MOST}.`)
}

async function resend(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, { ...OPTIONS, webhook: { type: 'string' } }, 1)
  const [id] = positionals
  if (id === undefined || !/^evt_\w+$/.test(id))
    throw new UsageError('events resend needs the id of an event (evt_…), as events list shows it.')
  const { call } = await reachService(config, values)
  const body = values.webhook === undefined ? {} : { webhook_id: values.webhook }
  const { data } = await call<{ data: readonly Delivery[] }>('POST', `/v1/events/${id}/resend`, body)
  if (values.json) return data.forEach(sayJson)
  if (data.length === 0) return say(`No webhook is there that ${id} could be sent to.`)
  for (const { id: delivery, webhook_id: webhook, event } of data)
    say(`${cell(event)} is on its way to ${cell(webhook)} again: ${cell(delivery)}.`)
}

// `cartwright logs tail | show`: the request log.

import type { Config } from '../../config.ts'
import { plainLines } from '../../lib/text.ts'
import { USER_AGENT } from '../client/call.ts'
import { reachService, SERVICE_OPTIONS } from '../client/reach.ts'
import { readArguments, say, tell, UsageError } from '../help.ts'
import { whenNpmEnds } from '../processes/npm.ts'
import { cell, clockTime, colourOf, dateAndTime, paint, sayJson } from './lines.ts'
import { followLog, type LogRow } from './tail.ts'

export async function logs(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'tail') return tail(config, rest)
  if (verb === 'show') return show(config, rest)
  throw new UsageError('logs is followed by tail or show.')
}

const OPTIONS = { ...SERVICE_OPTIONS, json: { type: 'boolean' } } as const
const LOGS = '/v1/developer/logs'
/** How many rows are shown before new ones come. */
const FIRST_ROWS = 10
const PAGE = 200

type Filters = { readonly status?: string; readonly method?: string; readonly path?: string }
type Page = { readonly data: readonly LogRow[]; readonly next: string | null }

async function tail(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, {
    ...OPTIONS,
    status: { type: 'string' },
    method: { type: 'string' },
    path: { type: 'string' },
  })
  const { status, method, path } = values
  if (status !== undefined && !/^[1-5](?:\d\d|xx)$/i.test(status))
    throw new UsageError('--status is a status such as 404, or all of a kind: 4xx.')
  const filters: Filters = {
    ...(status === undefined ? {} : { status: status.toLowerCase() }),
    ...(method === undefined ? {} : { method: method.toUpperCase() }),
    ...(path === undefined ? {} : { path }),
  }
  const { call } = await reachService(config, values)
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end).once('SIGHUP', end)
  // Whoever reads has gone (`logs tail | head -1`): there is nobody to go on for.
  process.stdout.once('error', end)
  whenNpmEnds(end)
  const read = (more: Record<string, string>) =>
    call<Page>('GET', `${LOGS}?${new URLSearchParams({ ...filters, limit: String(PAGE), ...more })}`, undefined, {
      signal: stop.signal,
    })
  await followLog({
    begin: async () => (await read({})).data.filter((row) => !isOfTheseCommands(row)),
    first: FIRST_ROWS,
    read: (since, after) => read({ from: String(since), ...(after === null ? {} : { after }) }),
    show(row) {
      if (isOfTheseCommands(row)) return
      if (values.json) sayJson(row)
      else say(describe(row))
    },
    cut: (reason) => tell(`${reason} Trying again until it does.`),
    reconnected: () => tell('Connected again.'),
    stop: stop.signal,
  }).catch((error) => {
    // Ended while it waited for an answer.
    if (!stop.signal.aborted) throw error
  })
}

/** This command's own questions, and those of a `listen` beside it, are requests, too: shown, they would be all that is seen. */
const isOfTheseCommands = ({ user_agent: agent, url }: LogRow): boolean =>
  agent === USER_AGENT &&
  /^\/v1\/(?:developer\/logs\b|webhooks\/\w+\/(?:pull|deliveries\/\w+\/answer)$)/.test(pathOf(url))

/** The address may be whole or a path alone. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]*/i, '')

const describe = ({ id, created, status_code: status, method, url, ms }: LogRow): string =>
  [
    paint(clockTime(new Date(created * 1_000)), 'grey'),
    paint(String(status), colourOf(status)),
    cell(method, 6),
    cell(pathOf(url)),
    ms === null || ms === undefined ? '' : `${Math.round(ms)} ms`,
    paint(cell(id), 'grey'),
  ]
    .filter((part) => part !== '')
    .join('  ')

async function show(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, OPTIONS, 1)
  const [id] = positionals
  if (id === undefined)
    throw new UsageError(
      'logs show needs the id of a request (req_…): logs tail, errors and the header X-Request-Id name it.',
    )
  const { call } = await reachService(config, values)
  const row = await call<Record<string, unknown>>('GET', `${LOGS}/${encodeURIComponent(id)}`)
  if (values.json) return sayJson(row)
  const { request, response, ...facts } = row
  for (const [name, value] of Object.entries(facts)) {
    const shown = name === 'created' && typeof value === 'number' ? dateAndTime(value) : textOf(value)
    say(`${paint(name.padEnd(16), 'grey')}  ${cell(shown)}`)
  }
  for (const [name, body] of Object.entries({ request, response }))
    if (body !== null && body !== undefined) say(`\n${paint(name, 'grey')}\n${plainLines(prettyOf(body))}`)
}

const textOf = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value)

/** A body is text, or JSON that was parsed already. */
function prettyOf(body: unknown): string {
  if (typeof body !== 'string') return JSON.stringify(body, null, 2)
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

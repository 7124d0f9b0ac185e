// `cartwright logs tail | show`: the request log.

import type { Config } from '../../config.ts'
import { plainLines } from '../../lib/text.ts'
import { USER_AGENT } from '../client/call.ts'
import { connectToService, SERVICE_OPTIONS } from '../client/reach.ts'
import { printLine, printNote, readArguments, UsageError } from '../help.ts'
import { whenNpmEnds } from '../processes/npm.ts'
import { clockTime, colourOf, dateAndTime, paint, printJsonLine, toTableCell } from './lines.ts'
import { followLog, type TailedRow } from './tail.ts'

export async function logsCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'tail') return tail(config, rest)
  if (verb === 'show') return show(config, rest)
  throw new UsageError('logs needs a subcommand: tail or show.')
}

const OPTIONS = { ...SERVICE_OPTIONS, json: { type: 'boolean' } } as const
const LOGS = '/v1/developer/logs'
/** Number of existing rows shown at the start. */
const FIRST_ROWS = 10
const PAGE_SIZE = 200

type Filters = { readonly status?: string; readonly method?: string; readonly path?: string }
type Page = { readonly data: readonly TailedRow[]; readonly next: string | null }

async function tail(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, {
    ...OPTIONS,
    status: { type: 'string' },
    method: { type: 'string' },
    path: { type: 'string' },
  })
  const { status, method, path } = values
  if (status !== undefined && !/^[1-5](?:\d\d|xx)$/i.test(status))
    throw new UsageError('--status must be a status such as 404, or a class such as 4xx.')
  const filters: Filters = {
    ...(status === undefined ? {} : { status: status.toLowerCase() }),
    ...(method === undefined ? {} : { method: method.toUpperCase() }),
    ...(path === undefined ? {} : { path }),
  }
  const { call } = await connectToService(config, values)
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end).once('SIGHUP', end)
  // The reader of our output has ended (`logs tail | head -1`), so there is no reason to continue.
  process.stdout.once('error', end)
  whenNpmEnds(end)
  const readPage = (more: Record<string, string>) =>
    call<Page>('GET', `${LOGS}?${new URLSearchParams({ ...filters, limit: String(PAGE_SIZE), ...more })}`, undefined, {
      signal: stop.signal,
    })
  await followLog({
    begin: async () => (await readPage({})).data.filter((row) => !isOfTheseCommands(row)),
    initialCount: FIRST_ROWS,
    read: (since, after) => readPage({ from: String(since), ...(after === null ? {} : { after }) }),
    show(row) {
      if (isOfTheseCommands(row)) return
      if (values.json) printJsonLine(row)
      else printLine(describe(row))
    },
    connectionLost: (reason) => printNote(`${reason} Retrying until it answers.`),
    reconnected: () => printNote('Connected again.'),
    stop: stop.signal,
  }).catch((error) => {
    // Aborted while waiting for an answer.
    if (!stop.signal.aborted) throw error
  })
}

/** Requests of this command and of a running `listen` are logged too. Shown here, they would drown all others. */
const isOfTheseCommands = ({ user_agent: agent, url }: TailedRow): boolean =>
  agent === USER_AGENT &&
  /^\/v1\/(?:developer\/logs\b|webhooks\/\w+\/(?:pull|deliveries\/\w+\/answer)$)/.test(pathOf(url))

/** Logged requests have a full URL or only a path. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]*/i, '')

const describe = ({ id, created, status_code: status, method, url, ms }: TailedRow): string =>
  [
    paint(clockTime(new Date(created * 1_000)), 'grey'),
    paint(String(status), colourOf(status)),
    toTableCell(method, 6),
    toTableCell(pathOf(url)),
    ms === null || ms === undefined ? '' : `${Math.round(ms)} ms`,
    paint(toTableCell(id), 'grey'),
  ]
    .filter((part) => part !== '')
    .join('  ')

async function show(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, OPTIONS, 1)
  const [id] = positionals
  if (id === undefined)
    throw new UsageError(
      'logs show needs the id of a request (req_…). Find it in logs tail, in errors or in the header X-Request-Id.',
    )
  const { call } = await connectToService(config, values)
  const row = await call<Record<string, unknown>>('GET', `${LOGS}/${encodeURIComponent(id)}`)
  if (values.json) return printJsonLine(row)
  const { request, response, ...facts } = row
  for (const [name, value] of Object.entries(facts)) {
    const displayText = name === 'created' && typeof value === 'number' ? dateAndTime(value) : toText(value)
    printLine(`${paint(name.padEnd(16), 'grey')}  ${toTableCell(displayText)}`)
  }
  for (const [name, body] of Object.entries({ request, response }))
    if (body !== null && body !== undefined) printLine(`\n${paint(name, 'grey')}\n${plainLines(formatBody(body))}`)
}

const toText = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value)

/** A body is text, or JSON that is already parsed. */
function formatBody(body: unknown): string {
  if (typeof body !== 'string') return JSON.stringify(body, null, 2)
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

// `cartwright trigger`: causes an event in the sandbox by real calls, so that its payload is a real one.

import { randomInt } from 'node:crypto'
import type { Config } from '../../config.ts'
import { connectToService, SERVICE_OPTIONS } from '../client/reach.ts'
import { printLine, readArguments, UsageError } from '../help.ts'
import { TRIGGERS } from '../triggers/list.ts'
import { parseTriggerSetting, type Setting } from '../triggers/settings.ts'
import { createTriggerShop, type NoTrigger, type Trigger } from '../triggers/trigger.ts'
import { printJsonLine } from './lines.ts'

/** The event exists, but no call can cause it. */
class CannotTrigger extends Error {
  override readonly name = 'CannotTrigger'
  readonly isForOperator = true
  readonly exitCode = 2
}

const OPTIONS = {
  ...SERVICE_OPTIONS,
  set: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const

export async function triggerCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS, 1)
  const [event] = positionals
  if (event === undefined) return listTriggers()
  const trigger = findTrigger(event)
  if ('why' in trigger) throw new CannotTrigger(trigger.why)
  const settings = (values.set ?? []).map(parseTriggerSetting)
  refuseUnusedSettings(event, trigger, settings)
  const key = values.key ?? config.command.key
  if (values.live || (key?.startsWith('sk_') && !key.startsWith('sk_test_')))
    throw new UsageError('trigger works only in the sandbox: use a key that begins with sk_test_.')
  const { call } = await connectToService(config, values)
  const made: { kind: string; id: string }[] = []
  const shop = createTriggerShop(call, {
    sends: trigger.sends,
    settings,
    mark: createMark(),
    made(kind, id) {
      made.push({ kind, id })
      if (!values.json) printLine(`${kind}  ${id}`)
    },
  })
  await trigger.run(shop)
  if (values.json) return printJsonLine({ event, made })
  printLine(
    `${event} was triggered.${event.endsWith('.delete') ? ` The objects created for it were deleted again.` : ''}`,
  )
}

const isTriggerName = (event: string): boolean => Object.hasOwn(TRIGGERS, event)

function findTrigger(event: string): Trigger | NoTrigger {
  const trigger = isTriggerName(event) ? TRIGGERS[event] : undefined
  if (trigger !== undefined) return trigger
  const near = nearest(event)
  throw new UsageError(
    `There is no event "${event}".${near === null ? '' : ` Did you mean ${near}?`} The events are ${Object.keys(TRIGGERS).sort().join(', ')}.`,
  )
}

function listTriggers(): void {
  for (const [event, trigger] of Object.entries(TRIGGERS).sort(([one], [other]) => (one < other ? -1 : 1)))
    printLine(`${event.padEnd(26)}${describe(trigger)}`.trimEnd())
}

const describe = (trigger: Trigger | NoTrigger): string => {
  if ('why' in trigger) return `(${trigger.why})`
  return trigger.sends.length === 0 ? '' : `--set ${listBodies(trigger)}`
}

const listBodies = ({ sends }: Trigger): string => sends.map((name) => `${name}.…`).join(', ')

/** Refuse this before anything is created: a misspelt name would silently change nothing. */
function refuseUnusedSettings(event: string, trigger: Trigger, settings: readonly Setting[]): void {
  const unusedSetting = settings.find(({ body }) => !trigger.sends.includes(body))
  if (unusedSetting === undefined) return
  throw new UsageError(
    trigger.sends.length === 0
      ? `${event} sends nothing that --set could change.`
      : `--set ${unusedSetting.body}.… changes nothing: ${event} sends ${trigger.sends.join(', ')}.`,
  )
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const createMark = (): string => Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** The event with the fewest changed letters, if they are few. */
function nearest(word: string): string | null {
  const ranked = Object.keys(TRIGGERS)
    .map((event) => ({ event, distance: distanceBetween(word.toLowerCase(), event) }))
    .sort((one, other) => one.distance - other.distance)
  const [first] = ranked
  return first !== undefined && first.distance <= Math.max(3, word.length / 3) ? first.event : null
}

function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...one.slice(0, 60)].entries()) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++)
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other[j] ? 0 : 1)))
    row = next
  }
  return row[other.length] ?? 0
}

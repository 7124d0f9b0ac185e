// Reading a command's own arguments, with complaints a person understands.

import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The command was called wrongly; the message says how, and where to read more. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly isForOperator = true

  constructor(complaint: string) {
    super(`${complaint} Run "cartwright help" to see what there is.`)
  }
}

type Options = NonNullable<ParseArgsConfig['options']>

/** `words`: how many arguments without a name the command takes. */
export function readArguments<const O extends Options>(args: readonly string[], options: O, words = 0) {
  const read = parse(args, options)
  const unexpected = read.positionals[words]
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'.`)
  return read
}

function parse<const O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`)
  }
}

/** For a command that is told everything by the settings. */
export const takeNoArguments = (args: readonly string[]) => void readArguments(args, {})

export function merchantIdFrom(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError('Name the merchant by its id, a whole number.')
}

/** What a command answers goes to standard output; logs and complaints go to standard error. */
export const say = (line = '') => void process.stdout.write(`${line}\n`)

// The command line: finds the command, runs it, and reports a failure with an exit code.

import { printHelp, printLine, UsageError } from './cli/help.ts'
import { progress } from './cli/progress.ts'
import { type Config, readConfig } from './config.ts'
import { ApiError } from './lib/errors.ts'
import { redact } from './lib/redact.ts'
import { release } from './release.ts'

type Command = (config: Config, args: readonly string[]) => Promise<void>

/** Loaded on demand: most commands need no HTTP server, and loading one takes most of their time. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['start', async () => (await import('./cli/start.ts')).startCommand],
  ['migrate', async () => (await import('./cli/database.ts')).migrateCommand],
  ['seed', async () => (await import('./cli/seed.ts')).seedCommand],
  ['merchant', async () => (await import('./cli/merchant.ts')).merchantCommand],
  ['keys', async () => (await import('./cli/keys.ts')).keysCommand],
  ['account', async () => (await import('./cli/credentials/account.ts')).accountCommand],
  ['credentials', async () => (await import('./cli/credentials/rotate.ts')).credentialsCommand],
  ['mail', async () => (await import('./cli/mail/mail.ts')).mailCommand],
  ['listen', async () => (await import('./cli/developer/listen.ts')).listenCommand],
  ['trigger', async () => (await import('./cli/developer/trigger.ts')).triggerCommand],
  ['logs', async () => (await import('./cli/developer/logs.ts')).logsCommand],
  ['events', async () => (await import('./cli/developer/events.ts')).eventsCommand],
  ['webhooks', async () => (await import('./cli/developer/webhooks.ts')).webhooksCommand],
  ['doctor', async () => (await import('./cli/doctor.ts')).doctorCommand],
])

/** Matches `cartwright help`, `merchant help` and `merchant create --help`, but not a shop called help. */
const isHelpRequest = (argv: readonly string[]) =>
  argv.slice(0, 2).includes('help') || argv.some((word) => word === '-h' || word === '--help')

export async function main(argv: readonly string[]): Promise<void> {
  // A reader may close our output early (`cartwright keys list | head -1`). That must not end the command half-way.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const [name = '', ...rest] = argv
  try {
    // Before the settings are read: help must work even with a wrong setting.
    if (argv.length === 0 || isHelpRequest(argv)) return printHelp()
    if (name === '--version' || name === '-v') return printLine(release)
    const load = COMMANDS.get(name)
    if (!load) throw new UsageError(`There is no command "${name}".`)
    const config = readConfig(process.env)
    const command = await load()
    await command(config, rest)
  } catch (error) {
    progress.clear()
    process.stderr.write(`${redact(explain(error))}\n`)
    process.exitCode = exitCodeOf(error)
  }
}

/**
 * Recognises errors with one sentence for the operator. It checks a property, not a class: the classes are in unrelated modules, and `help`
 * should not load a database client to compare with them.
 */
const isForOperator = (error: unknown): error is Error => error instanceof Error && 'isForOperator' in error

/** 1, unless the error brings its own code, by which scripts can tell failures apart. */
const exitCodeOf = (error: unknown): number =>
  error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number' ? error.exitCode : 1

function explain(error: unknown): string {
  if (isForOperator(error)) return error.message
  if (error instanceof ApiError)
    return Object.values(error.errors ?? { message: [error.message] })
      .flat()
      .join('\n')
  if (error instanceof Error && 'code' in error && /^(EACCES|EPERM|EROFS)$/.test(String(error.code)))
    return `Permission denied: ${error.message}.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

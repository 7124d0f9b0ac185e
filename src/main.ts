// The command line: finds the command, runs it, and turns whatever goes wrong into one sentence and an exit code.

import { doctor } from './cli/doctor.ts'
import { help } from './cli/help.ts'
import { keys } from './cli/keys.ts'
import { merchant } from './cli/merchant.ts'
import { migrateCommand } from './cli/migrate.ts'
import { seed } from './cli/seed.ts'
import { start } from './cli/start.ts'
import { UsageError } from './cli/usage.ts'
import { ConfigError, readConfig } from './config.ts'
import { EmbeddedError } from './db/embedded/errors.ts'
import { MigrationError } from './db/migrate.ts'
import { ApiError } from './lib/errors.ts'
import { redact } from './lib/redact.ts'

const COMMANDS = { start, migrate: migrateCommand, seed, merchant, keys, doctor, help } as const

export async function main(argv: readonly string[]): Promise<void> {
  const [name = 'help', ...rest] = argv.map((argument) => (['-h', '--help'].includes(argument) ? 'help' : argument))
  try {
    const command = COMMANDS[(rest.includes('help') ? 'help' : name) as keyof typeof COMMANDS]
    if (!command) throw new UsageError(`There is no command "${name}".`)
    await command(readConfig(process.env), rest)
  } catch (error) {
    process.stderr.write(`${redact(explain(error))}\n`)
    process.exitCode = 1
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} Run "cartwright help" to see what there is.`
  if (error instanceof ApiError)
    return Object.values(error.errors ?? { message: [error.message] })
      .flat()
      .join('\n')
  if (error instanceof ConfigError || error instanceof EmbeddedError || error instanceof MigrationError)
    return error.message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return 'Another program listens on this port already; set PORT to another one.'
  if (error instanceof Error && 'code' in error && error.code === 'EACCES')
    return `Permission is missing: ${error.message}.`
  if (error instanceof Error && isConnectionError(error))
    return `The database cannot be reached: ${error.message || 'no answer'}. Check DATABASE_URL.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const isConnectionError = (error: Error) =>
  'code' in error && /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|28|3D|57P|08)/.test(String(error.code))

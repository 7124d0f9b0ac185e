// `cartwright doctor`: looks at everything a start needs and says what is well and what is not. Changes nothing.

import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { foldersOf } from '../db/embedded/folders.ts'
import { inspect } from '../db/inspect.ts'
import { readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { openPool } from '../db/pool.ts'
import { redact } from '../lib/redact.ts'
import { release } from '../release.ts'
import { say } from './usage.ts'

type Finding = { ok: boolean; text: string }

const ENOUGH_BYTES = 500 * 1024 * 1024

export async function doctor(config: Config): Promise<void> {
  say(`Cartwright ${release}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`)
  const checks = [settings, dataFolder, database, certificates, port]
  let isWell = true
  for (const check of checks) {
    for (const { ok, text } of await check(config)) {
      say(`${ok ? 'ok   ' : 'WRONG'} ${text}`)
      isWell &&= ok
    }
  }
  if (!isWell) process.exitCode = 1
}

/** Reaching this far means that every setting was read. */
const settings = async (): Promise<Finding[]> => [{ ok: true, text: 'settings: every value can be used' }]

async function dataFolder({ dataDir }: Config): Promise<Finding[]> {
  const folder = nearestExisting(dataDir)
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    return [{ ok: bavail * bsize > ENOUGH_BYTES, text: `data folder: ${dataDir} can be written, ${free} MB free` }]
  } catch (error) {
    return [{ ok: false, text: `data folder: ${dataDir} cannot be written (${(error as Error).message})` }]
  }
}

const nearestExisting = (folder: string): string => (existsSync(folder) ? folder : nearestExisting(dirname(folder)))

async function database(config: Config): Promise<Finding[]> {
  const where = config.databaseUrl === null ? 'embedded PostgreSQL' : 'DATABASE_URL'
  if (config.databaseUrl === null && !existsSync(join(foldersOf(config.dataDir).pgdata, 'PG_VERSION')))
    return [{ ok: true, text: `${where}: not made yet; the first start makes it` }]
  try {
    const opened = await openForCommand(config)
    const db = openPool(opened.connection, { size: 1, waitMs: 5_000 })
    try {
      const { version, missing } = await inspect(db, await readMigrations())
      return [
        { ok: Number.parseInt(version, 10) >= 15, text: `${where}: PostgreSQL ${version} answers` },
        missing.length === 0
          ? { ok: true, text: 'migrations: all applied' }
          : {
              ok: false,
              text: `migrations: ${missing.join(', ')} not applied; start or cartwright migrate applies them`,
            },
      ]
    } finally {
      await db.close()
      await opened.close()
    }
  } catch (error) {
    const { message, cause } = error as Error
    return [{ ok: false, text: redact(`${where}: ${cause instanceof Error ? cause.message : message}`) }]
  }
}

async function certificates({ tls }: Config): Promise<Finding[]> {
  if (tls === null) return [{ ok: true, text: 'HTTPS: off (TLS_CERT and TLS_KEY are not set); live keys need HTTPS' }]
  return Promise.all(
    [tls.certFile, tls.keyFile].map(async (file) => {
      const ok = await access(file, constants.R_OK).then(
        () => true,
        () => false,
      )
      return { ok, text: `HTTPS: ${file} ${ok ? 'can be read' : 'cannot be read'}` }
    }),
  )
}

async function port({ host, port: number, tls }: Config): Promise<Finding[]> {
  const address = `${host}:${number}`
  if (await isFree(host, number)) return [{ ok: true, text: `port: ${address} is free` }]
  const answer = await fetch(`${tls ? 'https' : 'http'}://${address}/health/live`).catch(() => null)
  return answer?.ok
    ? [{ ok: true, text: `port: Cartwright is running on ${address}` }]
    : [{ ok: false, text: `port: ${address} is taken by another program` }]
}

const isFree = (host: string, number: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(number, host, () => probe.close(() => resolve(true)))
  })

// `cartwright doctor`: checks everything a start needs and reports each result. It changes no data. If the embedded PostgreSQL does not
// run, it is started for the checks and stopped again.

import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { REFETCH_SECONDS } from '../api/assets/refetch.ts'
import { unreachableAssetsOf } from '../api/assets/store.ts'
import { listAllMerchants } from '../api/merchants/store.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/db.ts'
import { describeFolderProblem } from '../db/embedded/errors.ts'
import { databaseClock } from '../db/health/heartbeat.ts'
import { inspectDatabase, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { findShopPlacement, inspectPlacement } from '../db/placement.ts'
import { type ConnectionSettings, openPool } from '../db/pool.ts'
import { openGeo } from '../geo/locate.ts'
import { redact } from '../lib/redact.ts'
import { toOneLine } from '../lib/text.ts'
import { checkMailServer } from '../mail/smtp.ts'
import { release } from '../release.ts'
import { readTls } from './certificate.ts'
import { credentialFindings } from './credentials/findings.ts'
import { webhookFindings } from './developer/webhook-findings.ts'
import { parseMerchantId, printLine, readArguments } from './help.ts'
import { checkPort } from './port.ts'
import { progress } from './progress.ts'
import { describePlacement, describeShop, type Finding } from './shards.ts'

const ENOUGH_BYTES = 500 * 1024 * 1024

export async function doctorCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { merchant: { type: 'string' } })
  const merchant_id = values.merchant === undefined ? null : parseMerchantId(values.merchant)
  printLine(`Cartwright ${release}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`)
  const checks = [settings, dataFolder, database, certificates, mailServer, addressDatabase, checkPort]
  let isWell = true
  for (const check of checks) {
    for (const { ok, isWarning = false, text } of await check(config, merchant_id)) {
      printLine(`${ok ? (isWarning ? 'WARN ' : 'ok   ') : 'WRONG'} ${text}`)
      isWell &&= ok
    }
  }
  if (!isWell) process.exitCode = 1
}

/** The settings were read before this runs, so all of them are valid. */
const settings = async (): Promise<Finding[]> => [{ ok: true, text: 'settings: all values are valid' }]

async function dataFolder({ dataDir }: Config): Promise<Finding[]> {
  const folder = nearestExisting(dataDir)
  try {
    // With a slash, because a writable file would pass too, but nothing can be created in it.
    await access(join(folder, sep), constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    return [{ ok: bavail * bsize > ENOUGH_BYTES, text: `data folder: ${dataDir} is writable, ${free} MB free` }]
  } catch (error) {
    const problem = error as Error
    const text = describeFolderProblem(problem, dataDir) ?? `${dataDir} cannot be written (${problem.message})`
    return [{ ok: false, text: `data folder: ${text}` }]
  }
}

const nearestExisting = (folder: string): string => (existsSync(folder) ? folder : nearestExisting(dirname(folder)))

async function database(config: Config, merchant_id: number | null): Promise<Finding[]> {
  const where = config.databaseUrl === null ? 'embedded PostgreSQL' : 'DATABASE_URL'
  try {
    const database = await openForCommand(config, { onStep: progress.show, mayMake: false })
    const db = openPool(database.connection, { size: 1, waitMs: 10_000 })
    try {
      const { version, isSupported, missing } = await inspectDatabase(db, await readMigrations())
      return [
        { ok: isSupported, text: `${where}: PostgreSQL ${version} answers` },
        missing.length === 0
          ? { ok: true, text: 'migrations: all applied' }
          : {
              ok: false,
              text: `migrations: ${missing.join(', ')} not applied; the next start or cartwright migrate applies them`,
            },
        ...(missing.length === 0 ? await describeSharding(db, database.connection, merchant_id) : []),
        ...(missing.length === 0 ? await unreachableAssets(db) : []),
        ...(missing.length === 0 ? await credentialFindings(db, config, merchant_id) : []),
        ...(missing.length === 0 ? await webhookFindings(db, config) : []),
      ]
    } finally {
      await db.close()
      await database.close()
    }
  } catch (error) {
    const { message, cause } = error as Error
    // For an external database the driver's message is enough: the setting's name comes before it.
    const reason = config.databaseUrl !== null && cause instanceof Error ? cause.message : message
    return [{ ok: false, text: redact(`${where}: ${reason}`) }]
  }
}

/** Reports the content of each node. Nothing to report for a plain PostgreSQL, unless one shop was requested. */
async function describeSharding(db: Database, connection: ConnectionSettings, merchant_id: number | null) {
  const findings = describePlacement(await inspectPlacement(connection))
  if (merchant_id === null) return findings
  if (!(await listAllMerchants(db)).some((merchant) => merchant.merchant_id === merchant_id))
    return [...findings, { ok: false, text: `merchant ${merchant_id}: there is no such shop` }]
  return [...findings, describeShop(merchant_id, await findShopPlacement(connection, merchant_id))]
}

const MAX_LISTED = 20

/** Files at URLs that do not answer: shoppers see a placeholder. */
async function unreachableAssets(db: Database): Promise<Finding[]> {
  const { now } = await databaseClock(db)
  const findings: Finding[] = []
  for (const { merchant_id } of await listAllMerchants(db))
    for (const asset of await unreachableAssetsOf(db, { merchant_id }, MAX_LISTED + 1)) {
      if (findings.length === MAX_LISTED) return [...findings, warning('assets: more assets show a placeholder')]
      const triedUntil = new Date((asset.created + REFETCH_SECONDS) * 1_000)
      const name = `assets: ${asset.id} of merchant ${merchant_id} (${toOneLine(asset.filename, 60)}) shows a placeholder`
      const addressText = toOneLine((asset.source_url ?? '').replace(/[?#].*$/s, ''))
      findings.push(warning(`${name}: ${addressText} ${describeSource(asset.source_problem, triedUntil, now())}`))
    }
  return findings
}

function describeSource(problem: string | null, triedUntil: Date, now: Date): string {
  if (problem !== null) return `is no longer retried. ${toOneLine(problem, 400)}`
  if (now >= triedUntil)
    return 'did not answer within a day and is no longer retried; delete the asset and create it again'
  return `does not answer; it is retried until ${triedUntil.toISOString()}`
}

const warning = (text: string): Finding => ({ ok: true, isWarning: true, text })

async function certificates(config: Config): Promise<Finding[]> {
  try {
    const tls = await readTls(config)
    if (tls !== null) return [{ ok: true, text: 'HTTPS: the certificate and its key are valid' }]
    return [{ ok: true, text: 'HTTPS: off (TLS_CERT and TLS_KEY are not set); live keys need HTTPS' }]
  } catch (error) {
    return [{ ok: false, text: `HTTPS: ${(error as Error).message}` }]
  }
}

/** A working server answers within this time. */
const MAIL_SERVER_MS = 15_000

async function mailServer({ mailServer: server }: Config): Promise<Finding[]> {
  if (server === null)
    return [
      warning(
        'mail: off (SMTP_URL is not set): live mails are not sent, and customers of live shops cannot log in; sandbox mails are stored, and cartwright mail last prints the newest',
      ),
    ]
  const { host } = new URL(server.url)
  try {
    await checkMailServer(server, AbortSignal.timeout(MAIL_SERVER_MS))
    return [{ ok: true, text: `mail: ${host} answers; mails come from ${server.from}` }]
  } catch (error) {
    return [{ ok: false, text: redact(`mail: ${host}: ${(error as Error).message}`) }]
  }
}

async function addressDatabase({ geoipDatabase }: Config): Promise<Finding[]> {
  try {
    await openGeo(geoipDatabase)
    const text = geoipDatabase === null ? 'off (GEOIP_DATABASE is not set)' : `${geoipDatabase} can be used`
    return [{ ok: true, text: `address look-up: ${text}` }]
  } catch (error) {
    return [{ ok: false, text: `address look-up: ${(error as Error).message}` }]
  }
}

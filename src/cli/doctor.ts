// `cartwright doctor`: looks at everything a start needs and says what is well and what is not. Changes no data; where the
// embedded PostgreSQL does not run, it is started for a moment to be asked, and stopped again.

import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { TRIED_SECONDS } from '../api/assets/refetch.ts'
import { unreachableAssetsOf } from '../api/assets/store.ts'
import { allMerchants } from '../api/merchants/store.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/db.ts'
import { folderProblem } from '../db/embedded/errors.ts'
import { databaseClock } from '../db/heartbeat.ts'
import { inspect, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { inspectPlacement, placeOfShop } from '../db/placement.ts'
import { type ConnectionSettings, openPool } from '../db/pool.ts'
import { openGeo } from '../geo/locate.ts'
import { redact } from '../lib/redact.ts'
import { oneLine } from '../lib/text.ts'
import { tryMailServer } from '../mail/smtp.ts'
import { release } from '../release.ts'
import { readTls } from './certificate.ts'
import { credentialFindings } from './credentials/findings.ts'
import { webhookFindings } from './developer/webhook-findings.ts'
import { merchantIdFrom, readArguments, say } from './help.ts'
import { port } from './port.ts'
import { progress } from './progress.ts'
import { describePlacement, describeShop, type Finding } from './shards.ts'

const ENOUGH_BYTES = 500 * 1024 * 1024

export async function doctor(config: Config, args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { merchant: { type: 'string' } })
  const merchantId = values.merchant === undefined ? null : merchantIdFrom(values.merchant)
  say(`Cartwright ${release}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`)
  const checks = [settings, dataFolder, database, certificates, mailServer, addressDatabase, port]
  let isWell = true
  for (const check of checks) {
    for (const { ok, isWarning = false, text } of await check(config, merchantId)) {
      say(`${ok ? (isWarning ? 'WARN ' : 'ok   ') : 'WRONG'} ${text}`)
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
    // With a slash: a file may be written too, but nothing can be made in it.
    await access(join(folder, sep), constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    return [{ ok: bavail * bsize > ENOUGH_BYTES, text: `data folder: ${dataDir} can be written, ${free} MB free` }]
  } catch (error) {
    const problem = error as Error
    const text = folderProblem(problem, dataDir) ?? `${dataDir} cannot be written (${problem.message})`
    return [{ ok: false, text: `data folder: ${text}` }]
  }
}

const nearestExisting = (folder: string): string => (existsSync(folder) ? folder : nearestExisting(dirname(folder)))

async function database(config: Config, merchantId: number | null): Promise<Finding[]> {
  const where = config.databaseUrl === null ? 'embedded PostgreSQL' : 'DATABASE_URL'
  try {
    const opened = await openForCommand(config, { onStep: progress.tell, mayMake: false })
    const db = openPool(opened.connection, { size: 1, waitMs: 10_000 })
    try {
      const { version, isSupported, missing } = await inspect(db, await readMigrations())
      return [
        { ok: isSupported, text: `${where}: PostgreSQL ${version} answers` },
        missing.length === 0
          ? { ok: true, text: 'migrations: all applied' }
          : {
              ok: false,
              text: `migrations: ${missing.join(', ')} not applied; start or cartwright migrate applies them`,
            },
        ...(missing.length === 0 ? await whereEverythingIs(db, opened.connection, merchantId) : []),
        ...(missing.length === 0 ? await unreachableAssets(db) : []),
        ...(missing.length === 0 ? await credentialFindings(db, config, merchantId) : []),
        ...(missing.length === 0 ? await webhookFindings(db, config) : []),
      ]
    } finally {
      await db.close()
      await opened.close()
    }
  } catch (error) {
    const { message, cause } = error as Error
    // Of an external one the driver's own words will do: the setting is named before them.
    const reason = config.databaseUrl !== null && cause instanceof Error ? cause.message : message
    return [{ ok: false, text: redact(`${where}: ${reason}`) }]
  }
}

/** What lies on which node; nothing to tell of a plain PostgreSQL, unless somebody asks for one shop. */
async function whereEverythingIs(db: Database, connection: ConnectionSettings, merchantId: number | null) {
  const findings = describePlacement(await inspectPlacement(connection))
  if (merchantId === null) return findings
  if (!(await allMerchants(db)).some((merchant) => merchant.merchant_id === merchantId))
    return [...findings, { ok: false, text: `merchant ${merchantId}: there is no such shop` }]
  return [...findings, describeShop(merchantId, await placeOfShop(connection, merchantId))]
}

const MOST_LISTED = 20

/** Files that shops have named by an address where nobody answered: shoppers see a placeholder. */
async function unreachableAssets(db: Database): Promise<Finding[]> {
  const { now } = await databaseClock(db)
  const findings: Finding[] = []
  for (const { merchant_id: merchantId } of await allMerchants(db))
    for (const asset of await unreachableAssetsOf(db, { merchantId }, MOST_LISTED + 1)) {
      if (findings.length === MOST_LISTED) return [...findings, warning('assets: there are more of them')]
      const triedUntil = new Date((asset.created + TRIED_SECONDS) * 1_000)
      const what = `assets: ${asset.id} of merchant ${merchantId} (${oneLine(asset.filename, 60)}) shows a placeholder`
      const where = oneLine((asset.source_url ?? '').replace(/[?#].*$/s, ''))
      findings.push(warning(`${what}: ${where} ${stateOf(asset.source_problem, triedUntil, now())}`))
    }
  return findings
}

function stateOf(problem: string | null, triedUntil: Date, now: Date): string {
  if (problem !== null) return `is not tried any more. ${oneLine(problem, 400)}`
  if (now >= triedUntil)
    return 'did not answer within a day, and is not tried any more; delete the asset and make it anew'
  return `does not answer; it is tried again until ${triedUntil.toISOString()}`
}

const warning = (text: string): Finding => ({ ok: true, isWarning: true, text })

async function certificates(config: Config): Promise<Finding[]> {
  try {
    const tls = await readTls(config)
    if (tls !== null) return [{ ok: true, text: 'HTTPS: the certificate and its key can be used' }]
    return [{ ok: true, text: 'HTTPS: off (TLS_CERT and TLS_KEY are not set); live keys need HTTPS' }]
  } catch (error) {
    return [{ ok: false, text: `HTTPS: ${(error as Error).message}` }]
  }
}

/** A server that answers at all does so within this. */
const MAIL_SERVER_MS = 15_000

async function mailServer({ mailServer: server }: Config): Promise<Finding[]> {
  if (server === null)
    return [
      warning(
        'mail: off (SMTP_URL is not set): live mails are not sent, and customers of live shops cannot log in; mails of the sandbox are kept, and cartwright mail last prints the newest',
      ),
    ]
  const { host } = new URL(server.url)
  try {
    await tryMailServer(server, AbortSignal.timeout(MAIL_SERVER_MS))
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

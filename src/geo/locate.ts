// Where in the world an IP address is, by a database in MaxMind's format that the operator supplies; without one, nowhere.
// A new edition put in the place of the file is taken up within a minute, without a restart.

import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { type CityResponse, Reader } from 'mmdb-lib'

/** What is not known is null. The names are English. */
export type Place = {
  readonly country_code: string | null
  readonly country_name: string | null
  /** The part of the ISO 3166-2 code after the dash. */
  readonly region_code: string | null
  readonly region_name: string | null
  readonly city: string | null
  readonly postal_zip_code: string | null
}

export interface Geo {
  /** null where nothing is known of the address, or it is none. */
  locate(address: string): Place | null
}

/** GEOIP_DATABASE cannot be used; the message is one sentence. */
export class GeoDatabaseError extends Error {
  override readonly name = 'GeoDatabaseError'
  readonly isForOperator = true
}

type GeoOptions = {
  /** How long an edition is used before the file is looked at again. */
  checkEveryMs?: number
  /** Hears of a new edition that cannot be used, and of a look-up that a damaged file made fail. */
  onError?: (error: Error) => void
}

const CHECK_EVERY_MS = 60_000

/** Throws GeoDatabaseError when there is a path and nothing usable at it. */
export async function openGeo(path: string | null, options: GeoOptions = {}): Promise<Geo> {
  if (path === null) return { locate: () => null }
  const { checkEveryMs = CHECK_EVERY_MS, onError = () => undefined } = options
  let edition = await readEdition(path)
  let lookedAt = performance.now()

  /** While it reads, and after it failed, the edition at hand goes on answering. */
  async function renew(file: string) {
    try {
      if ((await markOf(file)) !== edition.mark) edition = await readEdition(file)
    } catch (error) {
      onError(error as Error)
    }
  }

  return {
    locate(address) {
      if (performance.now() - lookedAt >= checkEveryMs) {
        lookedAt = performance.now()
        void renew(path)
      }
      try {
        return find(edition.reader, withoutMapping(address))
      } catch (error) {
        // Where a shopper is, is a courtesy: a damaged file must not fail the checkout that asks.
        onError(error as Error)
        return null
      }
    },
  }
}

type Edition = { readonly reader: Reader<CityResponse>; readonly mark: string }

async function readEdition(path: string): Promise<Edition> {
  // The mark first: a file replaced in between is then read once more, and not taken for the new one.
  const mark = await markOf(path)
  const bytes = await readFile(path).catch(refuse)
  let reader: Reader<CityResponse>
  try {
    reader = new Reader<CityResponse>(bytes)
  } catch {
    throw unsuitable(`"${path}" is not one`)
  }
  const type = String(reader.metadata.databaseType)
  if (!/city|country|enterprise/i.test(type)) throw unsuitable(`"${path}" is one of the type ${type}`)
  return { reader, mark }
}

/** Changes when the file does. */
async function markOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path).catch(refuse)
  return [mtimeMs, size, ino].join(' ')
}

function refuse(error: Error): never {
  throw new GeoDatabaseError(`GEOIP_DATABASE cannot be read: ${error.message}.`, { cause: error })
}

const unsuitable = (found: string) =>
  new GeoDatabaseError(`GEOIP_DATABASE must be a city or country database in MaxMind's format; ${found}.`)

/** A server that listens for both families sees IPv4 clients as `::ffff:192.0.2.1`, which not every database knows. */
const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

function find(reader: Reader<CityResponse>, address: string): Place | null {
  const family = isIP(address)
  // The reader checks neither: it would answer for some other address.
  if (family === 0 || (family === 6 && reader.metadata.ipVersion === 4)) return null
  const found = reader.get(address)
  if (found === null) return null
  // From the largest to the smallest: the first is the state or province, which is what shipping and tax go by.
  const [region] = found.subdivisions ?? []
  return {
    country_code: textOf(found.country?.iso_code),
    country_name: textOf(found.country?.names?.en),
    region_code: textOf(region?.iso_code),
    region_name: textOf(region?.names?.en),
    city: textOf(found.city?.names?.en),
    postal_zip_code: textOf(found.postal?.code),
  }
}

/** The file is not ours: what is not text in it is nothing we could show. */
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

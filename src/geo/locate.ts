// Finds the place of an IP address in an optional database in MaxMind's format, supplied by the operator.
// A replaced file is loaded within a minute, without a restart.

import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { type CityResponse, Reader } from 'mmdb-lib'

/** Unknown parts are null. The names are English. */
export type GeoPlace = {
  readonly country_code: string | null
  readonly country_name: string | null
  /** Part of the ISO 3166-2 code after the dash. */
  readonly region_code: string | null
  readonly region_name: string | null
  readonly city: string | null
  readonly postal_zip_code: string | null
}

export interface Geo {
  /** Null if the address is unknown or invalid. */
  locate(address: string): GeoPlace | null
}

/** Error for a GEOIP_DATABASE that cannot be used. Its message is one sentence. */
export class GeoDatabaseError extends Error {
  override readonly name = 'GeoDatabaseError'
  readonly isForOperator = true
}

type GeoOptions = {
  /** Interval at which the file is checked for a new edition. */
  checkEveryMs?: number
  /** Receives the error if a new edition cannot be used, or if a lookup in a damaged file fails. */
  onError?: (error: Error) => void
}

const CHECK_EVERY_MS = 60_000

/** Throws GeoDatabaseError if there is a path but no usable file. */
export async function openGeo(path: string | null, options: GeoOptions = {}): Promise<Geo> {
  if (path === null) return { locate: () => null }
  const { checkEveryMs = CHECK_EVERY_MS, onError = () => undefined } = options
  let edition = await readEdition(path)
  let checkedAt = performance.now()

  /** Loads a new edition. Until it succeeds, the old edition stays in use. */
  async function reloadIfChanged(file: string) {
    try {
      if ((await readMark(file)) !== edition.mark) edition = await readEdition(file)
    } catch (error) {
      onError(error as Error)
    }
  }

  return {
    locate(address) {
      if (performance.now() - checkedAt >= checkEveryMs) {
        checkedAt = performance.now()
        void reloadIfChanged(path)
      }
      try {
        return findPlace(edition.reader, withoutMapping(address))
      } catch (error) {
        // The location is optional. A damaged file must not fail the checkout that uses it.
        onError(error as Error)
        return null
      }
    },
  }
}

type Edition = { readonly reader: Reader<CityResponse>; readonly mark: string }

async function readEdition(path: string): Promise<Edition> {
  // Read the mark first. If the file is replaced in between, the old mark makes the next check read it again.
  const mark = await readMark(path)
  const bytes = await readFile(path).catch(throwUnreadable)
  let reader: Reader<CityResponse>
  try {
    reader = new Reader<CityResponse>(bytes)
  } catch {
    throw unsuitableDatabase(`"${path}" is not one`)
  }
  const type = String(reader.metadata.databaseType)
  if (!/city|country|enterprise/i.test(type)) throw unsuitableDatabase(`"${path}" is one of the type ${type}`)
  return { reader, mark }
}

/** A text that changes whenever the file is replaced. */
async function readMark(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path).catch(throwUnreadable)
  return [mtimeMs, size, ino].join(' ')
}

function throwUnreadable(error: Error): never {
  throw new GeoDatabaseError(`GEOIP_DATABASE cannot be read: ${error.message}.`, { cause: error })
}

const unsuitableDatabase = (reason: string) =>
  new GeoDatabaseError(`GEOIP_DATABASE must be a city or country database in MaxMind's format; ${reason}.`)

/** A server that listens for both families sees IPv4 clients as `::ffff:192.0.2.1`, which not every database knows. */
const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

function findPlace(reader: Reader<CityResponse>, address: string): GeoPlace | null {
  const family = isIP(address)
  // The reader does not check the family, and would return the place of another address.
  if (family === 0 || (family === 6 && reader.metadata.ipVersion === 4)) return null
  const record = reader.get(address)
  if (record === null) return null
  // The database lists the largest subdivision first: the state or province, which decides shipping and tax.
  const [region] = record.subdivisions ?? []
  return {
    country_code: textOf(record.country?.iso_code),
    country_name: textOf(record.country?.names?.en),
    region_code: textOf(region?.iso_code),
    region_name: textOf(region?.names?.en),
    city: textOf(record.city?.names?.en),
    postal_zip_code: textOf(record.postal?.code),
  }
}

/** Somebody else made the file, so values that are not text count as unknown. */
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

// Where addresses are: what is read of a database, which files are refused, and that a new edition is taken up.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { doctorCommand } from '../../src/cli/doctor.ts'
import { readConfig } from '../../src/config.ts'
import { GeoDatabaseError, type GeoPlace, openGeo } from '../../src/geo/locate.ts'
import { testApp } from '../support/app.ts'
import { type Mmdb, mmdb } from './mmdb-writer.ts'

const folder = await mkdtemp(join(tmpdir(), 'cartwright-geo-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
async function write(bytes: Buffer | string): Promise<string> {
  const path = join(folder, `${++files}.mmdb`)
  await writeFile(path, bytes)
  return path
}

const open = async (database: Mmdb, options = {}) => openGeo(await write(mmdb(database)), options)

const VICTORIA = {
  city: { geoname_id: 6174041, names: { de: 'Viktoria', en: 'Victoria' } },
  country: { iso_code: 'CA', names: { en: 'Canada', fr: 'Canada' } },
  postal: { code: 'V8V' },
  subdivisions: [
    { iso_code: 'BC', names: { en: 'British Columbia' } },
    { iso_code: 'CRD', names: { en: 'Capital' } },
  ],
}
const IN_VICTORIA: GeoPlace = {
  country_code: 'CA',
  country_name: 'Canada',
  region_code: 'BC',
  region_name: 'British Columbia',
  city: 'Victoria',
  postal_zip_code: 'V8V',
}
/** The same fields, each null. */
const NOWHERE = Object.fromEntries(Object.keys(IN_VICTORIA).map((field) => [field, null]))
const country = (code: string) => ({ country: { iso_code: code } })

describe('an address', () => {
  it('is nowhere without a database', async () => {
    expect((await openGeo(null)).locate('192.0.2.1')).toBeNull()
  })

  it('is found by its network, IPv4 and IPv6', async () => {
    const geo = await open({
      networks: { '192.0.2.0/24': VICTORIA, '198.51.100.7/32': country('DE'), '2001:db8:7::/48': country('JP') },
    })
    for (const address of ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.9', '::FFFF:192.0.2.9'])
      expect([address, geo.locate(address)]).toEqual([address, IN_VICTORIA])
    expect(geo.locate('198.51.100.7')).toEqual({ ...NOWHERE, country_code: 'DE' })
    expect(geo.locate('2001:db8:7::1')).toEqual({ ...NOWHERE, country_code: 'JP' })
    for (const address of ['192.0.3.0', '198.51.100.6', '127.0.0.1', '2001:db8:8::1', '::1', '::ffff:192.0.3.0'])
      expect([address, geo.locate(address)]).toEqual([address, null])
  })

  it('of IPv6 is nowhere in a database of IPv4', async () => {
    const geo = await open({ ipVersion: 4, networks: { '0.0.0.0/1': country('CA'), '128.0.0.0/1': country('DE') } })
    expect(geo.locate('192.0.2.1')).toEqual({ ...NOWHERE, country_code: 'DE' })
    expect(geo.locate('::ffff:10.0.0.1')).toEqual({ ...NOWHERE, country_code: 'CA' })
    expect(geo.locate('2001:db8::1')).toBeNull()
  })

  it.each(['', 'localhost', '192.0.2', '192.0.2.1:80', '192.0.2.256', '::ffff:192.0.2', '[::1]'])(
    'that is none is nowhere: %j',
    async (address) => {
      const geo = await open({ networks: { '0.0.0.0/1': country('CA'), '128.0.0.0/1': country('DE') } })
      expect(geo.locate(address)).toBeNull()
    },
  )

  it('with a record of another shape gives null for what is not text', async () => {
    const geo = await open({
      networks: {
        '192.0.2.0/32': { country: 'CA', subdivisions: [], city: { names: {} }, postal: { code: 98101 } },
        '192.0.2.1/32': { country: { iso_code: '', names: { fr: 'Canada' } }, subdivisions: [{}] },
        '192.0.2.2/32': 'CA',
      },
    })
    for (const address of ['192.0.2.0', '192.0.2.1', '192.0.2.2']) expect(geo.locate(address)).toEqual(NOWHERE)
  })

  it('is nowhere where the file is damaged, and somebody hears of it', async () => {
    const errors: Error[] = []
    const bytes = mmdb({ networks: { '192.0.2.0/24': VICTORIA, '198.51.100.0/24': country('DE') } })
    // The first record begins behind the separator; no value has this type.
    bytes.fill(0, bytes.indexOf(Buffer.alloc(16)) + 16, bytes.indexOf('city'))
    const geo = await openGeo(await write(bytes), { onError: (error: Error) => errors.push(error) })
    expect([geo.locate('192.0.2.1'), errors.length]).toEqual([null, 1])
    expect(geo.locate('198.51.100.1')).toEqual({ ...NOWHERE, country_code: 'DE' })
  })
})

const whole = mmdb({ networks: { '192.0.2.0/24': VICTORIA } })

describe('a file that cannot be used', () => {
  it.each<[string, () => Promise<string>, string]>([
    ['is missing', async () => join(folder, 'none.mmdb'), 'GEOIP_DATABASE cannot be read: ENOENT: '],
    ['is a folder', async () => folder, 'GEOIP_DATABASE cannot be read: EISDIR: '],
    ['is empty', () => write(''), "GEOIP_DATABASE must be a city or country database in MaxMind's format; "],
    ['is text', () => write('country,city\n'.repeat(9)), 'GEOIP_DATABASE must be a city or country database '],
    ['is cut off', () => write(whole.subarray(0, -20)), 'GEOIP_DATABASE must be a city or country database '],
    ['lost its end', () => write(whole.subarray(0, 400)), 'GEOIP_DATABASE must be a city or country database '],
  ])('is refused in one sentence when it %s', async (_, path, sentence) => {
    const error = await openGeo(await path()).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(GeoDatabaseError)
    const { message } = error as Error
    expect(message.slice(0, sentence.length)).toBe(sentence)
    expect(message).toMatch(/[^.]\.$/)
    expect(message).not.toContain('\n')
  })

  it('is refused when it tells something else of addresses', async () => {
    const path = await write(mmdb({ type: 'GeoLite2-ASN', networks: {} }))
    await expect(openGeo(path)).rejects.toThrow(
      `GEOIP_DATABASE must be a city or country database in MaxMind's format; "${path}" is one of the type GeoLite2-ASN.`,
    )
  })

  it.each(['GeoLite2-City', 'GeoIP2-Country', 'DBIP-City-Lite', 'GeoIP2-Enterprise'])(
    'is not one of the type %s',
    async (type) => {
      const geo = await open({ type, networks: { '192.0.2.0/24': VICTORIA } })
      expect(geo.locate('192.0.2.1')).toEqual(IN_VICTORIA)
    },
  )

  it('stops the start of the service', async () => {
    await expect(testApp({ geoDatabase: join(folder, 'none.mmdb') })).rejects.toThrow('GEOIP_DATABASE cannot be read: ')
  })

  it('is found by the doctor, and one that can be is not', async () => {
    const findings = async (path: string) => {
      const lines: string[] = []
      const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
      try {
        await doctorCommand(readConfig({ DATA_DIR: join(folder, 'data'), PORT: '0', GEOIP_DATABASE: path }), [])
      } finally {
        output.mockRestore()
        process.exitCode = 0
      }
      return lines
        .join('')
        .split('\n')
        .filter((line) => line.includes('address look-up'))
    }
    const good = await write(whole)
    expect(await findings(good)).toEqual([`ok    address look-up: ${good} can be used`])
    expect(await findings('')).toEqual(['ok    address look-up: off (GEOIP_DATABASE is not set)'])
    const [wrong = ''] = await findings(join(folder, 'none.mmdb'))
    expect(wrong).toContain('WRONG address look-up: GEOIP_DATABASE cannot be read: ENOENT')
  })
})

describe('a new edition in the place of the file', () => {
  const replace = async (path: string, bytes: Buffer) => rename(await write(bytes), path)
  const PATIENT = { timeout: 60_000 }
  const german = mmdb({ networks: { '192.0.2.0/24': country('DE') } })

  it('is taken up while the old one goes on answering', async () => {
    const path = await write(whole)
    const geo = await openGeo(path, { checkEveryMs: 0 })
    expect(geo.locate('192.0.2.1')).toEqual(IN_VICTORIA)
    await replace(path, german)
    expect(geo.locate('192.0.2.1')).toEqual(IN_VICTORIA)
    await vi.waitFor(() => expect(geo.locate('192.0.2.1')).toEqual({ ...NOWHERE, country_code: 'DE' }), PATIENT)
  })

  it('is looked for once a minute, not at every look-up', async () => {
    const path = await write(whole)
    const geo = await openGeo(path)
    await replace(path, german)
    for (let asked = 0; asked < 5; asked++) {
      expect(geo.locate('192.0.2.1')).toEqual(IN_VICTORIA)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

  it('that cannot be used leaves the old one answering, until there is a better one', async () => {
    const errors: Error[] = []
    const path = await write(whole)
    const geo = await openGeo(path, { checkEveryMs: 0, onError: (error: Error) => errors.push(error) })
    await replace(path, Buffer.from('half of it'))
    await vi.waitFor(() => {
      expect(geo.locate('192.0.2.1')).toEqual(IN_VICTORIA)
      expect(errors[0]).toBeInstanceOf(GeoDatabaseError)
    }, PATIENT)
    await rm(path)
    const before = errors.length
    await vi.waitFor(() => {
      expect(geo.locate('192.0.2.1')).toEqual(IN_VICTORIA)
      expect(errors.length).toBeGreaterThan(before)
    }, PATIENT)
    await replace(path, german)
    await vi.waitFor(() => expect(geo.locate('192.0.2.1')).toEqual({ ...NOWHERE, country_code: 'DE' }), PATIENT)
  })
})

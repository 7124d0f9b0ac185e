// @unit
// Credentials sealed for the database open only with their key and in their place. The keys come from the setting or from a file.

import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  credentialKeysFile,
  credentialKeysOf,
  keysInFile,
  keysOfSetting,
  toCredentialKey,
} from '../../src/keys/credential-keys.ts'
import { createCredentials, sealedText } from '../../src/keys/credentials.ts'

const PLACE = { merchant_id: 7, id: 'gway_1', field: 'secret_key' }
const SECRET = 'a-secret-of-the-merchant-1234'
const [older, newer] = [randomBytes(32), randomBytes(32)]
const { seal, open } = createCredentials(keysOfSetting([newer]))
const sealed = async (secret = SECRET, hint = '1234') => (await seal(PLACE, secret, hint)) ?? ''

const folders: string[] = []
const folder = async () => {
  const made = await mkdtemp(join(tmpdir(), 'cartwright-keys-'))
  folders.push(made)
  return made
}
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))))

describe('a sealed credential', () => {
  it.each(['x', SECRET, 'ä€😀', 'sealed:1:000000000000::AAAA', '-----BEGIN KEY-----\n\n', 'y'.repeat(10_000)])(
    'opens as it was entered: %j',
    async (secret) => {
      expect(await open(PLACE, await sealed(secret, ''))).toBe(secret)
    },
  )

  it('tells its key and its hint, and nothing of the secret', async () => {
    const text = await sealed()
    expect(sealedText(text)).toMatchObject({ keyId: toCredentialKey(newer).id, hint: '1234' })
    const bytes = sealedText(text)?.bytes ?? Buffer.alloc(0)
    for (const part of [text, bytes.toString('latin1'), bytes.toString('utf8')])
      expect(part.replace('1234', '')).not.toContain(SECRET.slice(0, 4))
  })

  it('is another text each time', async () => {
    const texts = await Promise.all(Array.from({ length: 50 }, () => sealed()))
    expect(new Set(texts).size).toBe(50)
    expect(new Set(texts.map((text) => sealedText(text)?.bytes.subarray(0, 12).toString('hex'))).size).toBe(50)
  })

  it.each([
    ['merchant', { ...PLACE, merchant_id: 8 }],
    ['gateway', { ...PLACE, id: 'gway_2' }],
    ['field', { ...PLACE, field: 'webhook_secret' }],
  ])('does not open in the place of another %s', async (_, place) => {
    expect(await open(place, await sealed())).toBeNull()
  })

  it('does not open when any of it was altered', async () => {
    const text = await sealed()
    const [, , keyId = '', hint = '', bytes = ''] = text.split(':')
    const other = Buffer.from('9999').toString('base64url')
    expect(await open(PLACE, `sealed:1:${keyId}:${hint}:${bytes}`)).toBe(SECRET)
    expect(await open(PLACE, `sealed:1:${keyId}:${other}:${bytes}`)).toBeNull()
    expect(await open(PLACE, `sealed:1:${toCredentialKey(older).id}:${hint}:${bytes}`)).toBeNull()
    const whole = Buffer.from(bytes, 'base64url')
    for (let at = 0; at < whole.length; at++) {
      const altered = Buffer.from(whole)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(await open(PLACE, `sealed:1:${keyId}:${hint}:${altered.toString('base64url')}`)).toBeNull()
    }
    for (const length of [0, 1, 12, 27, whole.length - 1])
      expect(
        await open(PLACE, `sealed:1:${keyId}:${hint}:${whole.subarray(0, length).toString('base64url')}`),
      ).toBeNull()
  })

  it.each(['', 'sk_1', 'sealed:', 'sealed:1:', 'sealed:2:000000000000::AAAA', 'sealed:1:0::AAAA'])(
    'is not what %j is',
    async (text) => {
      expect(sealedText(text)).toBeNull()
      expect(await open(PLACE, text)).toBeNull()
    },
  )

  it('opens by every key that is there, and is sealed with the first', async () => {
    const old = createCredentials(keysOfSetting([older]))
    const both = createCredentials(keysOfSetting([newer, older]))
    const before = (await old.seal(PLACE, SECRET, '')) ?? ''
    expect(await both.open(PLACE, before)).toBe(SECRET)
    expect(await open(PLACE, before)).toBeNull()
    const after = (await both.seal(PLACE, SECRET, '')) ?? ''
    expect(await open(PLACE, after)).toBe(SECRET)
    expect(await old.open(PLACE, after)).toBeNull()
  })

  it('is not made without a key', async () => {
    const none = createCredentials(keysOfSetting([]))
    expect(await none.seal(PLACE, SECRET, '')).toBeNull()
    expect(await none.open(PLACE, await sealed())).toBeNull()
  })
})

describe('the keys', () => {
  it('are those of the setting where there is one, else of a file, but not beside DATABASE_URL', async () => {
    const dataDir = await folder()
    const databaseUrl = 'postgres://db/shop'
    const ofSetting = credentialKeysOf({ credentialsKeys: [newer, older], databaseUrl, dataDir })
    expect(await ofSetting.list()).toEqual([toCredentialKey(newer), toCredentialKey(older)])
    const none = credentialKeysOf({ credentialsKeys: null, databaseUrl, dataDir })
    expect([await none.list(), await none.first()]).toEqual([[], null])
    expect(await readdir(dataDir)).toEqual([])
    const ofFile = credentialKeysOf({ credentialsKeys: null, databaseUrl: null, dataDir })
    expect(await ofFile.first()).toEqual((await ofFile.list())[0])
  })

  it('are made by the first need, for their owner alone, and not by looking', async () => {
    const dataDir = join(await folder(), 'not', 'made', 'yet')
    const keys = keysInFile(dataDir)
    expect([await keys.list(), await keys.find('x'.repeat(12))]).toEqual([[], null])
    const first = await keys.first()
    const file = credentialKeysFile(dataDir)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toMatch(/^[\w+/]{43}=\n$/)
    expect(await readdir(dataDir)).toEqual(['credentials.key'])
    expect(await keysInFile(dataDir).list()).toEqual([first])
  })

  it('are the same for everybody who needs them at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const dataDir = await folder()
      const made = await Promise.all(Array.from({ length: 8 }, () => keysInFile(dataDir).first()))
      expect(new Set(made.map((key) => key?.id)).size).toBe(1)
      expect(await readdir(dataDir)).toEqual(['credentials.key'])
    }
  })

  it('that are added to the file while the service runs open what others have sealed with them', async () => {
    const dataDir = await folder()
    const running = createCredentials(keysInFile(dataDir))
    const before = (await running.seal(PLACE, SECRET, '')) ?? ''
    const file = credentialKeysFile(dataDir)
    await writeFile(file, `${newer.toString('hex')}\n${await readFile(file, 'utf8')}`)
    expect(await running.open(PLACE, await sealed())).toBe(SECRET)
    expect(await running.open(PLACE, before)).toBe(SECRET)
  })

  it.each(['', 'short', `${newer.toString('hex')} x`])(
    'are not read out of a file with %j, nor replaced',
    async (text) => {
      const dataDir = await folder()
      const file = credentialKeysFile(dataDir)
      await writeFile(file, text)
      await chmod(file, 0o600)
      const sentence = `${file} must hold keys of 32 bytes in base64 or hex, one on each line. Restore the file that was there.`
      for (const look of [() => keysInFile(dataDir).list(), () => keysInFile(dataDir).first()])
        await expect(look()).rejects.toMatchObject({ message: sentence, isForOperator: true })
      expect(await readFile(file, 'utf8')).toBe(text)
    },
  )
})

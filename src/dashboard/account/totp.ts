// The second factor: six-digit codes that change every 30 seconds (RFC 6238), and recovery codes for a lost app. No I/O.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_SECONDS = 30
const DIGITS = 6
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20
/** Phone clocks differ by some seconds, and typing takes some. */
const STEPS_AROUND = 1

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES)

const stepAt = (now: Date): number => Math.floor(now.getTime() / 1_000 / STEP_SECONDS)

/** RFC 4226, with the time as the counter. */
export function totpCode(secret: Uint8Array, step: number, algorithm = 'sha1', digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac(algorithm, secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** Time step of the code: the current one or a neighbour. Null if none matches, or if it is not above `usedStep`: each code works once. */
export function matchingStep(secret: Uint8Array, code: string, now: Date, usedStep: number): number | null {
  const typed = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(typed)) return null
  const present = stepAt(now)
  let match: number | null = null
  // Always check every step, so the duration does not reveal which one matched.
  for (let step = present - STEPS_AROUND; step <= present + STEPS_AROUND; step++)
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed)) && step > usedStep) match ??= step
  return match
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Without padding, as authenticator apps expect it. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >>> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text
}

/** Address that authenticator apps read from a link or a QR code. */
export const totpUri = (secret: Uint8Array, shop: string, email: string): string => {
  const issuer = encodeURIComponent(shop.replaceAll(':', ' '))
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?secret=${base32(secret)}&issuer=${issuer}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
}

const RECOVERY_CODES = 10
/** 80 bits: too many to guess even with the hashes. */
const RECOVERY_BYTES = 10

/** Ten codes as they are shown: `ABCD-EFGH-IJKL-MNOP`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => (base32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join('-'))

/** Null if it cannot be a recovery code. Accepts small letters, blanks and missing dashes. */
export function hashRecoveryCode(code: string): Buffer | null {
  const plain = code.replaceAll(/[\s-]/g, '').toUpperCase()
  return /^[A-Z2-7]{16}$/.test(plain) ? hash('sha256', plain, 'buffer') : null
}

// An authenticator app, and switching the second factor on with it.

import { totpCode } from '../../src/dashboard/account/totp.ts'
import type { TestApp } from '../support/app.ts'
import { type Browser, openHouse, type Sent } from './support.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function decoded(text: string): Buffer {
  const bits = [...text.replaceAll(' ', '')]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** `secret`: as the app is given it, in base 32. */
export const codeAt = (secret: string, now: Date): string =>
  totpCode(decoded(secret), Math.floor(now.getTime() / 30_000))

/** In a browser in which the account is logged in. The code of this moment is used up by it. */
export async function switchOnSecondFactor(app: TestApp, browser: Browser, password: string) {
  const { secret } = await browser.succeed<{ secret: string }>(200, 'POST', 'second-factor')
  const { spare_codes: codes } = await browser.succeed<{ spare_codes: string[] }>(
    200,
    'POST',
    'second-factor/confirm',
    { body: { code: codeAt(secret, app.clock.now()), password } },
  )
  return { secret, codes }
}

/** A shop whose owner has switched it on, in the browser that is given. */
export async function openGuardedHouse(app: TestApp, usual?: Sent) {
  const house = await openHouse(app)
  const browser = await house.owner(usual)
  return { house, browser, ...(await switchOnSecondFactor(app, browser, house.password)) }
}

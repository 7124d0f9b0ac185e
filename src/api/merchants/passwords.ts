// Passwords of dashboard accounts: made by us, kept as scrypt hashes that carry their own parameters.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

const COST = { N: 32_768, r: 8, p: 1 }
const MEMORY = 64 * 1024 * 1024

/** 120 random bits, easy to copy. */
export const newPassword = () => randomBytes(15).toString('base64url')

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, 32, { ...COST, maxmem: MEMORY })
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$')
}

export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = stored.split('$')
  const expected = Buffer.from(key, 'base64')
  const found = await derive(password, Buffer.from(salt, 'base64'), expected.length, {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    maxmem: MEMORY,
  })
  return timingSafeEqual(found, expected)
}

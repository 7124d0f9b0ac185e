import fastify from 'fastify'
import { expect, test } from 'vitest'
import { serveAbout } from '../../src/http/about.ts'

test('a description that could not be made is tried again, and one that could is kept', async () => {
  let times = 0
  const server = fastify()
  serveAbout(server, async () => {
    if (++times === 1) throw new Error('not now')
    return { openapi: '3.1.0' }
  })
  const ask = async () => (await server.inject('/openapi.json')).statusCode
  expect([await ask(), await ask(), await ask()]).toEqual([500, 200, 200])
  expect(times).toBe(2)
})

// @unit
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { serveAbout } from '../../src/http/server/health.ts'

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

test('whoever has the description is told that it is still the same', async () => {
  const server = fastify()
  serveAbout(server, async () => ({ openapi: '3.1.0' }))
  const whole = await server.inject('/openapi.json')
  expect([whole.statusCode, whole.headers['content-type'], whole.json()]).toEqual([
    200,
    'application/json; charset=utf-8',
    { openapi: '3.1.0' },
  ])
  const known = { 'if-none-match': String(whole.headers.etag) }
  const again = await server.inject({ url: '/openapi.json', headers: known })
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', whole.headers.etag])
  const other = await server.inject({ url: '/openapi.json', headers: { 'if-none-match': '"another"' } })
  expect(other.body).toBe(whole.body)
})

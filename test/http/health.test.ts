// @alone: it stops what the process serves.
// What machines ask of the service: alive, ready, metrics, and what there is. None of it needs a key.

import fastify from 'fastify'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { readMigrations } from '../../src/db/migrate.ts'
import { serveHealth } from '../../src/http/server/health.ts'
import { testApp } from '../support/app.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { crash, errorBody, probe, slice, until } from './harness.ts'

const probes = [
  slice([
    probe({ operation: 'probes.get', path: '/v1/probes/:id', params: Type.Object({ id: Type.String() }) }),
    crash(),
  ]),
]
const app = await testApp({ slices: probes })
const key = (await app.merchant()).keys.sandbox.public
const connection = await cloneDatabase()
const bereft = await testApp({ connection, slices: probes })
const bereftKey = (await bereft.merchant()).keys.sandbox.public
const behind = await testApp({
  migrations: [...(await readMigrations()), { name: '9999_more.sql', sql: 'select 1', checksum: '0' }],
})

describe('health', () => {
  test('live and ready answer without a key, on GET and HEAD', async () => {
    for (const url of ['/health/live', '/health/ready', '/health/ready/', '//health/ready?x=%']) {
      expect(await app.call('GET', url)).toMatchObject({ status: 200, body: { status: 'ok' }, text: '{"status":"ok"}' })
      expect(await app.call('HEAD', url)).toMatchObject({ status: 200, text: '' })
    }
  })

  test('a wrong key or version makes no difference', async () => {
    for (const url of ['/health/live', '/health/ready', '/metrics', '/', '/openapi.json'])
      expect((await app.call('GET', url, { key: 'wrong', version: 'wrong' })).status).toBe(200)
  })

  test('ready is 503 while a migration is missing; live does not care', async () => {
    const answer = await behind.call('GET', '/health/ready')
    const message = 'The database lacks a migration; run cartwright migrate.'
    expect([answer.status, answer.body]).toEqual([503, errorBody(503, 'unavailable', message)])
    expect(answer.headers['retry-after']).toBe('1')
    expect((await behind.call('GET', '/health/live')).status).toBe(200)
  })

  test('ready is 503 while the database cannot be reached; live does not care, and requests give nothing away', async () => {
    expect((await bereft.call('GET', '/health/ready')).status).toBe(200)
    await administer({ ...connection, database: 'postgres' }, `drop database ${connection.database} with (force)`)
    const answer = await bereft.call('GET', '/health/ready')
    const message = 'The database cannot be reached.'
    expect([answer.status, answer.body]).toEqual([503, errorBody(503, 'unavailable', message)])
    expect(answer.headers['retry-after']).toBe('1')
    expect((await bereft.call('GET', '/health/live')).status).toBe(200)
    const request = await bereft.call('GET', '/v1/probes/1', { key: `${bereftKey.slice(0, -4)}AAAA` })
    expect(request.body).toEqual(errorBody(request.status, expect.any(String) as never, expect.any(String) as never))
    expect(request.status).toBeGreaterThanOrEqual(500)
    expect(request.text).not.toMatch(/postgres|test_|FATAL|5432/)
  })
})

describe('the address /', () => {
  test('says what this is and where to go on', async () => {
    const { status, body } = await app.call('GET', '/')
    expect([status, body]).toEqual([
      200,
      {
        name: 'Cartwright',
        description: 'A commerce API. Every address under /v1 needs a key in the X-Authorization header.',
        openapi: '/openapi.json',
        health: '/health/ready',
      },
    ])
    for (const url of ['/openapi.json', '/health/ready']) expect((await app.call('GET', url)).status).toBe(200)
  })
})

describe('metrics', () => {
  const counts = async () => {
    const text = await app.metrics.text()
    return text.split('\n').filter((line) => line.startsWith('cartwright_http_requests_total{'))
  }

  test('are text for Prometheus', async () => {
    const { status, headers, text } = await app.call('GET', '/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('# TYPE cartwright_http_requests_total counter\n')
    expect(text).toMatch(/^cartwright_db_connections\{state="(?:busy|idle|waiting)"\} \d+$/m)
  })

  test('are put together once for all who ask at the same moment', async () => {
    let times = 0
    const server = fastify()
    const text = async () => `asked ${++times}`
    serveHealth(server, { ...app.metrics, text }, async () => ({ ready: true }))
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await server.inject('/metrics')).body))
    expect([...new Set(texts)]).toEqual(['asked 1'])
  })

  test('count requests by route pattern and status; never by address', async () => {
    const calls = [
      ...['secretid1', 'secretid2', 'secretid3'].map((id) => app.call('GET', `/v1/probes/${id}?q=secretid`, { key })),
      app.call('GET', '/v1/probes/secretid1'),
      app.call('PUT', '/v1/probes/secretid1'),
      app.call('HEAD', '/v1/probes/secretid1', { key }),
      app.call('GET', '/v1/crash', { key }),
      ...['secretid', 'secretid/%', '.secretid'].map((path) => app.call('GET', `/${path}`)),
    ]
    await Promise.all(calls)
    const line = (method: string, route: string, status: number, count: number) =>
      `cartwright_http_requests_total{method="${method}",route="${route}",status="${status}"} ${count}`
    const expected = [
      line('GET', '/v1/probes/:id', 200, 3),
      line('GET', '/v1/probes/:id', 401, 1),
      line('PUT', '/v1/probes/:id', 405, 1),
      line('HEAD', '/v1/probes/:id', 200, 1),
      line('GET', '/v1/crash', 500, 1),
      line('GET', 'none', 404, 2),
      line('GET', 'none', 400, 1),
    ]
    await until(() => app.logged.filter((text) => /probes|crash|"route":null/.test(text)).length >= 10, 'ten log lines')
    expect(await counts()).toEqual(expect.arrayContaining(expected))
    const text = await app.metrics.text()
    expect(text).not.toContain('secretid')
    expect(text).toContain('cartwright_http_request_seconds_count{method="GET",route="/v1/probes/:id"} 4')
  })
})

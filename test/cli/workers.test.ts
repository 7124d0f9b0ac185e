// @proof @alone: it starts services.
// WORKERS=2: two HTTP processes behind one port that act as one service.

import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { httpProcessesOf, isAlive, postgresOf, signal, until } from './processes.ts'
import { call, type Running, run, secretOf, start, timeout, usedDataDir } from './support.ts'

const env = { WORKERS: '2' }

describe('two HTTP processes', () => {
  let server: Running
  beforeAll(async () => {
    server = await start({ dataDir: await usedDataDir(), env })
  }, timeout)

  /** A connection of its own each time: the connections go round the processes. */
  const ask = async (path: string, key = secretOf(server)) => {
    const answer = await fetch(`${server.url}${path}`, {
      headers: { 'x-authorization': key, connection: 'close' },
      signal: AbortSignal.timeout(120_000),
    })
    return { status: answer.status, text: await answer.text() }
  }

  it('add up their metrics: each request counts once, whichever process answered it', async () => {
    for (let times = 0; times < 10; times++) expect((await ask('/v1/attributes')).status).toBe(200)
    const { status, text } = await ask('/metrics')
    expect(status).toBe(200)
    expect(text).toContain('cartwright_http_requests_total{method="GET",route="/v1/attributes",status="200"} 10\n')
    // Both write them to the request log, too.
    await until(async () => {
      const logs = await ask('/v1/developer/logs?path=/v1/attributes&limit=200')
      return JSON.parse(logs.text).data.length === 10
    })
    expect(text).toContain('cartwright_request_log_dropped_total 0\n')
    // Known to the first process alone, which answers no requests itself.
    expect(text).toContain('cartwright_http_processes 2\n')
  })

  it('each serve alone while the other is gone, and the one that is gone is replaced', async () => {
    const before = httpProcessesOf(server.pid)
    expect(before).toHaveLength(2)
    for (const killed of before) {
      const [other] = httpProcessesOf(server.pid).filter((pid) => pid !== killed)
      signal(killed, 'SIGKILL')
      await server.until(() =>
        new RegExp(`"pid":${killed},.*an HTTP process ended; starting another`).test(server.stderr),
      )
      // Answered by the other one: nobody else is there within the next moment.
      expect((await ask('/v1/attributes')).status).toBe(200)
      expect(await until(() => httpProcessesOf(server.pid).length === 2)).toBe(true)
      expect(httpProcessesOf(server.pid)).toContain(other)
      expect(await until(async () => (await ask('/metrics')).text.includes('cartwright_http_processes 2\n'))).toBe(true)
    }
    expect(httpProcessesOf(server.pid).filter((pid) => before.includes(pid))).toEqual([])
    for (let times = 0; times < 10; times++) expect((await ask('/health/ready')).status).toBe(200)
  })

  it('leave no request without an end when one is killed that had not taken its connection yet', async () => {
    const [stuck = 0] = httpProcessesOf(server.pid)
    signal(stuck, 'SIGSTOP')
    // One connection at most is on its way to the process that is stuck; the others go to the other one.
    const asked = Array.from({ length: 6 }, () =>
      ask('/v1/attributes').then(
        ({ status }) => status,
        () => 'cut',
      ),
    )
    let answered = 0
    for (const request of asked) void request.then(() => (answered += 1))
    expect(await until(() => answered >= 5)).toBe(true)
    await pause(200)
    expect(answered).toBe(5)
    signal(stuck, 'SIGKILL')
    expect(await until(() => answered === 6)).toBe(true)
    expect((await Promise.all(asked)).toSorted()).toEqual([200, 200, 200, 200, 200, 'cut'])
    expect(await until(() => httpProcessesOf(server.pid).length === 2)).toBe(true)
  })

  it('lose no connection that arrives while all of them are gone', async () => {
    const killed = httpProcessesOf(server.pid)
    for (const pid of killed) signal(pid, 'SIGKILL')
    for (const pid of killed)
      await server.until(() => new RegExp(`"pid":${pid},.*an HTTP process ended; starting another`).test(server.stderr))
    // Nobody serves within the next moment.
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/v1/attributes')))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await until(() => httpProcessesOf(server.pid).length === 2)).toBe(true)
  })

  it('both take a new key, and both refuse it a second after it is revoked', async () => {
    const { dataDir } = server
    const made = await run(['keys', 'create', '--merchant', '1', '--secret'], { dataDir })
    const [, id = '', key = ''] = /^(\S+) {2}(sk_test_\w{40})\n/.exec(made.stdout) ?? []
    const statuses = async () => {
      const asked = Array.from({ length: 8 }, () => ask('/v1/attributes', key))
      return (await Promise.all(asked)).map(({ status }) => status)
    }
    await pause(1_000)
    expect(await statuses()).toEqual(Array(8).fill(200))
    expect((await run(['keys', 'revoke', '--merchant', '1', id], { dataDir })).code).toBe(0)
    await pause(1_000)
    expect(await statuses()).toEqual(Array(8).fill(401))
  })

  it('all end in order with SIGINT from the terminal, which reaches each', () => expectEnd(server, 'SIGINT'))
})

/** A signal from the terminal reaches each process. */
async function expectEnd(server: Running, name: NodeJS.Signals) {
  const processes = httpProcessesOf(server.pid)
  await call(`${server.url}/v1/attributes`, secretOf(server))
  const before = server.stderr.length
  signal(-server.pid, name)
  const { code, stderr } = await server.ended
  expect(code).toBe(0)
  expect(stderr.slice(before)).not.toMatch(/"level":"(?:error|fatal)"/)
  expect(processes.filter(isAlive)).toEqual([])
  expect(postgresOf(server.dataDir)).toEqual([])
}

describe('the end of all processes', () => {
  it('does not wait for one that hangs, whose figures are missing until then', async () => {
    const server = await start({ dataDir: await usedDataDir(), env })
    const processes = httpProcessesOf(server.pid)
    const [hanging = 0] = processes
    signal(hanging, 'SIGSTOP')
    // One connection at most goes to the process that hangs; the other is answered.
    const asked = [1, 2].map(() =>
      fetch(`${server.url}/metrics`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(120_000) }),
    )
    for (const request of asked) request.catch(() => undefined)
    const answer = await Promise.any(asked)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        error: { type: 'unavailable', message: 'One of the processes did not report its metrics in time.' },
        status_code: 503,
      },
    ])
    const began = performance.now()
    expect(await server.stop()).toMatchObject({ code: 0 })
    // The one that hangs would hang without end.
    expect(performance.now() - began).toBeLessThan(120_000)
    expect(processes.filter(isAlive)).toEqual([])
    expect(postgresOf(server.dataDir)).toEqual([])
  })

  it('comes in order while no HTTP process runs, and frees the port', async () => {
    const server = await start({ dataDir: await usedDataDir(), env })
    const killed = httpProcessesOf(server.pid)
    for (const pid of killed) signal(pid, 'SIGKILL')
    for (const pid of killed)
      await server.until(() => new RegExp(`"pid":${pid},.*an HTTP process ended; starting another`).test(server.stderr))
    // Accepted, and not answered by anybody before the service stops.
    const waiting = fetch(`${server.url}/v1/attributes`, { signal: AbortSignal.timeout(120_000) }).then(
      () => 'answered',
      () => 'cut',
    )
    expect(await server.stop()).toMatchObject({ code: 0 })
    await waiting
    await expect(fetch(server.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    expect(postgresOf(server.dataDir)).toEqual([])
  })

  it('comes by itself when the first process is killed, and the next start goes on from there; SIGHUP ends it in order', async () => {
    const dataDir = await usedDataDir()
    const server = await start({ dataDir, env })
    const processes = httpProcessesOf(server.pid)
    await server.kill9()
    expect(await until(() => processes.every((pid) => !isAlive(pid)))).toBe(true)
    const again = await start({ dataDir, env })
    expect(await call(`${again.url}/v1/attributes`, secretOf(again))).toMatchObject({ status: 200 })
    await expectEnd(again, 'SIGHUP')
  })
})

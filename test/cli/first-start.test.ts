// @alone: it starts the service.
// `cartwright start` on an empty folder, the next start, its log, and its end.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { postgresOf } from './processes.ts'
import {
  call,
  everyAttribute,
  expectRefusal,
  type Running,
  run,
  secretOf,
  start,
  tempFolder,
  timeout,
} from './support.ts'

const execute = promisify(execFile)

describe('the first start on an empty folder', { timeout }, () => {
  it('prints the address, four keys and a line that works when pasted; the next start prints none of the secrets, and keeps others away', async () => {
    const dataDir = join(tempFolder(), 'not there yet', 'data')
    const first = await start({ dataDir })
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(first.keys).toEqual({
      sandbox: { public: expect.stringMatching(/^pk_test_\w{40}$/), secret: expect.stringMatching(/^sk_test_\w{40}$/) },
      live: { public: expect.stringMatching(/^pk_\w{40}$/), secret: expect.stringMatching(/^sk_\w{40}$/) },
    })
    const pasted = await paste(first.curl ?? '')
    expect(pasted).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ name: 'Stoneware Mug' })]) })
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
    expect((await fetch(`${first.url}/openapi.json`)).status).toBe(200)
    expect(first.stdout).toContain(`${first.url}/storefront/\n`)
    expect(first.stdout).toContain(`dashboard        ${first.url}/dashboard\n`)
    expect((await fetch(`${first.url}/dashboard`)).status).toBe(200)
    const [, page = ''] = /checkout page {4}(\S+)\n/.exec(first.stdout) ?? []
    const shown = await fetch(page)
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringMatching(/Stoneware Mug[\s\S]*Buy now/)])
    const settings = await (await fetch(`${first.url}/storefront/config.js`)).text()
    expect(settings).toContain(`"${first.keys?.sandbox.public}"`)
    expect(statSync(join(dataDir, 'demo-keys.json')).mode & 0o777).toBe(0o600)
    const ids = await everyAttribute(first)
    expect(await first.stop()).toMatchObject({ code: 0, signal: null })

    const second = await start({ dataDir })
    expect(first.stdout).toContain(join(dataDir, 'demo-keys.json'))
    const { keys, dashboard } = JSON.parse(readFileSync(join(dataDir, 'demo-keys.json'), 'utf8'))
    expect(first.stdout).toContain(dashboard.password)
    for (const secret of [keys.sandbox.secret, keys.live.secret, keys.live.public, dashboard.password])
      expect(second.stdout + second.stderr).not.toContain(secret)
    expect(second.stdout).toContain(
      `Demo shop: public sandbox key ${keys.sandbox.public}; the others and the dashboard's password are in ${join(dataDir, 'demo-keys.json')}\n`,
    )
    expect(second.stdout).toContain(`${second.url}/storefront/\n`)
    expect(await everyAttribute(second)).toEqual(ids)
    expect(await paste(second.curl ?? '')).toEqual(JSON.parse(JSON.stringify(pasted).replaceAll(first.url, second.url)))

    expectRefusal(
      await run(['start'], { dataDir }),
      `Cartwright is already running on this data folder (pid ${second.pid}): ${dataDir}.`,
    )
    expect((await fetch(`${second.url}/health/ready`)).status).toBe(200)
    await expectLog(second)
    expect(postgresOf(dataDir)).toEqual([])
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
    await expect(fetch(second.url)).rejects.toThrow()
  })
})

/** Stops the service. Its log is one JSON object a line on standard error, without any key. */
async function expectLog(server: Running) {
  const { keys, url } = server
  await call(`${url}/v1/attributes`, keys?.live.secret ?? '')
  await call(`${url}/v1/attributes?key=${keys?.live.public}`, keys?.sandbox.public ?? '')
  await call(`${url}/v1/attributes/${keys?.live.secret}`, 'sk_test_wrong')
  await call(`${url}/v1/attributes`, secretOf(server))
  const { code, signal, stdout, stderr } = await server.stop()
  expect([code, signal]).toEqual([0, null])
  const lines = stderr.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(4)
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) })
  expect(stderr).not.toMatch(/[ps]k_(?:test_)?\w{40}/)
  expect(stdout).not.toContain('"level"')
}

/** In a shell as it stands; where there is no curl, the request that it describes. */
async function paste(line: string): Promise<unknown> {
  const hasCurl = await execute('curl', ['--version']).then(
    () => true,
    () => false,
  )
  if (hasCurl) return JSON.parse((await execute('bash', ['-c', line])).stdout)
  const [, key = '', url = ''] = /^curl -H 'X-Authorization: (\w+)' (\S+)$/.exec(line) ?? []
  return (await call(url, key)).body
}

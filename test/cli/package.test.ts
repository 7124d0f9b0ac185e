// @alone
// What npm publishes: that it is complete, that nothing else is in it, and that it runs from an empty folder.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { postgresOf } from './processes.ts'
import { call, checkout, run, secretOf, start, tempFolder } from './support.ts'

const execute = promisify(execFile)
const npm = (args: readonly string[], cwd: string) => execute('npm', args, { cwd, timeout: 100_000 })

it('a packed release installs into an empty folder, starts, answers and stops', { timeout: 240_000 }, async () => {
  const folder = tempFolder()
  const packed = await npm(['pack', '--json', '--loglevel=error', '--pack-destination', folder], checkout)
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'bin/cartwright.js',
      'demo/pictures/bowl.png',
      'demo/downloads/stool-plans.pdf',
      'examples/storefront/index.html',
      'dist/main.js',
      // Of the packages whose code is in dist.
      'dist/licences.txt',
      'openapi.json',
      'migrations/0001_merchants.sql',
    ]),
  )
  // What pages load, as it is and compressed.
  for (const name of ['enhance', 'stripe', 'square', 'razorpay', 'checkout'])
    expect(paths.filter((path) => path.startsWith(`dist/web/${name}-`)).length).toBe(3)
  expect(
    paths.filter((path) => /^(?:src|test|web|scripts|docs|data|node_modules)\/|\.ts$|demo-keys/.test(path)),
  ).toEqual([])

  const home = join(folder, 'home')
  await install(join(folder, filename), home)
  const command: [string] = [join(home, 'node_modules', '.bin', 'cartwright')]
  const server = await start({ command, cwd: home, dataDir: join(folder, 'data') })
  expect(await call(`${server.url}/v1/attributes`, secretOf(server))).toMatchObject({ status: 200 })
  // The SDK is a dependency of a release: pages load it from here.
  for (const path of ['/v2/commerce.js', '/storefront/commerce.js', '/storefront/'])
    expect([path, (await fetch(`${server.url}${path}`, { redirect: 'manual' })).status]).toEqual([path, 200])
  const listed = await run(['keys', 'list'], { command, cwd: home, dataDir: server.dataDir })
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('Cartwright Demo'), stderr: '' })
  expect(await server.stop()).toMatchObject({ code: 0 })
  expect(postgresOf(server.dataDir)).toEqual([])
})

async function install(archive: string, home: string) {
  const quick = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await execute('mkdir', [home])
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
  try {
    await npm(['install', ...quick, '--fetch-retries=1', '--fetch-timeout=30000', archive], home)
  } catch (error) {
    const { killed, stderr } = error as Error & { killed?: boolean; stderr?: string }
    const reason = killed ? 'it took longer than 100 seconds' : (stderr ?? String(error))
    throw new Error(`npm could not install the packed release; is the registry within reach? ${reason}`)
  }
}

it('from a checkout, npm run --silent passes the answer on and nothing else', { timeout: 240_000 }, async () => {
  const data = join(tempFolder({ inMemory: true }), 'data')
  const command: [string, ...string[]] = ['npm', 'run', '--silent', '--prefix', checkout, 'cartwright', '--']
  const args = ['merchant', 'create', '--name', 'Shop', '--email', 'shop@example.com', '--json']
  const { code, stdout } = await run(args, { command, dataDir: data })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\{"id":1,"keys":\{"live":\{.*\}\}\n$/)
})

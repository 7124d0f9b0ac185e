// The shop that a first start makes, and each storefront of this folder at an origin of its own. Only its address and key are changed.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll } from 'vitest'
import { folderOfFile, seedInto } from '../demo/support.ts'
import { listen } from '../http/harness.ts'
import { serve } from '../sdk/surroundings.ts'
import { type TestApp, testApp } from '../support/app.ts'

export type FirstStart = {
  readonly app: TestApp
  readonly url: string
  readonly publicKey: string
  readonly secretKey: string
}

/** The demo shop, as a start makes it in an empty database, and nothing else. */
export async function openFirstStart(): Promise<FirstStart> {
  const dataDir = await folderOfFile()
  const app = await testApp({ dataDir })
  const url = `http://127.0.0.1:${await listen(app)}`
  const shop = await seedInto(app.db, app.clock, dataDir)
  if (shop === null) throw new Error('There is no demo shop.')
  return { app, url, publicKey: shop.keys.sandbox.public, secretKey: shop.keys.sandbox.secret }
}

const sourceOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** One page that loads the SDK from the service: its address and the key are all that is replaced. */
export function openPlainPage({ url, publicKey }: FirstStart, folder: 'plain-page' | 'sloppy-page'): Promise<string> {
  const html = sourceOf(`${folder}/index.html`)
    .replace('https://cdn.chec.io/', `${url}/`)
    .replace('pk_test_1234567890', publicKey)
  return serve({ '/': html })
}

/** Components, bundled as their author would: the address and the key come from the environment of the build. */
export async function openComponent({ url, publicKey }: FirstStart, sdk: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('component/store.jsx', import.meta.url))],
    bundle: true,
    write: false,
    jsx: 'automatic',
    alias: { '@chec/commerce.js': sdk },
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.REACT_APP_CHEC_URL': JSON.stringify(url),
      'process.env.REACT_APP_CHEC_PUBLIC_KEY': JSON.stringify(publicKey),
    },
  })
  return serve({ '/': sourceOf('component/index.html'), '/store.js': outputFiles[0]?.text ?? '' })
}

/** A process of its own, as on its author's server. */
export async function openServerRendered({ url, publicKey }: FirstStart, sdk: string): Promise<string> {
  const program = fileURLToPath(new URL('server-rendered/server.js', import.meta.url))
  const env = { CHEC_SDK: sdk, CHEC_API_URL: url, CHEC_PUBLIC_KEY: publicKey }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  afterAll(() => end(child))
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server-rendered store ended with ${code}.`)))
    child.stdout.once('data', (line) => resolve(String(line).trim()))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill()
  })
}

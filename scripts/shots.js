// Saves screenshots of the checkout's pages, in their main states, at the widths of a phone and of a desk, by light and in the dark:
// node scripts/shots.js [folder] [name …]. What is in it is made up (test/pages/checkout/views/states.ts); nothing is started.

import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = `${root}shots`, ...only] = process.argv.slice(2)

const VIEWS = [
  { name: '360-light', width: 360, colorScheme: 'light' },
  { name: '360-dark', width: 360, colorScheme: 'dark' },
  { name: '1280-light', width: 1_280, colorScheme: 'light' },
  { name: '1280-dark', width: 1_280, colorScheme: 'dark' },
]

const code = `${root}node_modules/.cache/shots.mjs`
await build({
  entryPoints: [`${root}test/pages/checkout/views/states.ts`],
  outfile: code,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'error',
})
const { STATES, THEME } = await import(code)
const { outputFiles } = await build({
  entryPoints: [`${root}web/checkout/checkout.css`],
  bundle: true,
  minify: true,
  write: false,
  logLevel: 'error',
})
const css = outputFiles[0].text

const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://shots').pathname
  const answer = (type, body) => response.setHeader('content-type', `${type}; charset=utf-8`).end(body)
  const [, one, other] = /^\/pictures\/(\w+)-(\w+)\.svg$/.exec(path) ?? []
  if (/^\/checkout-assets\/checkout\b.*\.css$/.test(path)) return answer('text/css', css)
  if (path === THEME.path) return answer('text/css', THEME.css)
  if (one !== undefined)
    return answer(
      'image/svg+xml',
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80"><path fill="#${other}" d="M0 0h80v80H0z"/><circle cx="40" cy="40" r="24" fill="#${one}"/></svg>`,
    )
  const state = STATES[path.slice(1)]
  if (state === undefined) return response.writeHead(404).end()
  return answer('text/html', state().text)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync),
  chromiumSandbox: process.getuid?.() !== 0,
  args: ['--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--no-proxy-server'],
})
mkdirSync(folder, { recursive: true })
for (const { name, width, colorScheme } of VIEWS) {
  const page = await browser.newPage({ viewport: { width, height: width < 500 ? 740 : 900 }, colorScheme })
  for (const state of Object.keys(STATES).filter((each) => only.length === 0 || only.includes(each))) {
    await page.goto(`http://127.0.0.1:${port}/${state}`, { waitUntil: 'load' })
    // As a browser shows it whose scripts run.
    await page.evaluate('for (const each of document.querySelectorAll("[data-without-script]")) each.hidden = true')
    await page.screenshot({ path: `${folder}/${state}.${name}.png`, fullPage: true })
  }
  await page.close()
}
await browser.close()
server.close()
process.stdout.write(`${folder}\n`)

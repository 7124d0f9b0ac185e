// @alone
// The commands of docs/moving-in.md, pasted into a shell as they stand there, in a copy of the program and on a database of its own.

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { checkout, copyProgram, tempFolder } from '../cli/support.ts'
import { listen } from '../http/harness.ts'
import { testApp } from '../support/app.ts'
import { cloneDatabase, urlOf } from '../support/database.ts'
import { seedInto } from './support.ts'

const execute = promisify(execFile)

it('each command does what the page says', { timeout: 360_000 }, async () => {
  const connection = await cloneDatabase()
  const app = await testApp({ connection })
  await seedInto(app.db, app.clock, app.dataDir)
  const script = await readCommands(`http://127.0.0.1:${await listen(app)}`)
  const home = tempFolder()
  execFileSync(process.execPath, [join(checkout, 'scripts', 'build.js')], { stdio: ['ignore', 'ignore', 'inherit'] })
  copyProgram(home)
  symlinkSync(join(checkout, 'node_modules'), join(home, 'node_modules'))
  const env = { PATH: process.env.PATH, HOME: home, DATABASE_URL: urlOf(connection), npm_config_offline: 'true' }
  const { stdout } = await execute('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: home, env })
  // A terminal sees colours and a wheel that turns.
  const lines = stripVTControlCharacters(stdout).split(/[\r\n]+/)
  const key = 'pk_test_184625ed86f36703d7d233bcf6d519a4f9398f20048ec'
  const imported = expect.stringMatching(new RegExp(`^key_[0-9A-Za-z]{26}  ${key}$`))
  expect(lines.filter((line) => line !== '' && !/Seeding|^ +- /.test(line))).toEqual([
    imported,
    'Storefronts with this key now reach the sandbox of merchant 1.',
    expect.stringMatching(/^key_[0-9A-Za-z]{26} is revoked\.$/),
    imported,
    'Storefronts with this key now reach the sandbox of merchant 2.',
    expect.stringContaining('Completed seeding'),
    'Added:',
    '  2 categories',
    '  1 discounts',
    '  3 products',
    '  1 shipping_zones',
    '  3 assets',
    "[ 'Linen Apron', 'Rye Loaf' ]",
    "[ 'https://shop.example.com' ]",
  ])
})

/** All that is marked `bash`, one after the other. */
async function readCommands(url: string): Promise<string> {
  const page = await readFile(new URL('../../docs/moving-in.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  expect(blocks).toHaveLength(5)
  const script = blocks.join('\n')
  const here = script.replace('http://127.0.0.1:4000', url)
  expect(here).not.toBe(script)
  return here
}

it('links to pages, files and headings that are there', async () => {
  const page = await readFile(new URL('../../docs/moving-in.md', import.meta.url), 'utf8')
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => `#${slugOf(text)}`)
  const links = [...page.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(15)
  const broken = links.filter((link) =>
    link.startsWith('#')
      ? !headings.includes(link)
      : !existsSync(new URL(`../../docs/${link.replace(/#.*/, '')}`, import.meta.url)),
  )
  expect(broken).toEqual([])
})

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-')

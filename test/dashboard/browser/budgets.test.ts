// What the dashboard may cost a browser, in bytes as they are sent to those who take nothing smaller than gzip.

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { DASHBOARD_ASSETS_PATH, dashboardFiles } from '../../../src/dashboard/shell.ts'
import { testApp } from '../../support/app.ts'

const KB = 1_024
const SHELL = 40 * KB
const SCREEN = 15 * KB
const ALL = 150 * KB
const STYLES = 15 * KB
const HTML = 2 * KB

const app = await testApp()
const files = dashboardFiles()
const page = await app.server.inject({ url: '/dashboard', headers: { host: 'localhost' } })
const named = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
const shell = named.filter((path) => path.endsWith('.js')).map((path) => path.slice(DASHBOARD_ASSETS_PATH.length + 1))
const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
const sizeOf = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + (files.get(name)?.gzip.length ?? Number.NaN), 0)

it('has a page of at most 2 KB that names its styles and all of its first scripts, and has nothing inline', () => {
  expect([page.statusCode, page.headers['cache-control']]).toEqual([200, 'no-store'])
  expect(gzipSync(page.body).length).toBeLessThanOrEqual(HTML)
  expect(page.body).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/)
  expect(String(page.headers['content-security-policy'])).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; .*require-trusted-types-for 'script'; trusted-types 'none'$/,
  )
  expect(String(page.headers['permissions-policy'])).toContain('payment=()')
})

it('begins with scripts of at most 40 KB', () => {
  expect(shell.length).toBeGreaterThan(0)
  expect(sizeOf(shell)).toBeLessThanOrEqual(SHELL)
})

it('needs at most 15 KB more for any screen, and 150 KB for all', () => {
  const imports = (name: string) =>
    [...(files.get(name)?.uncompressed.toString() ?? '').matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map(
      ([, next = '']) => next,
    )
  for (const name of scripts.filter((each) => !shell.includes(each))) {
    const needed = new Set([name])
    for (const each of needed) for (const next of imports(each)) if (!shell.includes(next)) needed.add(next)
    expect([name, sizeOf([...needed]) <= SCREEN]).toEqual([name, true])
  }
  expect(sizeOf(scripts)).toBeLessThanOrEqual(ALL)
})

it('has styles of at most 15 KB', () => {
  expect(sizeOf([...files.keys()].filter((name) => name.endsWith('.css')))).toBeLessThanOrEqual(STYLES)
})

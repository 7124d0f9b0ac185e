// @unit
// The index of decisions lists every page of docs/decisions once, by its exact title.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '../docs/decisions')
const pages = readdirSync(folder).filter((name) => name !== 'README.md')

/** One line of the index, without what may follow: "- 0041 [Title](0041-name.md)". */
const lineOf = (page: string) => {
  const [, number, title] = /^# (\d{4}) (.+)\n/.exec(readFileSync(join(folder, page), 'utf8')) ?? []
  return `- ${number} [${title}](${page})`
}

it('lists every decision once, under its title', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const lines = [...index.matchAll(/^- \d{4} \[.+?\]\(.+?\)/gm)].map(([line]) => line)
  expect(lines.toSorted()).toEqual(pages.map(lineOf).toSorted())
})

it('gives every decision a number of its own and a title', () => {
  for (const page of pages) expect(lineOf(page)).toMatch(new RegExp(`^- ${page.slice(0, 4)} \\[[A-Z]\\S+ .+\\]`))
  expect(new Set(pages.map((page) => page.slice(0, 4))).size).toBe(pages.length)
})

// @unit
// Tests the reader of PostgreSQL's log.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readLogs, type SentBy, sentIn } from './sent-statements.ts'

const entry = (message: string, client = 'cartwright', session = 'a.1') =>
  `${session} ${client} LOG:  ${message.replaceAll('\n', '\n\t')}`

describe('an entry of the log', () => {
  it.each([
    ['a prepared statement', 'execute carts.find: select 1', { name: 'carts.find', text: 'select 1' }],
    ['several lines of SQL', 'execute a.b: select 1\nfrom x: y', { name: 'a.b', text: 'select 1\nfrom x: y' }],
    ['one without a name', 'execute <unnamed>: select 1', { name: null, text: 'select 1' }],
    ['one with a portal', 'execute carts.find/p1: select 1', { name: 'carts.find', text: 'select 1' }],
    ['one that is read in parts', 'execute fetch from a.b/p1: select 1', { name: 'a.b', text: 'select 1' }],
    ['a plain text', 'statement: begin', { name: null, text: 'begin' }],
    ['something else', 'terminating connection due to administrator command', null],
  ])('is read: %s', (_, message, sent) => {
    expect(sentIn(entry(message))).toEqual(sent)
  })
})

describe('the logs of a folder', () => {
  it('tell what each connection has sent, in its order, whatever is in a text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cartwright-logs-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const write = (name: string, entries: [session: string, message: string, client: string][]) => {
      const text = entries.map(([session, message, client]) => entry(message, client, session))
      // More than is read at a time, in letters of several bytes.
      const long = `a.1 cartwright ERROR:  ${'ü'.repeat(1_100_000)}\n`
      writeFileSync(join(folder, name), `${long}${text.join('\n')}\n`)
    }
    const odd = "select 'a.1 cartwright LOG:  statement: begin'\n\n\twhere true"
    write('1.log', [
      ['a.1', 'statement: begin', 'cartwright'],
      ['a.2', `statement: ${odd}`, 'cartwright'],
      ['a.2', `statement: ${odd}`, 'psql'],
      ['a.1', 'execute carts.find: select 1', 'cartwright'],
    ])
    write('2.log', [['a.1', 'execute carts.find: select 1', 'cartwright']])
    const all: SentBy[] = []
    for await (const part of readLogs(folder)) all.push(...part)
    expect(all).toEqual([
      { session: '1.log a.1', sent: { name: null, text: 'begin' } },
      { session: '1.log a.2', sent: { name: null, text: odd } },
      { session: '1.log a.1', sent: { name: 'carts.find', text: 'select 1' } },
      { session: '2.log a.1', sent: { name: 'carts.find', text: 'select 1' } },
    ])
  })
})

// @unit
// The reader of PostgreSQL's log.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readLogs, type SentBy, sentIn } from './sent-statements.ts'

const line = (message: string, application_name = 'cartwright') => JSON.stringify({ message, application_name })

describe('a line of the log', () => {
  it.each([
    ['a prepared statement', 'execute carts.find: select 1', { name: 'carts.find', text: 'select 1' }],
    ['several lines of SQL', 'execute a.b: select 1\nfrom x: y', { name: 'a.b', text: 'select 1\nfrom x: y' }],
    ['one without a name', 'execute <unnamed>: select 1', { name: null, text: 'select 1' }],
    ['one with a portal', 'execute carts.find/p1: select 1', { name: 'carts.find', text: 'select 1' }],
    ['one that is read in parts', 'execute fetch from a.b/p1: select 1', { name: 'a.b', text: 'select 1' }],
    ['a plain text', 'statement: begin', { name: null, text: 'begin' }],
    ['something else', 'terminating connection due to administrator command', null],
  ])('is read: %s', (_, message, sent) => {
    expect(sentIn(line(message))).toEqual(sent)
  })
})

describe('the logs of a folder', () => {
  it('tell what each connection has sent, in its order, whatever is in a text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cartwright-logs-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const write = (name: string, lines: [session: string, message: string, by: string][]) => {
      const text = lines.map(([session_id, message, application_name]) =>
        JSON.stringify({ pid: 1, session_id, line_num: 1, message, application_name, query_id: 0 }),
      )
      // More than is read at a time, in letters of several bytes.
      writeFileSync(join(folder, name), `${JSON.stringify({ hint: 'ü'.repeat(1_100_000) })}\n${text.join('\n')}\n`)
    }
    const odd = `select '"' || "a","b", '\\","' || '"application_name":"cartwright"'`
    write('1.json', [
      ['a.1', 'statement: begin', 'cartwright'],
      ['a.2', `statement: ${odd}`, 'cartwright'],
      ['a.2', `statement: ${odd}`, 'psql'],
      ['a.1', 'execute carts.find: select 1', 'cartwright'],
    ])
    write('2.json', [['a.1', 'execute carts.find: select 1', 'cartwright']])
    const all: SentBy[] = []
    for await (const part of readLogs(folder)) all.push(...part)
    expect(all).toEqual([
      { session: '1.json a.1', sent: { name: null, text: 'begin' } },
      { session: '1.json a.2', sent: { name: null, text: odd } },
      { session: '1.json a.1', sent: { name: 'carts.find', text: 'select 1' } },
      { session: '2.json a.1', sent: { name: 'carts.find', text: 'select 1' } },
    ])
  })
})

// The table of roles is whole, and says what was decided.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { allowedModesOf, canRunOperation, PERMISSIONS, ROLES } from '../../src/dashboard/roles.ts'
import { testApp } from '../support/app.ts'
import { join, openHouse, type SessionView } from './support.ts'

const endpoints = slices.flatMap((slice) => slice.endpoints)
/** Of /dashboard/api, where no endpoint says it. */
const OWN = ['team.invite', 'team.list', 'team.remove', 'team.update']
describe('the table', () => {
  it('decides about every operation, as its endpoint declares', () => {
    expect(endpoints.length).toBeGreaterThan(150)
    const others = endpoints.filter(({ operation, permission }) => PERMISSIONS.get(operation) !== permission)
    expect(others.map(({ operation }) => operation)).toEqual([])
  })

  it('names no operation that does not exist', () => {
    const known = new Set([...endpoints.map(({ operation }) => operation), ...OWN])
    const unknown = [...PERMISSIONS.keys()].filter((operation) => !known.has(operation))
    expect(unknown).toEqual([])
  })

  it('stands in docs/dashboard.md as it is', () => {
    const docs = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8')
    const rows = [...PERMISSIONS.keys()].sort().map((operation) => {
      const reaches = ROLES.map(
        (role) => ({ both: 'yes', sandbox: 'sandbox', none: '–' })[allowedModesOf(role, operation)],
      )
      return `| \`${operation}\` | ${reaches.join(' | ')} |`
    })
    expect(rows.filter((row) => !docs.includes(row))).toEqual([])
  })

  it('gives nobody but owners what nobody has decided about', () => {
    for (const role of ROLES) expect(canRunOperation(role, 'things.make', true)).toBe(role === 'owner')
  })

  it.each([
    ['packer', 'orders.create_shipment', true, true],
    ['packer', 'orders.refund', false, false],
    ['developer', 'orders.refund', true, false],
    ['developer', 'team.list', false, false],
    ['manager', 'orders.refund', true, true],
    ['manager', 'team.invite', false, false],
    ['owner', 'team.invite', true, true],
  ] as const)('lets a %s do %s: in the sandbox %s, live %s', (role, operation, sandbox, live) => {
    expect([canRunOperation(role, operation, true), canRunOperation(role, operation, false)]).toEqual([sandbox, live])
  })
})

const app = await testApp()

/** What of the API is refused to a session, and with which words, is in test/access/matrix.test.ts. */
it('a session is told what its role may do, and a packer does not see the team', async () => {
  const packer = await join(app, await (await openHouse(app)).owner(), 'packer')
  const session = await packer.succeed<SessionView>(200, 'GET', 'session')
  expect(session.may).toContain('orders.create_shipment')
  expect(session.may).not.toContain('orders.refund')
  expect((await packer.send('GET', 'team')).status).toBe(403)
})

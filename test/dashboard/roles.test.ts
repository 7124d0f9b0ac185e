// @alone
// The table of roles is whole, and says what was decided; what a role may not do is refused by the API itself.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { mayDo, OPERATION_KINDS, ROLES, reachOf } from '../../src/dashboard/roles.ts'
import { testApp } from '../support/app.ts'
import { join, openHouse, type SessionView } from './support.ts'

const operations = slices.flatMap((slice) => slice.endpoints.map(({ operation }) => operation))
/** Of /dashboard/api, where no endpoint says it. */
const OWN = ['team.invite', 'team.list', 'team.remove', 'team.update']
describe('the table', () => {
  it('decides about every operation, each once', () => {
    expect(operations.filter((operation) => !OPERATION_KINDS.has(operation))).toEqual([])
  })

  it('names no operation that does not exist', () => {
    const known = new Set([...operations, ...OWN])
    const unknown = [...OPERATION_KINDS.keys()].filter((operation) => !known.has(operation))
    expect(unknown).toEqual([])
  })

  it('stands in docs/dashboard.md as it is', () => {
    const docs = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8')
    const rows = [...OPERATION_KINDS.keys()].sort().map((operation) => {
      const reaches = ROLES.map((role) => ({ both: 'yes', sandbox: 'sandbox', none: '–' })[reachOf(role, operation)])
      return `| \`${operation}\` | ${reaches.join(' | ')} |`
    })
    expect(rows.filter((row) => !docs.includes(row))).toEqual([])
  })

  it('gives nobody but owners what nobody has decided about', () => {
    for (const role of ROLES) expect(mayDo(role, 'things.make', true)).toBe(role === 'owner')
  })

  it.each([
    ['packer', 'orders.create_shipment', true, true],
    ['packer', 'orders.refund', false, false],
    ['packer', 'orders.cancel', false, false],
    ['packer', 'products.update', false, false],
    ['packer', 'reports.overview', false, false],
    ['developer', 'orders.refund', true, false],
    ['developer', 'orders.list', true, true],
    ['developer', 'webhooks.create', true, true],
    ['developer', 'team.list', false, false],
    ['manager', 'orders.refund', true, true],
    ['manager', 'keys.create', false, false],
    ['manager', 'gateways.update', false, false],
    ['manager', 'team.invite', false, false],
    ['owner', 'team.invite', true, true],
  ] as const)('lets a %s do %s: in the sandbox %s, live %s', (role, operation, sandbox, live) => {
    expect([mayDo(role, operation, true), mayDo(role, operation, false)]).toEqual([sandbox, live])
  })
})

describe('the API', () => {
  it('refuses a packer a refund, says who may, and has nothing refunded', async () => {
    const app = await testApp()
    const house = await openHouse(app)
    const owner = await house.owner()
    const packer = await join(app, owner, 'packer')
    const session = await packer.succeed<SessionView>(200, 'GET', '/dashboard/api/session')
    expect(session.may).toContain('orders.create_shipment')
    expect(session.may).not.toContain('orders.refund')
    for (const mode of ['sandbox', 'live'] as const) {
      // Whether the order exists is not told either.
      const told = await packer.send('POST', '/dashboard/api/v1/orders/ord_1/refund', { mode, body: {} })
      expect([told.status, told.body]).toEqual([
        403,
        {
          error: {
            type: 'forbidden',
            message:
              mode === 'live'
                ? 'As packer you may not do this: owner or manager may.'
                : 'As packer you may not do this: owner, manager or developer may.',
          },
          status_code: 403,
          may: {
            roles: mode === 'live' ? ['owner', 'manager'] : ['owner', 'manager', 'developer'],
            people: [{ name: house.email, role: 'owner' }],
          },
        },
      ])
    }
    await packer.succeed(200, 'GET', '/dashboard/api/v1/orders', { mode: 'live' })
    expect((await packer.send('GET', '/dashboard/api/team')).status).toBe(403)
  })

  it('lets a developer do in the sandbox what it refuses live', async () => {
    const app = await testApp()
    const house = await openHouse(app)
    const developer = await join(app, await house.owner(), 'developer')
    const body = { name: 'Thing', price: 10 }
    await developer.succeed(201, 'POST', '/dashboard/api/v1/products', { body })
    const told = await developer.send('POST', '/dashboard/api/v1/products', { body, mode: 'live' })
    expect([told.status, told.text]).toEqual([403, expect.stringContaining('with live data: owner or manager may')])
    await developer.succeed(200, 'GET', '/dashboard/api/v1/products', { mode: 'live' })
  })
})

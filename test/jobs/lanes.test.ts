// @unit
// The lane of every kind of job, and which ones go first. docs/decisions/0092 says why.

import { expect, it } from 'vitest'
import { apiSlices } from '../../src/api/index.ts'
import { dashboard } from '../../src/dashboard/routes.ts'
import type { Services } from '../../src/http/endpoint/endpoint.ts'

it('every kind of job has its lane, and those about money and logging in go first', () => {
  const handlers = [...apiSlices, dashboard].flatMap((slice) => slice.jobs?.({} as Services) ?? [])
  const listed = handlers.map(({ kind, lane = 'default', isUrgent }) => `${lane}: ${kind}${isUrgent ? ', first' : ''}`)
  expect(listed.sort()).toEqual([
    'bulk: products.work_through_batch',
    'bulk: webhooks.delete_deliveries',
    'bulk: webhooks.replay',
    'default: assets.remove_file',
    'default: dashboard.reset, first',
    'default: webhooks.skip_line',
    'fetch: assets.fetch_again',
    'mail: capture.decline_alarm',
    'mail: customers.login_mail, first',
    'mail: dashboard.account_mail, first',
    'mail: orders.send_digest',
    'mail: orders.send_mail',
    'mail: orders.send_receipt',
    'mail: webhooks.notice',
    'provider: capture.give_back, first',
    'provider: capture.look_again, first',
    'provider: gateways.learn',
    'provider: orders.look_into_payments, first',
    'provider: orders.release_authorization, first',
    'provider: orders.settle_refunds, first',
    'provider: orders.settle_taking, first',
    'provider: provider_messages.find_key, first',
  ])
})

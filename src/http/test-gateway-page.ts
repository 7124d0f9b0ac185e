// The page of the redirecting test gateway, where a shopper of the sandbox approves or declines. Who knows its address may use it; only
// payments that are made up have one.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../lib/errors.ts'
import { type Minor, priceOf } from '../lib/money.ts'
import { addressOf } from './server/open-address.ts'

type PagePayment = { readonly state: string; readonly amount: Minor; readonly currency: string }

export type TestGatewayPage = {
  find(merchantId: number, key: string): Promise<PagePayment | null>
  decide(merchantId: number, key: string, isApproved: boolean): Promise<PagePayment | null>
}

const PATH = '/test-gateway/:merchant_id/:id'

export function serveTestGatewayPage(server: FastifyInstance, page: TestGatewayPage) {
  // In a context of its own: nowhere else is a form taken.
  server.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, undefined),
    )
    scope.get(PATH, async (request, reply) => {
      const { merchantId, id } = addressOf(request, 'payment')
      const payment = await page.find(merchantId, id)
      if (payment === null) throw notFound('payment')
      return show(reply, payment, pathOf(request))
    })
    scope.post(`${PATH}/approve`, (request, reply) => decide(request, reply, true))
    scope.post(`${PATH}/decline`, (request, reply) => decide(request, reply, false))
  })

  async function decide(request: FastifyRequest, reply: FastifyReply, isApproved: boolean) {
    const { merchantId, id } = addressOf(request, 'payment')
    if ((await page.decide(merchantId, id, isApproved)) === null) throw notFound('payment')
    // To the page itself: loading it again then asks nothing a second time.
    return reply.redirect(pathOf(request), 303)
  }
}

const pathOf = (request: FastifyRequest): string => {
  const { merchantId, id } = addressOf(request, 'payment')
  return `/test-gateway/${merchantId}/${id}`
}

const SAID: Readonly<Record<string, string>> = {
  charged: 'You have approved this payment. Go back to the shop.',
  refunded: 'This payment was approved, and has been refunded.',
  declined: 'You have declined this payment. Go back to the shop.',
  cancelled: 'This payment was called off. Go back to the shop and begin again.',
}

function show(reply: FastifyReply, { state, amount, currency }: PagePayment, path: string) {
  const said = SAID[state]
  const asked = `<form method="post" action="${path}/approve"><button>Approve</button></form>
<form method="post" action="${path}/decline"><button>Decline</button></form>`
  reply.header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  )
  reply.header('referrer-policy', 'no-referrer')
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Test payment</title>
<style>body{font:1.1rem/1.5 system-ui;max-width:26rem;margin:4rem auto;padding:0 1rem}form{display:inline}button{font:inherit;padding:.4rem 1.2rem;margin-right:.6rem}</style>
<h1>Test payment</h1>
<p>${priceOf(amount, currency).formatted_with_code}. No money moves.</p>
${said === undefined ? asked : `<p>${said}</p>`}
</html>
`)
}

// What every page for shoppers is sent with: it is kept by nobody, found by no search engine, framed by no other page, and tells nobody where its
// reader came from. And the answers that pages are made of.

import type { PageAnswer } from '../http/files/pages.ts'
import type { Html } from '../lib/html/html.ts'
import { type PagePolicy, policyOf } from './policy.ts'

export type PageHeaders = Readonly<Record<string, string>>

/** Of a page that loads nothing but our own files. */
const OWN_FILES = policyOf([], { isSandbox: false })

const HIDDEN = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }

const policyHeaders = ({ content, opener, permissions }: PagePolicy): PageHeaders => ({
  'content-security-policy': content,
  'cross-origin-opener-policy': opener,
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissions,
})

type HtmlOptions = { readonly status?: number; readonly headers?: PageHeaders; readonly policy?: PagePolicy }

export const htmlAnswer = (
  html: Html,
  { status = 200, headers = {}, policy = OWN_FILES }: HtmlOptions = {},
): PageAnswer => ({
  type: 'text/html; charset=utf-8',
  body: html.text,
  status,
  headers: { ...HIDDEN, ...policyHeaders(policy), ...headers },
})

/** After a form was sent: loading the next page again sends nothing twice. */
export const seeOther = (location: string, headers: PageHeaders = {}): PageAnswer => ({
  location,
  status: 303,
  headers: { ...HIDDEN, ...headers },
})

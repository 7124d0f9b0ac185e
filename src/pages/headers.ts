// Headers of every shopper page: no cache, no search engine, no framing by other pages, and no referrer. Also builds the responses of
// pages.

import type { PageAnswer } from '../http/files/pages.ts'
import type { Html } from '../lib/html/html.ts'
import { type PagePolicy, policyOf } from './policy.ts'

export type PageHeaders = Readonly<Record<string, string>>

/** Policy of a page that loads only our own files. */
const OWN_FILES = policyOf([], { is_sandbox: false })

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

/** Redirect after a form, so that reloading the next page sends nothing twice. */
export const seeOther = (location: string, headers: PageHeaders = {}): PageAnswer => ({
  location,
  status: 303,
  headers: { ...HIDDEN, ...headers },
})

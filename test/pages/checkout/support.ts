// The pages of the checkout as a browser without scripting uses them: a page is loaded, its form filled in and sent, and redirects are followed.

import { expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { type Body, openShop } from '../../support/shop.ts'

export type Fields = Readonly<Record<string, string>>

export type Loaded = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly html: string
  /** Text as a person reads it. */
  readonly text: string
  readonly location: string | null
  /** What the form of the page would send, by the names of its inputs, but for its buttons. */
  readonly form: Fields
}

type Options = { readonly headers?: Record<string, string>; readonly remoteAddress?: string }

export const NUMBER = '4242 4242 4242 4242'

export const CARD: Fields = {
  'payment[gateway]': 'test_gateway',
  'payment[card][number]': NUMBER,
  'payment[card][expires]': '05/30',
  'payment[card][cvc]': '123',
}

export const cardOf = (ending: string): Fields => ({ ...CARD, 'payment[card][number]': `4000 0000 0000 ${ending}` })

export const ADDRESS: Fields = {
  'customer[email]': 'ada@example.com',
  'shipping[name]': 'Ada Lovelace',
  'shipping[street]': '1 Main Street',
  'shipping[town_city]': 'San Francisco',
  'shipping[county_state]': 'CA',
  'shipping[postal_zip_code]': '94107',
  'shipping[country]': 'US',
}

export const DIGITAL = { delivery: { physical: false } }

/** A shop that ships within the US by one method, and its pages. */
export async function openPageShop(app: TestApp, draft: Parameters<typeof openShop>[1] = {}) {
  const shop = await openShop(app, draft)
  const zone = await shop.zone()
  const path = (token: { id: string }, below = '') => `/checkout/${shop.id}/pay/${token.id}${below}`
  const open = (token: { id: string }, query = '') => load(app, path(token, query))
  const press = (button: 'update' | 'pay') => async (token: { id: string }, typed: Fields, page?: Loaded) =>
    send(app, path(token), page ?? (await open(token)), typed, button)
  return {
    ...shop,
    method: zone.methods[0]?.id ?? '',
    path,
    /** The pay page of a token. */
    open,
    /** Submits a page's form with these fields. Without a page it opens one first. */
    update: press('update'),
    pay: press('pay'),
    /** A token of one thing that is sent. */
    shipped: async (product: Body = {}) => shop.token({ id: (await shop.product(product)).id }),
    /** A token of one thing that is not. */
    digital: async (product: Body = {}) => shop.token({ id: (await shop.product({ ...DIGITAL, ...product })).id }),
  }
}

export type PageShop = Awaited<ReturnType<typeof openPageShop>>

export async function load(app: TestApp, url: string, options: Options = {}): Promise<Loaded> {
  return loaded(await app.server.inject({ method: 'GET', url, ...options }))
}

export async function post(app: TestApp, url: string, fields: Fields, options: Options = {}): Promise<Loaded> {
  const payload = new URLSearchParams(fields).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...options.headers }
  return loaded(await app.server.inject({ method: 'POST', url, ...options, headers, payload }))
}

/** The form of a page as it stands, with what is typed into it. */
export const send = (app: TestApp, url: string, page: Loaded, typed: Fields, button: 'update' | 'pay') =>
  post(app, url, { ...page.form, ...typed, do: button })

/** The address that a page leads to by itself, after some seconds. */
export function refreshOf({ html }: Loaded): { seconds: string; url: string } {
  const [, seconds = '', url = ''] = /http-equiv="refresh" content="(\d+)(?:;url=([^"]*))?"/.exec(html) ?? []
  return { seconds, url }
}

/** The link on a provider's page that leads back to the checkout. */
export const backIn = ({ html }: Pick<Loaded, 'html'>): string =>
  plain(/href="([^"]*\/back[^"]*)"/.exec(html)?.[1] ?? '')

/** Follows a 303. */
export async function follow(app: TestApp, page: Loaded): Promise<Loaded> {
  expect([page.status, page.text]).toEqual([303, page.text])
  return load(app, page.location ?? '')
}

function loaded(response: { statusCode: number; headers: Record<string, unknown>; body: string }): Loaded {
  const { statusCode: status, headers, body: html } = response
  const location = typeof headers.location === 'string' ? headers.location : null
  return { status, headers, html, text: textOf(html), location, form: formOf(html) }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

const plain = (text: string): string => text.replace(/&(#?\w+);/g, (all, name: string) => ENTITIES[name] ?? all)

const textOf = (html: string): string =>
  plain(
    html
      .replace(/<(?:style|script)\b.*?<\/(?:style|script)>/gs, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim()

/** Of an opening tag. */
export function attributesOf(tag: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name = '', value = ''] of tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)) found[name] = plain(value)
  return found
}

function formOf(html: string): Fields {
  const fields: Record<string, string> = {}
  const form = /<form[^>]*data-checkout.*?<\/form>/s.exec(html)?.[0] ?? /<form.*?<\/form>/s.exec(html)?.[0] ?? ''
  for (const [, tag = ''] of form.matchAll(/<input(\s[^>]*)>/g)) {
    const { name, type = 'text', value = '', checked } = attributesOf(tag)
    const isSent = type === 'radio' || type === 'checkbox' ? checked !== undefined : type !== 'submit'
    if (name !== undefined && isSent) fields[name] = value
  }
  for (const [, tag = '', inner = ''] of form.matchAll(/<select(\s[^>]*)>(.*?)<\/select>/gs)) {
    const { name } = attributesOf(tag)
    const options = [...inner.matchAll(/<option(\s[^>]*)?>/g)].map(([, option = '']) => attributesOf(option))
    const chosen = options.find(({ selected }) => selected !== undefined) ?? options[0]
    if (name !== undefined) fields[name] = chosen?.value ?? ''
  }
  for (const [, tag = '', inner = ''] of form.matchAll(/<textarea(\s[^>]*)>(.*?)<\/textarea>/gs)) {
    const { name } = attributesOf(tag)
    if (name !== undefined) fields[name] = plain(inner.replace(/^\n/, ''))
  }
  return fields
}

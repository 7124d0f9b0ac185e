// Posts the form in the background, one request at a time; a newer request replaces an older one. Retries while the connection is broken.
// XMLHttpRequest parses a document without writing HTML, which the page's policy forbids (Trusted Types).

import { isControl, stateOf } from './morph.ts'
import type { Fields } from './ways.ts'

export type ExchangeAnswer = {
  readonly page: Document
  /** Final URL after redirects. */
  readonly url: string
  readonly status: number
  /** State of each field when the request was sent. */
  readonly sent: ReadonlyMap<Element, string>
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 20_000
const TIMEOUT_MS = 60_000
/** An unanswered payment is not retried for ever; the shopper gets the button back. */
const PAYMENT_TRIES = 4

/** The connection was broken for too long. */
export class ConnectionLost extends Error {}

export class Exchange {
  readonly #form: HTMLFormElement
  readonly #onLost: () => void
  #request: XMLHttpRequest | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #again: (() => void) | null = null
  #giveUp: (() => void) | null = null

  constructor(form: HTMLFormElement, onLost: () => void) {
    this.#form = form
    this.#onLost = onLost
  }

  abort(): void {
    clearTimeout(this.#timer)
    this.#again = null
    this.#giveUp?.()
    this.#request?.abort()
  }

  /** Retries at once, because the connection is back. */
  hurry(): void {
    this.#again?.()
  }

  /** Resolves to null if a newer request replaced this one. A payment rejects after several tries; an update retries until it succeeds. */
  post(fields: Fields, isPayment = false): Promise<ExchangeAnswer | null> {
    this.abort()
    const sent = new Map<Element, string>()
    for (const field of this.#form.elements) if (isControl(field)) sent.set(field, stateOf(field))
    const body = encodeForm(this.#form, fields)
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(null)
      const attempt = (tries: number) => {
        this.#again = null
        const request = new XMLHttpRequest()
        this.#request = request
        const retry = () => {
          this.#onLost()
          if (isPayment && tries >= PAYMENT_TRIES) return reject(new ConnectionLost())
          const again = () => {
            clearTimeout(this.#timer)
            attempt(tries + 1)
          }
          this.#again = again
          this.#timer = setTimeout(again, Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS))
        }
        request.onload = () => {
          const { responseXML: page, status, responseURL: url } = request
          if (page === null || status === 429 || status === 502 || status === 503) return retry()
          resolve({ page, url, status, sent })
        }
        request.onerror = retry
        request.ontimeout = retry
        request.open('POST', this.#form.action)
        request.responseType = 'document'
        request.timeout = TIMEOUT_MS
        request.setRequestHeader('X-Fragment', '1')
        request.send(body)
      }
      attempt(1)
    })
  }
}

/** Encodes the form as the browser would, but without cards and provider codes. A payment passes these in `fields`. */
function encodeForm(form: HTMLFormElement, fields: Fields): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && !/^payment\[(?!gateway\])/.test(name)) body.append(name, value)
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return body
}

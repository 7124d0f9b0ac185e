// Posts the form beside the page, one request at a time: a newer one takes the place of an older. Where the line is gone it is tried again until it
// is back. By XMLHttpRequest, which gives a document without anybody having to write HTML into one: pages may forbid that (Trusted Types).

import { isControl, stateOf } from './morph.ts'
import type { Fields } from './ways.ts'

export type Answer = {
  readonly page: Document
  /** Where it came from, after redirects. */
  readonly url: string
  readonly status: number
  /** What was in each field when it was sent. */
  readonly sent: ReadonlyMap<Element, string>
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 20_000
const TIMEOUT_MS = 60_000
/** A payment that nobody answers is not sent for ever: the shopper sees the button again. */
const PAYMENT_TRIES = 4

/** The line was gone for too long. */
export class Lost extends Error {}

export class Exchange {
  readonly #form: HTMLFormElement
  readonly #onLost: () => void
  #request: XMLHttpRequest | null = null
  #timer = 0
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

  /** The line is back. */
  hurry(): void {
    this.#again?.()
  }

  /** Null where another has taken its place. A payment is given up, and thrown, after some tries; what is only asked for is asked until it comes. */
  post(fields: Fields, isPayment = false): Promise<Answer | null> {
    this.abort()
    const sent = new Map<Element, string>()
    for (const field of this.#form.elements) if (isControl(field)) sent.set(field, stateOf(field))
    const body = bodyOf(this.#form, fields)
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(null)
      const attempt = (tries: number) => {
        this.#again = null
        const request = new XMLHttpRequest()
        this.#request = request
        const retry = () => {
          this.#onLost()
          if (isPayment && tries >= PAYMENT_TRIES) return reject(new Lost())
          const again = () => {
            clearTimeout(this.#timer)
            attempt(tries + 1)
          }
          this.#again = again
          this.#timer = window.setTimeout(again, Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS))
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

/** As a browser would send it, but for cards and codes of providers, which go with a payment alone, and are in `fields` then. */
function bodyOf(form: HTMLFormElement, fields: Fields): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && !/^payment\[(?!gateway\])/.test(name)) body.append(name, value)
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return body
}

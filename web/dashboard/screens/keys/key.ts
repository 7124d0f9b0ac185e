// An API key as the API returns it, and its short form.

export type ApiKey = {
  readonly id: string
  readonly type: 'public' | 'secret'
  readonly sandbox: boolean
  /** Null for a secret key, except in the response that creates it. */
  readonly key: string | null
  readonly last_four: string
  readonly created: number
  readonly last_used: number | null
}

/** The part of a key that may be shown: `sk_test_…a1b2`. */
export const shortKey = ({ type, sandbox, last_four }: ApiKey): string =>
  `${type === 'secret' ? 'sk' : 'pk'}_${sandbox ? 'test_' : ''}…${last_four}`

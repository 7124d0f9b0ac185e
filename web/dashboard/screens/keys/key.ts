// A key as the API shows it, and as much of it as people read.

export type ApiKey = {
  readonly id: string
  readonly type: 'public' | 'secret'
  readonly sandbox: boolean
  /** Null of a secret one, but in the answer that makes it. */
  readonly key: string | null
  readonly last_four: string
  readonly created: number
  readonly last_used: number | null
}

/** As much of it as may be shown: `sk_test_…a1b2`. */
export const shortKey = ({ type, sandbox, last_four }: ApiKey): string =>
  `${type === 'secret' ? 'sk' : 'pk'}_${sandbox ? 'test_' : ''}…${last_four}`

// The short form of an API key.

import type { ApiKey } from '../../../../src/api/keys/schema.ts'

/** The part of a key that may be shown: `sk_test_…a1b2`. */
export const shortKey = ({ type, sandbox, last_four }: ApiKey): string =>
  `${type === 'secret' ? 'sk' : 'pk'}_${sandbox ? 'test_' : ''}…${last_four}`

// The resource of customers. They are made by their first order; nothing shows one by itself yet, so there is no kind to list.

import type { Slice } from '../slice.ts'

export const customers: Slice = { kinds: [], endpoints: [] }

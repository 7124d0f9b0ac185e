// Deleting a category is answered 204 without a body; before, it was 200 with the id.

import type { Change } from './change.ts'

export default {
  summary: 'Deleting a category now answers 204 without a body, instead of 200 with `id` and `success`.',
  operations: {
    'categories.delete': {
      down: (_reply, { params }) => ({ status: 200, body: { id: params.id ?? '', success: true } }),
    },
  },
} satisfies Change

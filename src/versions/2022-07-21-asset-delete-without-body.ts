// Deleting an asset answers 204 without a body; before, it was 200 with `{deleted: true}`.
import type { Change } from './change.ts'

export default {
  summary: 'Deleting an asset answers 204 without a body instead of 200 with `{deleted: true}`.',
  operations: { 'assets.delete': { down: () => ({ status: 200, body: { deleted: true } }) } },
} satisfies Change

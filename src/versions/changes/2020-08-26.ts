// Capture reports missing and malformed fields like all other routes; before, in a form of its own.

import type { ApiChange } from '../change.ts'
import { withOldErrors } from '../old-errors.ts'

export const captureErrors = {
  summary:
    'Validation errors of capture have the type `unprocessable_entity` and `errors` by field; before, the type `validation` and as `message` a list of `{param, error}`.',
  operations: withOldErrors(['checkouts.capture']),
} satisfies ApiChange

// An order says what was collected, in the past tense; before, what the checkout collects.
import { type Change, inTurn, isJsonObject, type JsonObject, rename, set } from './change.ts'

const inPresent = (conditionals: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(conditionals).map(([flag, value]) => [flag.replace(/^collected_/, 'collects_'), value]),
  )

export default {
  summary: 'The flags `collects_…` and `collects` of orders are now called `collected_…` and `collected`.',
  kinds: {
    order: inTurn(
      set('conditionals', ({ conditionals = {} }) =>
        isJsonObject(conditionals) ? inPresent(conditionals) : conditionals,
      ),
      rename('collected', 'collects'),
    ),
  },
} satisfies Change

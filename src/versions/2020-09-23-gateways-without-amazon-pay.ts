// Among the gateways of a checkout there is no `amazon_pay`; before, it was listed, and here it never could be used.
import { type Change, isJsonObject, type JsonObject, set } from './change.ts'

const listed = ({ available = {} }: JsonObject) => ({
  ...(isJsonObject(available) ? available : {}),
  amazon_pay: false,
})

export default {
  summary: 'The gateways of a checkout no longer list `amazon_pay`.',
  kinds: { available_gateways: set('available', listed) },
} satisfies Change

// Normalises the capture bodies that storefronts send to the shape in the schema, before validation. Nothing is dropped: an unknown part
// stays as it is, and the schema rejects or ignores it.

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Parts that are objects. Clients of PHP services send an empty object as an empty list. */
const OBJECTS = [
  'customer',
  'shipping',
  'billing',
  'fulfillment',
  'payment',
  'tax',
  'extrafields',
  'meta',
  'line_items',
]

export function rewriteCapture(body: Fields): Record<string, unknown> {
  const { extra_fields: extraFields, gift_card: giftCard, ...rest } = body
  const form: Record<string, unknown> = { ...rest }
  if (form.extrafields === undefined && extraFields !== undefined) form.extrafields = extraFields
  if (form.giftcard_code === undefined && giftCard !== undefined) form.giftcard_code = giftCardCode(giftCard)
  for (const name of OBJECTS) {
    const part = form[name]
    if (isEmptyList(part)) delete form[name]
    else if (isObject(part) && isEmptyList(part.meta)) form[name] = { ...part, meta: null }
  }
  if (form.line_items !== undefined) form.line_items = rewriteLines(form.line_items)
  return form
}

/** Accepts a gift card as its code, or as the whole object that the API returned. */
const giftCardCode = (giftCard: unknown): unknown => {
  if (isEmptyList(giftCard)) return null
  return isObject(giftCard) && giftCard.code !== undefined ? giftCard.code : giftCard
}

/** Turns a list of line items into a map by id. An entry without an id gets its index as the key, so that the error names it. */
function rewriteLines(lines: unknown): unknown {
  if (Array.isArray(lines))
    return Object.fromEntries(
      lines.map((line, index) => [
        isObject(line) && typeof line.id === 'string' ? line.id : String(index),
        rewriteLine(line),
      ]),
    )
  if (!isObject(lines)) return lines
  return Object.fromEntries(Object.entries(lines).map(([id, line]) => [id, rewriteLine(line)]))
}

/**
 * Storefronts return whole line items as the API showed them, where the former choice is a list. They add the shopper's new choice as a
 * map or as `variant_id`. So a map or a named variant takes precedence over a list.
 */
function rewriteLine(line: unknown): unknown {
  if (!isObject(line)) return line
  const { variants, selected_options: selectedOptions, options, ...rest } = line
  const choices = [variants, selectedOptions, options]
  const map = choices.find(isObject)
  if (map !== undefined) return { ...rest, variants: withoutEmpty(map) }
  const isVariantNamed = typeof rest.variant_id === 'string' && rest.variant_id !== ''
  if (choices.some((choice) => Array.isArray(choice)))
    return isVariantNamed ? rest : { ...rest, variants: withoutEmpty(selectedOptionsIn(choices.flat())) }
  // Pass any other value on, so that the schema rejects it.
  const wrong = choices.find((choice) => choice !== undefined && choice !== null)
  return wrong === undefined ? rest : { ...rest, variants: wrong }
}

/** An empty string is a menu without a choice. */
const withoutEmpty = (map: Fields): Fields =>
  Object.fromEntries(Object.entries(map).filter(([, optionId]) => (optionId ?? '') !== ''))

/**
 * Reads the choice from entries of a shown line item. Older versions called the group a variant. Entries without an id of a group are
 * the available options of a token, and are ignored.
 */
const selectedOptionsIn = (list: readonly unknown[]): Fields =>
  Object.fromEntries(
    list.filter(isObject).flatMap((entry) => {
      const groupId = entry.group_id ?? entry.variant_id
      return typeof groupId === 'string' ? [[groupId, entry.option_id]] : []
    }),
  )

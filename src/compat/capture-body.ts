// The forms of a capture's body that storefronts send, brought into the one that the schema describes, before it is checked.
// Nothing is lost on the way: what is not understood stays as it is, to be refused or passed over.

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Parts that are objects. Clients of services that are written in PHP send an empty one as an empty list. */
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
  if (form.giftcard_code === undefined && giftCard !== undefined) form.giftcard_code = codeOf(giftCard)
  for (const name of OBJECTS) {
    const part = form[name]
    if (isEmptyList(part)) delete form[name]
    else if (isObject(part) && isEmptyList(part.meta)) form[name] = { ...part, meta: null }
  }
  if (form.line_items !== undefined) form.line_items = rewriteLines(form.line_items)
  return form
}

/** A card may be named by its code, or sent as it was shown. */
const codeOf = (giftCard: unknown): unknown => {
  if (isEmptyList(giftCard)) return null
  return isObject(giftCard) && giftCard.code !== undefined ? giftCard.code : giftCard
}

/** A list of lines becomes one by their ids; what has no id is named by its place, and refused under that name. */
function rewriteLines(sent: unknown): unknown {
  if (Array.isArray(sent))
    return Object.fromEntries(
      sent.map((line, index) => [
        isObject(line) && typeof line.id === 'string' ? line.id : String(index),
        rewriteLine(line),
      ]),
    )
  if (!isObject(sent)) return sent
  return Object.fromEntries(Object.entries(sent).map(([id, line]) => [id, rewriteLine(line)]))
}

/**
 * Storefronts send whole lines back as they were shown, with lists of what is chosen, and put what the shopper has chosen since
 * then beside them. So a map goes before a list, and a variant that is named goes before a list too.
 */
function rewriteLine(line: unknown): unknown {
  if (!isObject(line)) return line
  const { variants, selected_options: selectedOptions, options, ...rest } = line
  const sent = [variants, selectedOptions, options]
  const map = sent.find(isObject)
  if (map !== undefined) return { ...rest, variants: withoutEmpty(map) }
  const isVariantNamed = typeof rest.variant_id === 'string' && rest.variant_id !== ''
  if (sent.some((choice) => Array.isArray(choice)))
    return isVariantNamed ? rest : { ...rest, variants: withoutEmpty(chosenOf(sent.flat())) }
  // Whatever else was sent in their place is for the schema to refuse.
  const wrong = sent.find((choice) => choice !== undefined && choice !== null)
  return wrong === undefined ? rest : { ...rest, variants: wrong }
}

/** An empty text is a menu of which nothing has been chosen. */
const withoutEmpty = (map: Fields): Fields =>
  Object.fromEntries(Object.entries(map).filter(([, optionId]) => (optionId ?? '') !== ''))

/** Entries as lines show them: by group, which older versions called a variant. What can be chosen, as tokens list it, is passed over. */
const chosenOf = (list: readonly unknown[]): Fields =>
  Object.fromEntries(
    list.filter(isObject).flatMap((entry) => {
      const groupId = entry.group_id ?? entry.variant_id
      return typeof groupId === 'string' ? [[groupId, entry.option_id]] : []
    }),
  )

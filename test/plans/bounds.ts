// How many rows a statement may look at, in any node of its plan, whatever the tables hold. What is not listed here may look at one thing
// and what belongs to it, which is what most statements are about.

export const PAGE = 20
export const BATCH = 100
const SHOPS = 10
/** Of a cart, a token or an order. */
const LINES = 3
/** Of a group of options, and of a product. */
const OPTIONS = 3
const CATEGORIES = 12
/** Attempts to pay that are under way and hold the same thing. */
const OPEN = 5
/** Both ends of an index, or a table and what is kept beside it. */
const TWICE = 2

/** A cart or a product with its lines, the options of each, and the rows that these name. */
const THING = TWICE * LINES * OPTIONS

/** A page of things, each with what belongs to it. */
const WHOLE_PAGE = PAGE * Math.max(LINES, OPEN)

type Bound = { readonly most: number; readonly because: string; readonly statements: readonly (string | RegExp)[] }

const BOUNDS: readonly Bound[] = [
  {
    most: WHOLE_PAGE,
    because: 'A page of things, each with what belongs to it.',
    statements: ['orders.find_many', 'products.find_many', 'gift_cards.list'],
  },
  {
    most: 100,
    because: 'The migrations that there are.',
    statements: ['migrations.list_applied'],
  },
  {
    most: 500,
    because: 'The tables that there are, and their indexes.',
    statements: ['growth.read_sizes'],
  },
  {
    most: SHOPS,
    because: "An operator's list of all shops.",
    statements: ['merchants.list_all'],
  },
  {
    most: TWICE * CATEGORIES,
    because: 'The tree of categories is small, and read as a whole.',
    statements: [/^categories\./],
  },
  {
    most: TWICE * BATCH,
    because: 'A batch of what is due or old, at both ends of an index, with what goes with each of it.',
    statements: [
      /^sweep\./,
      /^quotas\./,
      'test_charges.delete_old_found',
      'jobs.find_due',
      'capture.find_due_attempts',
    ],
  },
]

/** Lists that may be filtered; their names tell by what. */
export const isList = (name: string): boolean =>
  /^(products|customers|discounts|mails)\.list_|^orders\.(list|live|test|own)/.test(name)
const FILTERS =
  /_(id|ids|text|start|payment|fulfillment|customer|after|before|in|slug|in_all|slugs|expired|current|to)(_|$)/

/**
 * `matches`: of a filtered list, each of which may be looked at once for the total and once for the page. A whole total is kept.
 * A list of products tells in which state each is, which hangs on its options and stock.
 */
export function boundOf(name: string, matches: number): number {
  const isMeant = (each: string | RegExp) => (typeof each === 'string' ? each === name : each.test(name))
  const page = name.startsWith('products.') ? WHOLE_PAGE : PAGE + 1
  if (isList(name)) return page + (FILTERS.test(name) || name.startsWith('orders.own') ? TWICE * matches : 0)
  if (/\.list(_|$)/.test(name) && !BOUNDS.some(({ statements }) => statements.some(isMeant))) return PAGE + 1
  return BOUNDS.find(({ statements }) => statements.some(isMeant))?.most ?? THING
}

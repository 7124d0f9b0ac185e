// The catalogue of what can happen to a payment at a provider, and how a row of it is proven: by tests, named with their file, or by the reason
// why the provider has no such case. The proofs stand beside, a file for each provider; page.ts makes docs/payments/cases.md of all of it.

/** `name`: as vitest tells it, the groups first: `a group > a test`. */
export type Proof = { readonly file: string; readonly name: string }

export type Excluded = { readonly excluded: string }

export type Row = readonly Proof[] | Excluded

export type Rows = Readonly<Record<CaseId, Row>>

export const excluded = (reason: string): Excluded => ({ excluded: reason })

/** The tests of a file, by name. */
export const testsOf =
  (file: string) =>
  (...names: readonly string[]): readonly Proof[] =>
    names.map((name) => ({ file: `test/${file}.test.ts`, name }))

const everyMessage = testsOf('gateways/every-provider/messages')
const everyOpen = testsOf('gateways/every-provider/left-open')

const killed = testsOf('faults/providers/kill')(
  'kill -9, with each provider > leaves one order and one charge, refund or take in its books, or nothing, wherever it dies',
)

/** What is proven for each provider in turn by the same tests (`every-provider`). */
export const forEach = {
  killed,
  diesAfter: everyMessage(
    '$code > tells nothing of a payment whose process has died: the completer finds it (F11, F21)',
  ),
  down: everyOpen(
    '$code > is down for hours: what is open stays, is tried again and logged, and ends when it is back (F14)',
  ),
  early: everyMessage(
    '$code > tells of a payment before its own answer is here: one order, and one charge (F18)',
    '$code > tells of a payment after its own answer: nothing changes (F18)',
  ),
  often: everyMessage(
    '$code > tells the same three times at once, again later, and from a second endpoint: one effect (F19, F44)',
  ),
  reordered: everyMessage(
    '$code > tells that a payment has failed which it has taken: it is asked, and the order is paid (F20)',
  ),
  forged: everyMessage(
    '$code > is not believed without its signature, or with that of other bytes, and nobody is asked (F22, F23)',
  ),
  foreign: everyMessage('$code > tells of a payment that is none of ours: it is taken, and nobody is asked (F24)'),
  holdEnds: everyOpen('$code > holds money no longer and tells so: the order says it, and nothing can be taken (F41)'),
  holdEndsUntold: everyOpen('$code > holds money no longer and tells nothing: the order says so a day later (F41)'),
  otherSum: everyOpen(
    '$code > takes a part in its dashboard of what it holds: the order says so once, and no more goes back (F42)',
    '$code > takes a part in its dashboard while all is being taken here, and tells so meanwhile: recorded once (F42)',
    '$code > takes more in its dashboard than is held: the order is not paid by it, and the log says so (F42)',
  ),
  refundedThere: everyMessage(
    '$code > tells the same three times at once, again later, and from a second endpoint: one effect (F19, F44)',
    '$code > refunds the rest in its dashboard before we are told: a refund from here is declined, then told once (F44)',
  ),
  refundFails: everyMessage(
    '$code > tells that a refund of ours has failed after all: the order counts as paid again (F45)',
    '$code > tells nothing of a refund of ours that has failed: it is looked at for two weeks, ever more seldom (F45)',
    '$code > could not give back what was paid too late after all, and %s: that is logged, and tried for weeks (F45, F48)',
  ),
  disputed: everyMessage(
    '$code > tells of a dispute: it stands in the order by its own state, whatever the message is called (F47)',
  ),
  tooLate: everyMessage('$code > is paid after we gave up: everything goes back, and there is no order (F48)'),
  changedGateway: everyOpen(
    '$code > is switched off, and knows other credentials by now: the new ones serve what was begun before (F49)',
    '$code > is deleted while a payment and a refund are under way: both end, and it can be set up anew (F49)',
  ),
  pages: testsOf('gateways/every-provider/pages')(
    '%s > has taken a payment, and then only pages with 404 come: nothing is released, and it is paid once (F50)',
  ),
  secrets: everyMessage('$code > has told nothing that is secret to the log (F51)'),
} as const

/** What happens, and what comes of it. */
export const CASES = {
  F1: ['A payment succeeds', 'The order is paid and names the payment by the id that its provider gave it'],
  F2: [
    'It is declined: too little money, expired, a wrong code',
    '402 with a sentence; what was held is free again, and another card pays',
  ],
  F3: [
    'The bank wants to ask the shopper',
    '402 `requires_verification` with what the storefront needs in `param`, or a redirect; it waits',
  ],
  F4: ['The shopper passes, and the capture comes again', 'Confirmed by us, one order'],
  F5: ['The shopper fails', '402; another card is another attempt'],
  F6: [
    'The shopper leaves',
    'Called off after a quarter of an hour, nothing charged; who comes later is told that its time is over',
  ],
  F7: [
    'The shopper leaves and pays in another way',
    'The first is called off at its provider before the second is charged',
  ],
  F8: ['A payment of another attempt, shop or account is named', 'Never confirmed; 422'],
  F9: ['The same capture twice at once', 'One charge; the other waits, or is 409'],
  F10: [
    'A process dies before anything is taken',
    'Found: what the shopper has agreed to is taken, the rest called off, and free again',
  ],
  F11: ['A process dies after the money is taken', 'Found paid: one order'],
  F12: ['Taken, then 500 or a cut connection', 'Looked up at once: an order; 504 only where that fails too'],
  F13: ['No answer in time', '504 `gateway_timeout`; the same capture later is the order, or the decline'],
  F14: ['The provider is down for hours', 'What is open stays, is tried again, and the log says so'],
  F15: [
    'What the provider remembers of a key is over',
    'Found by our own mark on the payment; nothing is made anew blindly',
  ],
  F16: ['A stored failure is repeated for ever', 'Recognised; the payment is found by another way'],
  F17: [
    'Failed, and later taken all the same',
    'In time: an order. Afterwards: not taken; if others take it, given back',
  ],
  F18: ['A message before, or after, our own answer', 'It hastens, or does nothing: one order'],
  F19: ['A message twice, three at once, from two endpoints', 'One effect'],
  F20: ['Messages out of order', 'The provider is asked: what is paid stays paid'],
  F21: ['A message is lost', 'The completer finds the payment'],
  F22: [
    'A signature is wrong, missing or too old; a secret is being replaced',
    '400; either secret is accepted meanwhile',
  ],
  F23: ['The body was written anew on the way', 'The bytes that came are verified'],
  F24: ['A message about another shop, another key, the other mode', '200, and nothing happens'],
  F25: ['Another amount or currency than was asked', 'Never an order; it stays open, and the log says so'],
  F26: [
    'Currencies without decimals, with three, with rules of their own',
    'The right units, or 422 before anything is charged',
  ],
  F27: ['Less or more than the provider takes', 'Declined with the rule, or 422 before anything is charged'],
  F28: ['A token of a card that was used, or is too old', '402: enter the card again'],
  F29: ['The payment of one checkout is named for a second', 'Refused: it belongs to the first'],
  F30: ['A payment of less than the order', 'Refused, not taken'],
  F31: ['The signature of a payment is wrong, or of another order', '422, not taken'],
  F32: ['Approved, and the shopper never returns', 'Taken by us: one order'],
  F33: ['The message of the approval and the return at once', 'Taken once'],
  F34: [
    'The way to pay is refused that the shopper has chosen',
    'The shopper is sent there again; the same payment goes on',
  ],
  F35: [
    'Taken, and still looked into',
    'An order that is not paid, with a pending charge; it is completed, or fails, later',
  ],
  F36: ['Ways to pay that take days', 'Not offered; never paid early'],
  F37: ['An access token ends on the way', 'One fresh one, the same request under the same id'],
  F38: ['Credentials are wrong or revoked', '402, nothing was paid; the log names the gateway and no secret'],
  F39: ['Too many requests', 'One wait within the time, else nothing was charged'],
  F40: ['Set aside, taken, taken again', '`authorized`, then `paid`; the second time is told as taken'],
  F41: ['What was set aside expires', 'Taking it is declined, and the order says that it is gone'],
  F42: [
    'A part is taken in the dashboard',
    'That part is paid, once, and the rest let go where it is; more than is held never pays, and the log says so',
  ],
  F43: ['A refund is repeated, or its process dies', 'One refund under one key'],
  F44: ['A refund in the dashboard', 'Recorded once; a later one here is told that it was refunded already'],
  F45: ['A refund fails days later', 'The refund is `failed`, and the order counts as paid again'],
  F46: ['A refund of what is disputed', 'Declined with the reason'],
  F47: ['A dispute is opened, won, lost', 'Stands in the order by its own state'],
  F48: ['Paid after we gave up', 'Given back, once; no order'],
  F49: [
    'The gateway is switched off or deleted, its secret replaced, while something is open',
    'What is open ends; the new secret serves old payments',
  ],
  F50: ['A page, nothing, far too much, a redirect instead of an answer', 'Open, never a success'],
  F51: [
    'Secrets, tokens and client secrets in logs and errors',
    'Never; `error.param` alone carries what the storefront needs',
  ],
} as const

export type CaseId = keyof typeof CASES

export const CASE_IDS = Object.keys(CASES) as CaseId[]

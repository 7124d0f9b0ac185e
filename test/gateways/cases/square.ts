// The cases of the catalogue at Square.

import { excluded, forEach, type Rows, testsOf } from './catalogue.ts'

const adapter = testsOf('gateways/square/adapter')
const afterwards = testsOf('gateways/square/afterwards')
const capture = testsOf('gateways/square/capture')
const faults = testsOf('gateways/square/faults')
const story = testsOf('gateways/square/story')

const NO_STEP = excluded(
  "Square's script asks the shopper in the browser, before there is a token: no payment at Square waits for anybody.",
)
const RAZORPAYS = excluded(
  'A token is charged by us; the shopper brings no payment that was made before (Razorpay alone has those).',
)
const REDIRECTS = excluded('No redirect, and nothing to approve: a token is charged in one capture.')

export const square: Rows = {
  F1: [
    ...capture('a capture by Square > is offered with what a browser needs, makes a paid order, and is refunded'),
    ...adapter('a charge > is approved and completed, once, however often it is asked for'),
    ...testsOf('sdk/providers')('Square: a token'),
  ],
  F2: [
    ...capture('a capture by Square > that is declined is 402, gives everything back, and is paid with another card'),
    ...adapter('a card > %s is declined, and found declined', 'a card > with %s is declined as %s'),
  ],
  F3: NO_STEP,
  F4: NO_STEP,
  F5: NO_STEP,
  F6: NO_STEP,
  F7: NO_STEP,
  F8: NO_STEP,
  F9: capture('one charge, and one order > come of five captures at the same moment'),
  F10: [
    ...forEach.killed,
    ...capture(
      'one charge, and one order > or nothing at all are left by a process that dies at %s',
      'one charge, and one order > come of an answer that was lost (%j at %s)',
      'one charge, and one order > are not made of what Square has let go of meanwhile: all is given back, and the shopper pays anew',
    ),
    ...faults('after %j > at its first step a charge is found approved and completed, or was never made'),
  ],
  F11: [
    ...forEach.killed,
    ...forEach.diesAfter,
    ...capture('one charge, and one order > or nothing at all are left by a process that dies at %s'),
  ],
  F12: [
    ...capture('one charge, and one order > come of an answer that was lost (%j at %s)'),
    ...faults('after %j > at its second step a charge is found, and taken once'),
  ],
  F13: [
    ...capture('one charge, and one order > come of an answer that was lost (%j at %s)'),
    ...faults('a request > that hangs (%s) is given up, and found later'),
  ],
  F14: [
    ...forEach.down,
    ...capture(
      'one charge, and one order > are found after an outage of hours, in which the attempt stays and the log says so',
    ),
  ],
  F15: [
    ...faults(
      'looking up > asks for the minutes in which the payment was made, however long ago',
      'looking up > goes through all pages, and finds its own among the payments of other tills',
    ),
    ...afterwards('a refund > that Square has forgotten the key of is made once, in part too'),
  ],
  F16: excluded(
    'Recovery never repeats the request that makes a payment: it is looked for by our reference (F15), so that no stored answer is in the way.',
  ),
  F17: excluded('A payment that has FAILED at Square stays so: a token is charged once.'),
  F18: forEach.early,
  F19: [...forEach.often, ...story('a message > that comes again has the same id')],
  F20: forEach.reordered,
  F21: forEach.diesAfter,
  F22: [
    ...story(
      'a message > is refused with another signature, key, address or body, and without a signature',
      'a message > is not accepted by the older signature of SHA-1',
      'a message > needs a key; while one replaces another both are accepted',
    ),
    ...forEach.forged,
  ],
  F23: [...story('a message > is verified by the bytes, whatever they are in another writing'), ...forEach.forged],
  F24: [...story('a message > %j with %j does not concern us'), ...forEach.foreign],
  F25: [
    ...capture('one charge, and one order > are never made of another sum than was asked for'),
    ...faults('completing > never takes another sum than was asked for'),
  ],
  F26: [
    ...adapter(
      'what a storefront sends > is paid in %s in the units of ISO 4217, and refused by an account with another currency',
      'what a storefront sends > cannot be paid in %s',
    ),
    ...capture(
      'a capture in another currency than the location’s is 422 before anything is held, once Square could be asked for it',
    ),
  ],
  F27: adapter('a card > with %s is declined as %s'),
  F28: adapter(
    'a card > with %s is declined as %s',
    'a card > of a token that nobody has made has to be entered again',
  ),
  F29: RAZORPAYS,
  F30: RAZORPAYS,
  F31: RAZORPAYS,
  F32: REDIRECTS,
  F33: REDIRECTS,
  F34: excluded('A card that is declined ends its attempt; another one is another attempt (F2).'),
  F35: excluded(
    'Cards end at once: PENDING is for bank methods, whose tokens are refused (F36). One that is all the same stays open.',
  ),
  F36: [
    ...adapter(
      'what a storefront sends > must not be cash, a card that is kept, or anything else that Square would book without the shopper',
    ),
    ...faults('looking up > leaves open what is pending, and what credentials that were revoked cannot see'),
  ],
  F37: excluded(
    'Square is asked with the access token of the merchant itself: there is none that is fetched and ends.',
  ),
  F38: capture(
    'a capture by Square > with credentials that were revoked is 402, says that nothing was paid, and tells the log which gateway it is',
  ),
  F39: faults(
    'a request > is sent once more where Square is busy; if that is no use nothing was charged, but after the first step that is open',
  ),
  F40: [
    ...capture(
      'with payments that are set aside > an order is paid when the merchant takes them, once, though the first answer is lost',
    ),
    ...afterwards('a payment that is set aside > is taken, and told as taken when it is asked for again'),
  ],
  F41: [
    ...forEach.holdEnds,
    ...forEach.holdEndsUntold,
    ...capture('with payments that are set aside > an order whose time is over cannot be taken, and says so'),
    ...afterwards('a payment that is set aside > is gone after seven days'),
  ],
  F42: [
    ...forEach.otherSum,
    ...afterwards(
      'a payment that is set aside > is not taken where it was lowered in the dashboard; what was taken there is told as it is',
    ),
  ],
  F43: [
    ...forEach.killed,
    ...capture('one charge, and one order > is refunded once, though the answer is lost'),
    ...faults('after %j > a refund is made once'),
  ],
  F44: forEach.refundedThere,
  F45: [
    ...forEach.refundFails,
    ...story(
      'the standing of a payment > has every refund, ours by their keys and those of the dashboard, and tells which have failed later',
    ),
  ],
  F46: capture('one charge, and one order > that is disputed is not refunded, and the merchant hears why'),
  F47: [
    ...forEach.disputed,
    ...story('the standing of a payment > has its own disputes, by their states, from all pages'),
  ],
  F48: [
    ...forEach.tooLate,
    ...faults(
      'calling off > wins over a request that was on its way: what that approves nobody completes, and Square lets go within an hour',
    ),
  ],
  F49: [
    ...forEach.changedGateway,
    ...capture('one charge, and one order > come of credentials that were revoked in the middle, once they are mended'),
  ],
  F50: [
    ...forEach.pages,
    ...faults(
      'after %j > at its first step a charge is found approved and completed, or was never made',
      'after %j > at its second step a charge is found, and taken once',
    ),
  ],
  F51: forEach.secrets,
}

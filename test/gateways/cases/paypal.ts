// The cases of the catalogue at PayPal.

import { excluded, forEach, type Rows, testsOf } from './catalogue.ts'

const adapter = testsOf('gateways/paypal/adapter')
const capture = testsOf('gateways/paypal/capture')
const later = testsOf('gateways/paypal/capture-later')
const faults = testsOf('gateways/paypal/faults')
const movements = testsOf('gateways/paypal/movements')
const story = testsOf('gateways/paypal/story')
const open = testsOf('gateways/every-provider/left-open')
const messages = testsOf('gateways/paypal/messages')
const sdk = testsOf('sdk/providers')

const THERE_AND_BACK = 'sends the shopper to PayPal, and makes one order of the capture after the return'
const RAZORPAYS = excluded(
  'The order at PayPal is made by us under our own key; the shopper brings no payment that was made before (Razorpay alone has those).',
)

export const paypal: Rows = {
  F1: [
    ...capture(THERE_AND_BACK),
    ...adapter('takes what the shopper has approved, once, and tells it as charged by the id of the capture'),
    ...sdk('PayPal: there and back'),
  ],
  F2: [
    ...capture('declines, gives everything back, and lets the shopper pay in another way'),
    ...adapter('%s is a decline, with a sentence for the shopper'),
  ],
  F3: [...capture(THERE_AND_BACK), ...sdk('PayPal: there and back')],
  F4: capture(THERE_AND_BACK, 'finishes the payment on the page that the shopper comes back to'),
  F5: capture(
    'declines, gives everything back, and lets the shopper pay in another way',
    'shows a shopper who has not approved it the way to PayPal again',
  ),
  F6: capture('gives up what nobody has approved in time, and says so to who comes too late'),
  F7: [
    ...capture('calls off at PayPal what the shopper has approved and then pays in another way'),
    ...adapter('calls an approved order off so that a request on its way takes nothing any more'),
  ],
  F8: capture('goes on with no payment of another checkout', 'shows nobody the payment of another checkout'),
  F9: [
    ...capture('takes once what is captured several times at once, and seen by the page and the completer beside'),
    ...adapter('takes it once where several ask at the same time'),
  ],
  F10: open(
    'a process that dies before anything is taken > between the order at PayPal and our answer gives everything back (F10)',
  ),
  F11: [...forEach.diesAfter, ...forEach.killed],
  F12: [
    ...capture('takes money for one order where the answer is lost'),
    ...faults('%s, when it is taken: open, and looking it up tells whether it was'),
  ],
  F13: [
    ...capture('is open where PayPal breaks off, and the completer finishes it'),
    ...faults('what hangs is given up with the signal, and is found later'),
  ],
  F14: [
    ...forEach.down,
    ...faults('a PayPal that is down is an outage: nothing was charged by a beginning, and an approved one waits'),
  ],
  F15: [
    ...adapter(
      'knows nothing of a charge without an order, nor of an order that PayPal has forgotten',
      'takes what the shopper has approved, once, and tells it as charged by the id of the capture',
    ),
    ...movements('gives money back, once under one key'),
  ],
  F16: excluded(
    'A repeated request id is answered with the latest state of what was made by it, and an order is looked up by its own id.',
  ),
  F17: excluded(
    'Nothing is taken at PayPal without a request of ours: what has failed does not become paid by itself.',
  ),
  F18: forEach.early,
  F19: forEach.often,
  F20: forEach.reordered,
  F21: [...forEach.diesAfter, ...capture('takes what was approved by a shopper who never comes back')],
  F22: [
    ...story(
      'refuses a message without %s',
      'refuses what is signed for another webhook than those that are set up, by another key, or for nobody',
      'a message that is %s',
      'refuses a certificate that is over, not yet valid, of another name, or none',
    ),
    ...forEach.forged,
  ],
  F23: [
    ...story('takes the very bytes: the same event written in another way is not what was signed'),
    ...forEach.forged,
  ],
  F24: [
    ...story(
      'finds in %s which payment it is about',
      'believes the certificates of live on a live gateway, and those of the sandbox not',
    ),
    ...forEach.foreign,
  ],
  F25: [
    ...later('makes no order of another sum than was asked for'),
    ...adapter('refuses to go on with an order that is about another sum'),
  ],
  F26: adapter('writes a sum in %s of %i as %s, and reads it back', 'refuses %s of %i before anything is charged'),
  F27: [
    ...adapter('%s is a decline, with a sentence for the shopper'),
    ...messages('of more than it takes is declined with the rule, and nothing is held (F27)'),
  ],
  F28: excluded('No token of a card comes to us. An order that is too old is declined as not completed in time.'),
  F29: RAZORPAYS,
  F30: RAZORPAYS,
  F31: RAZORPAYS,
  F32: [
    ...capture('takes what was approved by a shopper who never comes back'),
    ...messages(
      'tells of an approval whose shopper does not come back, or comes at the same moment: taken once (F32, F33)',
    ),
  ],
  F33: [
    ...messages(
      'tells of an approval whose shopper does not come back, or comes at the same moment: taken once (F32, F33)',
    ),
    ...capture('takes once what is captured several times at once, and seen by the page and the completer beside'),
  ],
  F34: [
    ...capture('sends the shopper to PayPal again for another way to pay, and takes what is chosen then'),
    ...adapter('%s sends the shopper to the same order again, and what is chosen there is taken'),
  ],
  F35: [
    ...later('makes an unpaid order of a payment that PayPal is still looking into'),
    ...messages(
      'tells that what it has looked into is paid, or has failed: the order says so (F35)',
      'tells nothing of what it has looked into: a sweep asks (F21, F35)',
    ),
  ],
  F36: adapter(
    'sends the shopper to PayPal, and back to our page',
    'a capture that PayPal is still looking into (%s) is pending',
  ),
  F37: adapter(
    'asks again, once and under the same id, with a fresh token where the old one is refused',
    'fetches one token for all that ask at once, and keeps it until shortly before its end',
  ),
  F38: later(
    'says that nothing was paid where PayPal does not accept the credentials, and tells the log which gateway it is',
  ),
  F39: faults(
    'a limit that is lifted in time is waited for',
    '%s, when the order is made: nothing is charged, and again it is one order',
  ),
  F40: [
    ...later('sets money aside where the merchant takes it by hand: taken, given back, or let go with the order'),
    ...movements('sets the money aside where the merchant takes it by hand, and takes it later, once'),
  ],
  F41: [...forEach.holdEnds, ...forEach.holdEndsUntold, ...movements('cannot take what is %s')],
  F42: [
    ...forEach.otherSum,
    ...movements('tells a part that was taken in PayPal’s own pages as what it is'),
    ...messages(
      'tells that what was set aside is taken in its own pages: it is given back from here, and told of, by the id of what was taken',
      'a part that is taken in its own pages, where more may be taken > is a charge of its own; the rest stays set aside, is taken from here, and each goes back by its own id',
      'a part that is taken in its own pages, where more may be taken > is followed by another before anybody has looked: two charges, and what the last leaves is let go',
    ),
  ],
  F43: [
    ...forEach.killed,
    ...later('gives money back by the id of the capture, once'),
    ...movements('gives money back, once under one key'),
    ...faults('%s, when it is given back: once under one key'),
  ],
  F44: [...forEach.refundedThere, ...movements('says that it was refunded elsewhere')],
  F45: forEach.refundFails,
  F46: movements('%s declines a refund, with the reason'),
  F47: [...forEach.disputed, ...story('tells a dispute that is %s (%s) as %s')],
  F48: forEach.tooLate,
  F49: [
    ...forEach.changedGateway,
    ...later('goes on where the gateway was switched off meanwhile, and with the credentials that it has by then'),
  ],
  F50: [
    ...forEach.pages,
    ...faults(
      '%s, when the order is made: nothing is charged, and again it is one order',
      '%s, when it is taken: open, and looking it up tells whether it was',
    ),
  ],
  F51: [
    ...forEach.secrets,
    ...adapter('names the gateway, and no secret, where PayPal does not accept the credentials'),
  ],
}

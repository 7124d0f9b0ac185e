// The cases of the catalogue at Stripe.

import { excluded, forEach, type Rows, testsOf } from './catalogue.ts'

const adapter = testsOf('gateways/stripe/adapter')
const capture = testsOf('gateways/stripe/capture')
const faults = testsOf('gateways/stripe/faults')
const story = testsOf('gateways/stripe/story')
const route = testsOf('api/provider-messages/messages')
const open = testsOf('gateways/every-provider/left-open')
const sdk = testsOf('sdk/providers')

const RAZORPAYS = excluded(
  'The payment of an intent is confirmed by us; the shopper brings none that was made before (Razorpay alone has those).',
)
const REDIRECTS = excluded(
  'No redirect: the shopper answers the bank within the page, and a confirmation by the server has to follow (F3, F4).',
)

export const stripe: Rows = {
  F1: [
    ...capture('a card > pays; the order names the intent, and the same capture again is the same order (F1)'),
    ...adapter(
      'a charge > is an intent under our key, confirmed with the card; asked again and looked up it is the same (F1)',
    ),
  ],
  F2: [
    ...capture('a card > that is declined gives everything back, and another card pays the same token (F2)'),
    ...adapter('a charge > %s is declined: %s, also when it is looked up or asked for again (F2)'),
  ],
  F3: [
    ...capture('a card that the bank asks about > is 402 with the client secret; the intent ends it, once (F3, F4)'),
    ...sdk('Stripe: a payment method that the bank asks about, and its intent'),
  ],
  F4: [
    ...capture('a card that the bank asks about > is 402 with the client secret; the intent ends it, once (F3, F4)'),
    ...adapter(
      'a bank that asks the shopper > is told by the client secret; the shopper passes, and the intent is confirmed once (F3, F4)',
    ),
    ...sdk('Stripe: a payment method that the bank asks about, and its intent'),
  ],
  F5: [
    ...capture(
      'a card that the bank asks about > asks again while the shopper has not passed, and is declined when the shopper fails (F5)',
    ),
    ...adapter('a bank that asks the shopper > that the shopper fails has declined the card (F5)'),
  ],
  F6: [
    ...capture(
      'a card that the bank asks about > that is abandoned is called off at Stripe after a quarter of an hour, and pays nothing later (F6)',
    ),
    ...adapter(
      'a bank that asks the shopper > waits no more once it was called off; what is confirmed too late charges nothing (F6)',
    ),
  ],
  F7: capture(
    'a card that the bank asks about > is called off at Stripe before the shopper pays in another way (F7)',
    'a card that the bank asks about > is called off at Stripe before another card of the shopper is charged (F7)',
  ),
  F8: [
    ...capture('a card that the bank asks about > pays for no other token (F8)'),
    ...adapter('a bank that asks the shopper > is never confirmed for another charge than its own (F8)'),
  ],
  F9: capture(
    'at the same moment, and with answers that get lost > five of the same make one order and one charge (F9)',
  ),
  F10: [
    ...forEach.killed,
    ...open(
      'a process that dies before anything is taken > between the intent and its confirmation leaves Stripe nothing that could be paid (F10)',
    ),
    ...capture(
      'at the same moment, and with answers that get lost > a process that dies at %s: %s at Stripe (F10, F11)',
    ),
    ...faults('while the intent is being made > %s: nothing was charged, nor will be (F10, F50)'),
  ],
  F11: [
    ...forEach.killed,
    ...forEach.diesAfter,
    ...capture(
      'at the same moment, and with answers that get lost > a process that dies at %s: %s at Stripe (F10, F11)',
    ),
  ],
  F12: [
    ...capture('at the same moment, and with answers that get lost > %s: one order and one charge, at once (F12)'),
    ...faults('while the card is being charged > %s: it is open, and found paid (F11, F12, F50)'),
  ],
  F13: [
    ...capture(
      'at the same moment, and with answers that get lost > no answer in time is 504; the same capture later is the order (F13)',
    ),
    ...faults('while the card is being charged > no answer in time leaves it open (F13)'),
  ],
  F14: [
    ...forEach.down,
    ...faults('cannot be reached: nothing was charged, and looking up does not pretend to know (F14)'),
  ],
  F15: faults(
    'a key that Stripe has forgotten after a day (F15) > is found %s; nothing is made anew',
    'a key that Stripe has forgotten after a day (F15) > is unknown where there is none, and called off without making one',
  ),
  F16: faults(
    'a failure that Stripe repeats for ever (F16) > is recognised; what it has made is found by its metadata, and called off',
    'a failure that Stripe repeats for ever (F16) > is unknown where nothing was made',
    'a failure that Stripe repeats for ever (F16) > of a refund is no second refund',
  ),
  F17: excluded(
    'An intent that has failed is charged again only by a confirmation of ours: nothing becomes paid by itself.',
  ),
  F18: forEach.early,
  F19: [...forEach.often, ...route('a message > that comes three times at once, and again later, is read once (F19)')],
  F20: [
    ...forEach.reordered,
    ...route('a message > that a payment has failed changes nothing of one that is paid: Stripe is asked (F20)'),
  ],
  F21: forEach.diesAfter,
  F22: [
    ...story(
      'a message > %s is refused (F22)',
      'a message > is believed for five minutes (F22)',
      'a message > is believed by either secret while one is being replaced, whichever end has two (F22)',
    ),
    ...route(
      'a message > whose signature is missing, wrong, of another body or too old is refused, and nobody is asked (F22, F23)',
    ),
  ],
  F23: [...story('a message > is as good as the bytes that came, whatever they hold (F23)'), ...forEach.forged],
  F24: [
    ...story(
      'a message > of the other mode concerns nobody here (F24)',
      'a message > about %s says which payment it is',
    ),
    ...route('a message > about nothing of ours is taken, and nobody is asked (F24)'),
    ...forEach.foreign,
  ],
  F25: capture(
    'at the same moment, and with answers that get lost > another sum than was asked for is never an order (F25)',
  ),
  F26: [
    ...adapter(
      'sums (F26) > %s %s is %s at Stripe, and comes back as it was',
      'sums (F26) > %s %s cannot be said, and is refused before anything is asked',
    ),
    ...capture('a sum that Stripe cannot express is 422 before anything is asked (F26)'),
  ],
  F27: adapter(
    'a charge > of less than Stripe takes is declined with the rule, and unknown afterwards (F27)',
    'sums (F26) > %s %s cannot be said, and is refused before anything is asked',
  ),
  F28: adapter('a charge > with %s has to be made with the card entered again (F28)'),
  F29: RAZORPAYS,
  F30: RAZORPAYS,
  F31: RAZORPAYS,
  F32: REDIRECTS,
  F33: REDIRECTS,
  F34: excluded('A card that is declined ends its attempt; another one is another attempt (F2).'),
  F35: excluded(
    'Cards alone are asked for, and those end at once. An intent that is `processing` all the same stays open until Stripe decides.',
  ),
  F36: adapter(
    'a charge > is an intent under our key, confirmed with the card; asked again and looked up it is the same (F1)',
    'a charge > that Stripe still looks into is open, and paid once Stripe says so',
  ),
  F37: excluded('Stripe is asked with the secret key itself: there is no token that ends.'),
  F38: [
    ...capture('credentials > that Stripe refuses: 402, nothing was paid, and the log names the gateway (F38)'),
    ...adapter('a charge > with the key %s charges nothing and names the gateway, not the key (F38)'),
  ],
  F39: faults('Stripe that takes no more requests > is asked once again, and has then charged nothing (F39): %s'),
  F40: [
    ...capture(
      'after the payment > money that is only held is taken by the merchant, or let go of with the order (F40)',
    ),
    ...adapter('money that is only held > is taken once, and told as taken then (F40)'),
  ],
  F41: [
    ...forEach.holdEnds,
    ...forEach.holdEndsUntold,
    ...adapter('money that is only held > is gone when its time is over (F41)'),
  ],
  F42: [
    ...forEach.otherSum,
    ...story(
      'how a payment stands > held, taken in part without the rest counting as given back, released, expired (F41, F42)',
    ),
  ],
  F43: [
    ...forEach.killed,
    ...capture('after the payment > a refund gives the money back at Stripe, once'),
    ...adapter('a refund > of a part, and of the rest; each once under its key, also after a day (F43)'),
    ...faults('what comes after a payment > giving back: %s is open, and done once (F43)'),
  ],
  F44: [
    ...forEach.refundedThere,
    ...adapter(
      'a refund > is declined where the payment was given back at Stripe itself, or more is asked for than is left (F44)',
    ),
  ],
  F45: [
    ...forEach.refundFails,
    ...adapter('a refund > that is pending counts as made; one that fails later is told as failed (F45)'),
  ],
  F46: adapter('a refund > of a payment that is disputed is declined with the reason (F46)'),
  F47: [
    ...forEach.disputed,
    ...story('how a payment stands > disputed: %s is %s, whatever the message was called (F47)'),
  ],
  F48: forEach.tooLate,
  F49: forEach.changedGateway,
  F50: [
    ...forEach.pages,
    ...faults(
      'while the intent is being made > %s: nothing was charged, nor will be (F10, F50)',
      'while the card is being charged > %s: it is open, and found paid (F11, F12, F50)',
    ),
  ],
  F51: forEach.secrets,
}

// The cases of the catalogue at Razorpay.

import { excluded, forEach, type Rows, testsOf } from './catalogue.ts'

const adapter = testsOf('gateways/razorpay/adapter')
const capture = testsOf('gateways/razorpay/capture')
const faults = testsOf('gateways/razorpay/faults')
const messages = testsOf('gateways/razorpay/messages')
const story = testsOf('gateways/razorpay/story')
const open = testsOf('gateways/every-provider/left-open')

const PAID =
  'a capture by an order > is offered with the key id, waits for the window, is paid with its signature, and is refunded'
const REFUSED =
  'a capture by the id of a payment > of %s is 402, takes nothing, gives everything back, and may be paid by another'

export const razorpay: Rows = {
  F1: [
    ...capture(PAID, 'a capture by the id of a payment > is paid, by the code of the gateway and by its id'),
    ...testsOf('sdk/providers')('Razorpay: the id of a payment'),
  ],
  F2: [...capture(REFUSED), ...adapter('a charge by the id of a payment alone > tells why the payment has failed: %s')],
  F3: capture(PAID),
  F4: capture(PAID),
  F5: [
    ...capture(
      'a capture by an order > whose shopper fails in the window is 402, gives everything back, and is paid by a new attempt (F5)',
    ),
    ...adapter(
      'a charge without a payment > whose payment is still under way waits on; one that has failed is declined when the shopper names it',
    ),
  ],
  F6: capture(
    'a capture by an order > that nobody pays is called off after its time; who comes later is told to pay anew, and nothing is taken',
  ),
  F7: capture('a capture by an order > that is left for another gateway is called off, and only the other is paid'),
  F8: [
    ...capture('a capture by an order > is not paid by the payment of another checkout, though it is rightly signed'),
    ...adapter(
      'a charge by the id of a payment alone > never takes one of another order, of another account, or of long ago',
    ),
  ],
  F9: capture(
    'a capture by an order > that is confirmed five times at the same moment is one charge and one order',
    'a capture by the id of a payment > of five at the same moment is one charge and one order',
  ),
  F10: [
    ...forEach.killed,
    ...open(
      'a process that dies before anything is taken > between the order at Razorpay and our answer goes on with that order, or is called off in time (F10)',
    ),
    ...faults('after %j > while an order is made nothing was charged, and nothing will be: its id was told to nobody'),
  ],
  F11: [
    ...forEach.killed,
    ...forEach.diesAfter,
    ...capture(
      'a capture by an order > is one charge and one order though the process dies at %s',
      'a capture by the id of a payment > is one charge and one order though the process dies at %s',
    ),
  ],
  F12: capture(
    'a capture by an order > whose answer is lost while it is taken (%j) is one charge and one order',
    'a capture by the id of a payment > whose answer is lost (%j at %s) is one charge and one order',
  ),
  F13: [
    ...capture('a capture by an order > whose answer is lost while it is taken (%j) is one charge and one order'),
    ...faults('a request > that hangs is given up, and found later'),
  ],
  F14: [
    ...forEach.down,
    ...capture(
      'a capture by the id of a payment > is found after an outage of hours, in which the attempt stays and the log says so',
    ),
  ],
  F15: [
    ...adapter(
      'a charge without a payment > that is asked for again is the same order',
      'a refund > is found among many others, by a Razorpay that has forgotten its key',
    ),
    ...capture(
      'a capture by the id of a payment > is found after an outage of hours, in which the attempt stays and the log says so',
    ),
  ],
  F16: excluded(
    'Orders and captures have no keys with which an answer could be stored; a payment is read before it is taken.',
  ),
  F17: [
    ...adapter(
      'a charge without a payment > that failed once may still be paid: it waits on, and takes the one that went well',
      'a charge without a payment > whose failed payment becomes authorized late is found',
    ),
    ...messages('what is paid after its time is not taken; what was taken all the same is given back, once'),
  ],
  F18: [
    ...forEach.early,
    ...messages('a message that a payment is authorized makes the order, long before its time is over'),
  ],
  F19: [
    ...forEach.often,
    ...messages('messages that come several times, at once and in the wrong order, make one order and one charge'),
  ],
  F20: [
    ...forEach.reordered,
    ...messages(
      'messages that come several times, at once and in the wrong order, make one order and one charge',
      'a message that lies of a payment makes no order: Razorpay is asked',
    ),
  ],
  F21: [
    ...forEach.diesAfter,
    ...capture('a capture by an order > whose shopper has paid and never came back becomes an order'),
  ],
  F22: [
    ...story(
      'a message > is refused with another signature, secret or body, and without a signature, before anything is asked',
      'a message > needs a secret; while one replaces another both are accepted',
    ),
    ...messages('a message without the right signature is refused, and hastens nothing'),
  ],
  F23: [...story('a message > is verified by the bytes, whatever they are in another writing'), ...forEach.forged],
  F24: [
    ...messages('a message of another shop on the account, or of something else, is taken and does nothing'),
    ...forEach.foreign,
  ],
  F25: adapter(
    'a charge without a payment > whose payment is of another sum is not taken; what others have taken is told as it is',
    'a charge by the id of a payment alone > never takes one %s',
  ),
  F26: adapter('sums > %d %s is asked for as %d', 'sums > %d %s is refused before anything is asked'),
  F27: adapter(
    'a charge without a payment > below the least sum is declined with the rule',
    'a charge without a payment > that is refused for "%s" is declined with the rule',
  ),
  F28: excluded(
    'The shopper pays in the window of Razorpay, and no token of a card comes to us. A payment that was used is F29, one of long ago F8.',
  ),
  F29: capture('a capture by the id of a payment > pays for one order only, also when two come at the same moment'),
  F30: [...capture(REFUSED), ...adapter('a charge by the id of a payment alone > never takes one %s')],
  F31: [
    ...capture(
      'a capture by an order > with a wrong signature is 422 and takes nothing; it waits on, and the right one pays it',
    ),
    ...adapter(
      'a charge without a payment > with a wrong signature, or that of another order, key or payment, is not taken, and waits on',
    ),
  ],
  F32: [
    ...capture('a capture by an order > whose shopper has paid and never came back becomes an order'),
    ...messages('a message that a payment is authorized makes the order, long before its time is over'),
  ],
  F33: forEach.early,
  F34: adapter(
    'a charge without a payment > that failed once may still be paid: it waits on, and takes the one that went well',
  ),
  F35: excluded('A payment is authorized or it is not: none is taken and looked into afterwards.'),
  F36: capture('a capture by the id of a payment > that was not completed in the window is paid when it is'),
  F37: excluded('Razorpay is asked with the key and its secret themselves: there is no token that ends.'),
  F38: capture(
    'a capture by the id of a payment > with credentials that were revoked is 402, says that nothing was paid, and tells the log which gateway it is',
  ),
  F39: faults(
    'a request > is sent once more where Razorpay is busy; if that is no use nothing was charged, but after the first step that is open',
  ),
  F40: [
    ...capture(
      'with payments that are set aside > an order is paid when the merchant takes them, once, though the first answer is lost',
    ),
    ...adapter('a payment that is set aside > is taken once; a second time is told as taken'),
  ],
  F41: [
    ...forEach.holdEndsUntold,
    ...capture('with payments that are set aside > an order whose time is over cannot be taken, and says so'),
  ],
  F42: excluded('There is no partial capture: Razorpay takes the sum that was authorized, or refuses.'),
  F43: [
    ...forEach.killed,
    ...capture('a refund > is made once, though its answer is lost'),
    ...adapter('a refund > is made once under its key, and told the same again'),
    ...faults('after %j > a refund is made once'),
  ],
  F44: forEach.refundedThere,
  F45: [
    ...forEach.refundFails,
    ...adapter('a refund > that is pending counts as made; one that has failed is declined'),
  ],
  F46: capture('a refund > of what is disputed is refused, and the merchant hears why'),
  F47: [
    ...forEach.disputed,
    ...story('the standing of a payment > has a dispute that is %s as %s, and none of another payment'),
  ],
  F48: [
    ...forEach.tooLate,
    ...messages('what is paid after its time is not taken; what was taken all the same is given back, once'),
  ],
  F49: forEach.changedGateway,
  F50: [
    ...forEach.pages,
    ...faults(
      'after %j > while a named payment is taken, it is found, and taken once',
      'after %j > while the payment of an order is looked at or taken, it is found, and taken once',
    ),
  ],
  F51: [...forEach.secrets, ...story('no error names a credential')],
}

// The client of a request: whoever sent it, or the shopper whose address a server with the secret key names.

import { isIP } from 'node:net'
import { networksOf, plainAddress } from '../lib/addresses.ts'
import { badRequest, forbidden } from '../lib/errors.ts'
import type { Caller } from './endpoint.ts'

export const SHOPPER_ADDRESS = 'Shopper-Address'

export type Client = { readonly clientAddress: string; readonly clientNetworks: readonly string[] }

/**
 * `sentFrom`: as the last proxy that is trusted tells, which may be anything that it was sent itself. `socketAddress`: of who is connected;
 * it stands for what is no address, and only the limits still tell the two apart. `header`: what was sent as `Shopper-Address`. Only a
 * secret key is believed: whoever names an address with a public key would choose whom limits count against. It is refused and not passed
 * over, so that nobody relies on it in vain.
 */
export function clientOf(
  { sentFrom, socketAddress }: { readonly sentFrom: string; readonly socketAddress: string },
  header: string | string[] | undefined,
  { isSecret }: Pick<Caller, 'isSecret'>,
): Client {
  if (header === undefined)
    return {
      clientAddress: plainAddress(sentFrom) ?? socketAddress,
      clientNetworks: isSecret ? [] : networksOf(sentFrom),
    }
  if (!isSecret)
    throw forbidden(
      `The header ${SHOPPER_ADDRESS} is accepted with the secret key only, from a server; leave it out with a public key or a customer's token.`,
    )
  const address = String(header).trim()
  // A zone, as in fe80::1%eth0, names a link of one machine and says nothing on another.
  if (isIP(address) === 0 || address.includes('%'))
    throw badRequest(
      `The header ${SHOPPER_ADDRESS} must be one IPv4 or IPv6 address, such as 203.0.113.7 or 2001:db8::7, without a port or brackets.`,
    )
  return { clientAddress: address, clientNetworks: networksOf(address) }
}

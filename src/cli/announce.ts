// What a start tells the person who typed it: where the service is, the demo shop's keys, and a line to paste.

import type { OpenedMerchant } from '../api/merchants/merchant.ts'
import type { Config } from '../config.ts'
import { describeKeys } from './describe-keys.ts'
import { say } from './usage.ts'

export function announce(config: Config, port: number, demo: OpenedMerchant | null) {
  const url = `${config.tls ? 'https' : 'http'}://${reachable(config.host)}:${port}`
  say(`Cartwright is ready at ${url}`)
  say(`  API reference    ${url}/openapi.json`)
  say(`  health, metrics  ${url}/health/ready  ${url}/metrics`)
  if (demo === null) return say('\nKeys: cartwright keys list. A new shop: cartwright merchant create.')
  say(`  demo storefront  ${url}/storefront/`)
  say('\nDemo shop keys (also in the data folder, in demo-keys.json):')
  for (const line of describeKeys(demo)) say(line)
  say('\nTry it:')
  say(`  curl ${config.tls ? '-k ' : ''}-H 'X-Authorization: ${demo.keys.sandbox.public}' ${url}/v1/products\n`)
}

/** An address one can type: "all addresses" is not one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

// What a start tells the person who typed it: where the service is, the demo shop's keys, and a line to paste.

import type { OpenedMerchant } from '../api/merchants/merchant.ts'
import type { Config } from '../config.ts'
import { keysFile } from '../demo/seed.ts'
import { describeKeys } from './describe-keys.ts'
import { say } from './usage.ts'

/** Secrets are said by the start that made them alone: later ones are often read by more than the person who typed the first. */
export function announce(config: Config, port: number, demo: OpenedMerchant | null, isNew: boolean) {
  const url = `${config.tls ? 'https' : 'http'}://${reachable(config.host)}:${port}`
  say(`Cartwright is ready at ${url}`)
  say(`  API reference    ${url}/openapi.json`)
  say(`  health, metrics  ${url}/health/ready  ${url}/metrics`)
  if (demo === null) return say('\nKeys: cartwright keys list. A new shop: cartwright merchant create.')
  say(`  demo storefront  ${url}/storefront/`)
  const file = keysFile(config.dataDir)
  if (isNew) {
    say(`\nDemo shop keys, shown this once (they are kept in ${file}):`)
    for (const line of describeKeys(demo)) say(line)
  } else say(`\nDemo shop: public sandbox key ${demo.keys.sandbox.public}; the others are in ${file}`)
  say('\nTry it:')
  say(`  curl ${config.tls ? '-k ' : ''}-H 'X-Authorization: ${demo.keys.sandbox.public}' ${url}/v1/products\n`)
}

/** An address one can type: "all addresses" is not one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

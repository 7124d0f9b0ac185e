// A merchant's keys as a person reads them in a terminal.

import type { OpenedMerchant } from '../api/merchants/merchant.ts'

export const describeKeys = ({ keys, dashboard }: OpenedMerchant): string[] => [
  `  sandbox  public  ${keys.sandbox.public}`,
  `           secret  ${keys.sandbox.secret}`,
  `  live     public  ${keys.live.public}     (HTTPS only)`,
  `           secret  ${keys.live.secret}     (HTTPS only)`,
  `  dashboard login  ${dashboard.email} / ${dashboard.password}`,
]

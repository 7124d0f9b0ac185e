// What one resource contributes to the service; api/index.ts lists them all.

import type { Endpoint, Services } from '../http/endpoint/endpoint.ts'
import type { Kind } from '../http/endpoint/schema.ts'
import type { JobHandler } from '../jobs/job.ts'
import type { Sweep } from '../jobs/schedule.ts'

export type Slice = {
  readonly endpoints: readonly Endpoint[]
  /** The named shapes of this resource, as the API's versions and OpenAPI know them. */
  readonly kinds: readonly Kind[]
  jobs?(services: Services): readonly JobHandler[]
  sweeps?(services: Services): readonly Sweep[]
}

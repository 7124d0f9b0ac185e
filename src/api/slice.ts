// Everything that one resource adds to the service. api/index.ts lists all slices.

import type { Endpoint, Services } from '../http/endpoint/endpoint.ts'
import type { Kind } from '../http/endpoint/schema.ts'
import type { JobHandler } from '../jobs/job.ts'
import type { Sweep } from '../jobs/schedule.ts'

export type Slice = {
  readonly endpoints: readonly Endpoint[]
  /** Schemas of this resource, by name, for the API's versions and OpenAPI. */
  readonly kinds: readonly Kind[]
  jobs?(services: Services): readonly JobHandler[]
  sweeps?(services: Services): readonly Sweep[]
}

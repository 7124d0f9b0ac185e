// The real registry, compiled with the real operations and kinds. It translates a body without a server, wherever a kind occurs in it.

import { slices } from '../../src/app.ts'
import { compileVersions } from '../../src/versions/apply.ts'
import { versions } from '../../src/versions/index.ts'

export const endpoints = slices.flatMap((slice) => slice.endpoints)
export const kinds = Object.fromEntries(slices.flatMap((slice) => slice.kinds).map((kind) => [kind.$id, kind]))

export const real = compileVersions({
  versions,
  operations: endpoints.map(({ operation, returns = null, conflict = null }) => ({ operation, returns, conflict })),
  kinds,
})

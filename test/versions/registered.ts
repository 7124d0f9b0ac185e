// The real registry, compiled without the API: kinds have no schema here and operations return nothing, so that one change
// can be asked what it does to data at one date or another.

import { compileVersions } from '../../src/versions/apply.ts'
import { versions } from '../../src/versions/index.ts'

const changes = versions.flatMap((version) => version.changes)
const named = (part: 'kinds' | 'operations') => changes.flatMap((change) => Object.keys(change[part] ?? {}))

export const registered = compileVersions({
  versions,
  operations: [...new Set(named('operations'))].map((operation) => ({ operation, returns: null })),
  kinds: Object.fromEntries(named('kinds').map((kind) => [kind, {}])),
})

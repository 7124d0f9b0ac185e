// Writes openapi.json: the same document that a running service gives at /openapi.json.

import { writeFileSync } from 'node:fs'
import { buildIfStale } from './build.js'

buildIfStale()
const { slices } = await import('../dist/api/index.js')
const { openApiDocument } = await import('../dist/http/openapi.js')
const { release } = await import('../dist/release.js')
const { versions } = await import('../dist/versions/index.js')

const document = await openApiDocument({
  endpoints: slices.flatMap(({ endpoints }) => endpoints),
  kinds: slices.flatMap(({ kinds }) => kinds),
  release,
  dates: versions.map(({ date }) => date),
})
writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)

// Writes openapi.json: the document that a running service serves at /openapi.json, formatted for people.

import { writeFileSync } from 'node:fs'
import { buildIfStale } from './build.js'

await buildIfStale()
const { describeApi, slices } = await import('../dist/app.js')
const { openApiDocument } = await import('../dist/http/openapi.js')
const { formatJson } = await import('../dist/http/openapi-shared.js')
const { versions } = await import('../dist/versions/index.js')

const document = await openApiDocument(describeApi(slices, versions))
writeFileSync(new URL('../openapi.json', import.meta.url), `${formatJson(document)}\n`)

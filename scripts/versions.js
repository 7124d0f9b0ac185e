// Writes docs/versions.md from the change files: what each version of the API changed.

import { writeFileSync } from 'node:fs'
import { buildIfStale } from './build.js'

await buildIfStale()
const { versionsPage } = await import('../dist/versions/changelog.js')
const { versions } = await import('../dist/versions/index.js')

writeFileSync(new URL('../docs/versions.md', import.meta.url), versionsPage(versions))

// Writes docs/events.md from the event catalogue and the API schemas: when each event is sent, and its payload.

import { writeFileSync } from 'node:fs'
import { buildIfStale } from './build.js'

await buildIfStale()
const { slices } = await import('../dist/app.js')
const { eventsPage } = await import('../dist/events/reference.js')

const kinds = slices.flatMap((slice) => slice.kinds)
writeFileSync(new URL('../docs/events.md', import.meta.url), eventsPage(kinds))

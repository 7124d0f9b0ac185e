#!/usr/bin/env node
// The command. In a checkout it first builds what has changed; a packed release brings its build along.

import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Cartwright needs Node.js 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

// As newer releases have it. Where it is missing, the client for PostgreSQL loads Node's whole HTTP client, 4 MB, to learn where it runs.
globalThis.navigator ??= { userAgent: `Node.js/${major}` }

// While the code is loaded, the part of the heap for what is new would grow to 32 MB, and an idle process keeps it.
setFlagsFromString('--semi-space-growth-factor=1')

// A further process of a running service stays at what that service was built from.
if (cluster.isPrimary && existsSync(new URL('../src/main.ts', import.meta.url))) {
  const { buildIfStale } = await import('../scripts/build.js')
  await buildIfStale()
}

// What Node 22.8 and newer have compiled they keep, for the next start. Not in their own folder below /tmp, where others may have put things.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

const { main } = await import('../dist/main.js')
await main(process.argv.slice(2))

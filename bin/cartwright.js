#!/usr/bin/env node
// The command. In a checkout it first builds what has changed; a packed release contains its build.

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

// Newer releases define it. Without it, the PostgreSQL client loads Node's whole HTTP client (4 MB) to detect its platform.
globalThis.navigator ??= { userAgent: `Node.js/${major}` }

// While the code loads, V8's young generation would grow to 32 MB, and an idle process would keep it.
setFlagsFromString('--semi-space-growth-factor=1')

// A worker of a running service keeps using the build that the service started with.
if (cluster.isPrimary && existsSync(new URL('../src/main.ts', import.meta.url))) {
  const { buildIfStale } = await import('../scripts/build.js')
  await buildIfStale()
}

// Node 22.8 and newer cache compiled code for the next start. Use our own folder: others may have put files into Node's shared folder below
// /tmp.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

const { main } = await import('../dist/main.js')
await main(process.argv.slice(2))

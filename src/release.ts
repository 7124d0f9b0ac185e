// The version of this program, from its package.json.

import { readFileSync } from 'node:fs'
import { ROOT } from './root.ts'

const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }

export const release: string = version

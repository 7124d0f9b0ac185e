// Table of contents: every resource of the API, in the order in which they may know each other (each only those above it).

import { attributes } from './attributes/routes.ts'
import type { Slice } from './slice.ts'

export const slices: readonly Slice[] = [attributes]

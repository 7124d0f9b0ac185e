// Table of contents: every resource of the API, in the order in which they may know each other (each only those above it).

import { assets } from './assets/routes.ts'
import { attributes } from './attributes/routes.ts'
import { categories } from './categories/routes.ts'
import { products } from './products/routes.ts'
import type { Slice } from './slice.ts'

export const slices: readonly Slice[] = [assets, attributes, categories, products]

// An update of a category may leave out the slug and the name; before, both were required.

import type { Change } from './change.ts'

export default {
  summary: 'Updating a category no longer requires `slug` and `name`.',
  behaviours: ['category-update-needs-slug-and-name'],
} satisfies Change

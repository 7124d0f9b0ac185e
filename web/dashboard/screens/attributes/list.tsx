// Attributes describe products: material, care, year. The type decides which input the form of a product shows.

import type { Attribute } from '../../../../src/api/attributes/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Badge, count } from '../../parts/show/values.tsx'
import { typeText } from './attribute.ts'

export const AttributeList = listScreen<Attribute>({
  screen: '/dashboard/attributes',
  path: '/v1/attributes',
  title: 'Attributes',
  intro:
    'What you say of many products in the same way, such as material or year. For sizes and colours that shoppers choose, use the options of a product instead.',
  things: ['attribute', 'attributes'],
  lines: 6,
  add: { permission: 'attributes.create', label: 'New attribute' },
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Type', cell: typeText, phone: 'aside' },
    { label: 'Options', cell: (attribute) => <OptionText attribute={attribute} />, phone: 'plain' },
    {
      label: 'Rules',
      cell: ({ required, is_public }) => (
        <span class="row tight">
          {required && <Badge>Must be filled in</Badge>}
          {!is_public && <Badge>Not shown to shoppers</Badge>}
        </span>
      ),
    },
  ],
  empty: {
    title: 'No attributes yet',
    icon: 'attributes',
    text: 'Make one here, and every product’s form can ask for it.',
  },
})

const MOST_NAMED = 4

function OptionText({ attribute: { options } }: { attribute: Attribute }) {
  if (options.length === 0) return null
  const names = options.slice(0, MOST_NAMED).map(({ label }) => label)
  const others = options.length - names.length
  return (
    <>
      {names.join(', ')}
      {others > 0 && ` and ${count(others)} more`}
    </>
  )
}

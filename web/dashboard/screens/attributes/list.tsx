// Attributes describe products: material, care, year. The type decides which input the form of a product shows.

import { useFilters } from '../../parts/list/filters.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { Badge, count } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { type Attribute, type ListedAttributes, typeText } from './attribute.ts'

export function AttributeList() {
  const filters = useFilters(['page'])
  const query = useQuery<ListedAttributes>(`/v1/attributes?${filters.query({ limit: '50' })}`, { keepsPrevious: true })
  const may = useMay()
  const newButton = may('attributes.create') && (
    <LinkButton kind="primary" icon="plus" href="/dashboard/attributes/new">
      New attribute
    </LinkButton>
  )
  return (
    <Page
      title="Attributes"
      actions={newButton}
      intro="What you say of many products in the same way, such as material or year. For sizes and colours that shoppers choose, use the options of a product instead."
    >
      <Loaded query={query}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <Empty title="No attributes yet" icon="attributes" action={newButton}>
              <p>Make one here, and every product’s form can ask for it.</p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Attributes"
                rows={data}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/attributes/${id}`}
                isBusy={query.isLoading}
                columns={[
                  { label: 'Name', cell: ({ name }) => name },
                  { label: 'Type', cell: typeText, phone: 'aside' },
                  {
                    label: 'Options',
                    cell: (attribute) => <OptionText attribute={attribute} />,
                    phone: 'plain',
                  },
                  {
                    label: 'Rules',
                    cell: ({ required, is_public }) => (
                      <span class="marks">
                        {required && <Badge>Must be filled in</Badge>}
                        {!is_public && <Badge>Not shown to shoppers</Badge>}
                      </span>
                    ),
                  },
                ]}
              />
              <Pager
                pagination={pagination}
                things={['attribute', 'attributes']}
                hrefOf={(page) => filters.hrefWith({ page: String(page) })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

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

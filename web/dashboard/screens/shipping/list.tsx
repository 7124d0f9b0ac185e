// Shipping zones, each with its countries and its methods, and a form to try an address.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { useFilters } from '../../parts/list/filters.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Note, Page, Section } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Money, plural } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { placesText, useCountries, useRegions } from '../terms/places.tsx'
import { TryAddress } from '../terms/try-address.tsx'
import { bandsText, piecesText, type Zone } from './zone.ts'
import { ZoneDialog } from './zone-dialog.tsx'

type Listed = ListPage<Zone>

export function Shipping() {
  const filters = useFilters(['page'])
  const query = useQuery<Listed>(`/v1/shipping_zones?${filters.query({ limit: '50' })}`, { keepsPrevious: true })
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const add = may('shipping_zones.create') && (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      Add a zone
    </Button>
  )
  return (
    <Page
      title="Shipping"
      actions={query.data?.data.length ? add : undefined}
      intro="Where you send to, by what, and what it costs. Shoppers choose among the ways of every zone that has their address."
    >
      <Loaded query={query}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <Empty title="Nothing can be sent anywhere yet" icon="truck" action={add || undefined}>
              <p>
                A zone names countries and the ways of sending there. Until there is one, shoppers are not asked where
                to send to. Shops that sell downloads alone need none.
              </p>
            </Empty>
          ) : (
            <>
              {data.map((zone) => (
                <ZoneSection key={zone.id} zone={zone} />
              ))}
              {pagination.total_pages > 1 && (
                <Pager
                  pagination={pagination}
                  things={['zone', 'zones']}
                  hrefOf={(page) => filters.hrefWith({ page: String(page) })}
                />
              )}
              <TryAddress />
            </>
          )
        }
      </Loaded>
      {isAdding && <ZoneDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

function ZoneSection({ zone }: { zone: Zone }) {
  const may = useMay()
  const countries = useCountries()
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const canDelete = may('shipping_zones.delete')
  return (
    <Section
      title={zone.name}
      actions={
        <div class="page-actions">
          {may('shipping_zones.update') && (
            <Button isSmall onClick={() => setOpen('edit')} label={`Edit ${zone.name}`}>
              Edit
            </Button>
          )}
          {canDelete && (
            <Menu
              label={`More for ${zone.name}`}
              entries={[{ label: 'Delete the zone', isDangerous: true, onPress: () => setOpen('delete') }]}
            />
          )}
        </div>
      }
    >
      <p class="where">
        {placesText(zone.countries, countries)}
        {Object.entries(zone.regions).map(([country, codes]) => (
          <PartsText key={country} country={country} name={countries[country] ?? country} codes={codes} />
        ))}
      </p>
      {zone.methods.length === 0 ? (
        <Note tone="open">
          <p>This zone has no way of sending: nothing can be sent there by it.</p>
        </Note>
      ) : (
        <Table
          caption={`Ways of sending in ${zone.name}`}
          rows={zone.methods}
          keyOf={({ id }) => id}
          columns={[
            { label: 'Way of sending', cell: ({ description }) => description },
            { label: 'Offered for', cell: bandsText },
            {
              label: 'Price',
              isNumber: true,
              phone: 'aside',
              cell: (method) => (
                <>
                  <Money price={method.price} />
                  {piecesText(method) !== '' && <span class="hint"> {piecesText(method)}</span>}
                </>
              ),
            },
          ]}
        />
      )}
      {open === 'edit' && <ZoneDialog id={zone.id} onClose={() => setOpen(null)} />}
      {open === 'delete' && (
        <ActionDialog
          title={`Delete ${zone.name}`}
          verb="Delete the zone"
          isDangerous
          says={[
            `Nothing is sent to ${placesText(zone.countries, countries, 3)} by this zone any more.`,
            `Deletes its ${plural(zone.methods.length, 'way')} of sending.`,
            'A product that names this zone alone is then sent nowhere.',
            'Orders stay as they are.',
          ]}
          run={() => call('DELETE', `/v1/shipping_zones/${zone.id}`)}
          onDone={() => {
            invalidateQueries('/v1/shipping_zones', '/v1/reports')
            showToast('Zone deleted')
            setOpen(null)
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </Section>
  )
}

function PartsText({ country, name, codes }: { country: string; name: string; codes: readonly string[] }) {
  const regions = useRegions(country)
  return (
    <>
      {' '}
      · Of {name} only {placesText(codes, regions)}.
    </>
  )
}

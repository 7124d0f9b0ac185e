// Shipping zones, each with its countries and its methods, and a form to try an address.

import type { ShippingZone } from '../../../../src/api/shipping/schema.ts'
import { del } from '../../parts/form/change.ts'
import { placesText, useCountries, useRegions } from '../../parts/form/places.tsx'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Table } from '../../parts/list/table.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Note, Section } from '../../parts/page/page.tsx'
import { Money, plural } from '../../parts/show/values.tsx'
import { TryAddress } from '../terms/try-address.tsx'
import { bandsText, piecesText } from './zone.ts'
import { ZoneDialog } from './zone-dialog.tsx'

export const Shipping = listScreen<ShippingZone>({
  screen: '/dashboard/shipping',
  path: '/v1/shipping_zones',
  title: 'Shipping',
  intro:
    'Where you send to, by what, and what it costs. Shoppers choose among the ways of every zone that has their address.',
  things: ['zone', 'zones'],
  lines: 6,
  hidesOnlyPage: true,
  columns: [],
  rows: (zones) => zones.map((zone) => <ZoneSection key={zone.id} zone={zone} />),
  add: {
    permission: 'shipping_zones.create',
    label: 'Add a zone',
    dialog: (close) => <ZoneDialog onClose={close} />,
    isOnlyBelow: true,
  },
  empty: {
    title: 'Nothing can be sent anywhere yet',
    icon: 'truck',
    text: 'A zone names countries and the ways of sending there. Until there is one, shoppers are not asked where to send to. Shops that sell downloads alone need none.',
  },
  foot: ({ rows }) => rows.length > 0 && <TryAddress />,
})

function ZoneSection({ zone }: { zone: ShippingZone }) {
  const countries = useCountries()
  return (
    <Section
      title={zone.name}
      actions={
        <div class="page-actions">
          <DialogButton
            words="Edit"
            isSmall
            label={`Edit ${zone.name}`}
            permission="shipping_zones.update"
            dialog={(close) => <ZoneDialog id={zone.id} onClose={close} />}
          />
          <Menu
            label={`More for ${zone.name}`}
            entries={[
              {
                label: 'Delete the zone',
                isDangerous: true,
                permission: 'shipping_zones.delete',
                dialog: (close) => (
                  <ActionDialog
                    title={`Delete ${zone.name}`}
                    verb="Delete the zone"
                    says={[
                      `Nothing is sent to ${placesText(zone.countries, countries, 3)} by this zone any more.`,
                      `Deletes its ${plural(zone.methods.length, 'way')} of sending.`,
                      'A product that names this zone alone is then sent nowhere.',
                      'Orders stay as they are.',
                    ]}
                    request={del(`/v1/shipping_zones/${zone.id}`)}
                    done="Zone deleted"
                    onClose={close}
                  />
                ),
              },
            ]}
          />
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
        <Note tone="open" says="This zone has no way of sending: nothing can be sent there by it." />
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

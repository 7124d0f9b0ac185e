// Tax settings: whether prices include tax, and the rates of each place. A form tries an address.

import type { Merchant } from '../../../../src/api/merchants/schema.ts'
import type { TaxZone } from '../../../../src/api/tax/schema.ts'
import { del, put } from '../../parts/form/change.ts'
import { Checkbox } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { useCountries, useRegions } from '../../parts/form/places.tsx'
import { listScreen } from '../../parts/list/list-screen.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Facts, Loaded, Section } from '../../parts/page/page.tsx'
import { useMay } from '../../session.tsx'
import { SandboxOnly } from '../settings/merchant.tsx'
import { TryAddress } from '../terms/try-address.tsx'
import { rateText } from './percent.ts'
import { TaxZoneDialog } from './zone-dialog.tsx'

const COLUMNS: readonly Column<TaxZone>[] = [
  { label: 'Place', cell: (zone) => <Place zone={zone} /> },
  { label: 'Rates', cell: (zone) => <Rates zone={zone} /> },
]

export const Tax = listScreen<TaxZone>({
  screen: '/dashboard/tax',
  path: '/v1/tax_zones',
  title: 'Tax',
  caption: 'Tax zones',
  intro: 'Each place has one zone: the most specific that has it. Where there is none, nothing is taxed.',
  things: ['tax zone', 'tax zones'],
  lines: 6,
  hidesOnlyPage: true,
  hrefOf: null,
  columns: ({ may }) =>
    may('tax_zones.update') ? [...COLUMNS, { label: 'Actions', cell: (zone) => <ZoneActions zone={zone} /> }] : COLUMNS,
  add: {
    permission: 'tax_zones.create',
    label: 'Add a tax zone',
    dialog: (close) => <TaxZoneDialog onClose={close} />,
    isOnlyBelow: true,
  },
  empty: {
    title: 'Nothing is taxed yet',
    icon: 'money',
    text: 'A tax zone is a country, a state or region of it, or some postcodes, with the rates that are due there.',
  },
  above: () => <TaxSettings />,
  foot: ({ rows }) => rows.length > 0 && <TryAddress />,
})

function Place({ zone: { country, region, postal_prefix } }: { zone: TaxZone }) {
  const countries = useCountries()
  const regions = useRegions(region === null ? '' : country)
  const parts = [
    region === null ? '' : (regions[region] ?? region),
    postal_prefix === null ? '' : `postcodes that begin with ${postal_prefix}`,
  ].filter(Boolean)
  return (
    <>
      {countries[country] ?? country}
      {parts.length > 0 && <span class="hint"> {parts.join(', ')}</span>}
    </>
  )
}

function Rates({ zone: { rates } }: { zone: TaxZone }) {
  if (rates.length === 0) return <>No tax is due</>
  return (
    <ul>
      {rates.map(({ type, rate_percentage, digital_rate }, index) => (
        <li key={index}>{rateText(type, rate_percentage, digital_rate)}</li>
      ))}
    </ul>
  )
}

function ZoneActions({ zone: { id } }: { zone: TaxZone }) {
  return (
    <div class="page-actions">
      <DialogButton
        words="Edit"
        isSmall
        permission="tax_zones.update"
        dialog={(close) => <TaxZoneDialog id={id} onClose={close} />}
      />
      <Menu
        label="More actions"
        entries={[
          {
            label: 'Delete the tax zone',
            isDangerous: true,
            permission: 'tax_zones.delete',
            dialog: (close) => <DeleteDialog id={id} onClose={close} />,
          },
        ]}
      />
    </div>
  )
}

function DeleteDialog({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ActionDialog
      title="Delete the tax zone"
      verb="Delete the tax zone"
      says={[
        'Orders from there are taxed by the next wider zone from now on, or not at all where there is none.',
        'Orders that were made stay as they are.',
      ]}
      request={del(`/v1/tax_zones/${id}`)}
      done="Tax zone deleted"
      onClose={onClose}
    />
  )
}

function TaxSettings() {
  const may = useMay()
  return (
    <Loaded<Required<Merchant>> of="/v1/merchants" lines={2}>
      {(merchant, etag) => (
        <Section title="Prices and tax">
          {may('merchants.update') && <SandboxOnly />}
          {may('merchants.update') ? (
            <Form initial={merchant} etag={etag} submit="Save" request={put('/v1/merchants')} done="Saved">
              <Checkbox
                name="tax.included_in_price"
                label="My prices have the tax in them"
                hint="As in Europe: a shopper pays what the product says. Off, as in the United States: the tax comes on top."
              />
              <Checkbox
                name="tax.on_shipping"
                label="Shipping is taxed too"
                hint="By the rates of the place it goes to."
              />
            </Form>
          ) : (
            <Facts
              facts={[
                [
                  'Prices',
                  merchant.tax.included_in_price ? 'have the tax in them' : 'are without tax, which comes on top',
                ],
                ['Shipping', merchant.tax.on_shipping ? 'is taxed too' : 'is not taxed'],
              ]}
            />
          )}
        </Section>
      )}
    </Loaded>
  )
}

// Tax settings: whether prices include tax, and the rates of each place. A form tries an address.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Checkbox } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { useFilters } from '../../parts/list/filters.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { SandboxOnly } from '../settings/merchant.tsx'
import { useCountries, useRegions } from '../terms/places.tsx'
import { TryAddress } from '../terms/try-address.tsx'
import { rateText, type TaxZone } from './tax-zone.ts'
import { TaxZoneDialog } from './zone-dialog.tsx'

type Listed = ListPage<TaxZone>

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly zone: TaxZone }

export function Tax() {
  const filters = useFilters(['page'])
  const query = useQuery<Listed>(`/v1/tax_zones?${filters.query({ limit: '50' })}`, { keepsPrevious: true })
  const may = useMay()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const add = may('tax_zones.create') && (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'new' })}>
      Add a tax zone
    </Button>
  )
  return (
    <Page
      title="Tax"
      actions={query.data?.data.length ? add : undefined}
      intro="Each place has one zone: the most specific that has it. Where there is none, nothing is taxed."
    >
      <TaxSettings />
      <Loaded query={query}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <Empty title="Nothing is taxed yet" icon="money" action={add || undefined}>
              <p>
                A tax zone is a country, a state or region of it, or some postcodes, with the rates that are due there.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Tax zones"
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { label: 'Place', cell: (zone: TaxZone) => <Place zone={zone} /> },
                  { label: 'Rates', cell: (zone: TaxZone) => <Rates zone={zone} /> },
                  {
                    label: 'Actions',
                    cell: (zone: TaxZone) => (
                      <div class="page-actions">
                        {may('tax_zones.update') && (
                          <Button isSmall onClick={() => setOpen({ kind: 'edit', zone })}>
                            Edit
                          </Button>
                        )}
                        {may('tax_zones.delete') && (
                          <Menu
                            label="More actions"
                            entries={[
                              {
                                label: 'Delete the tax zone',
                                isDangerous: true,
                                onPress: () => setOpen({ kind: 'delete', zone }),
                              },
                            ]}
                          />
                        )}
                      </div>
                    ),
                  },
                ].filter(({ label }) => label !== 'Actions' || may('tax_zones.update'))}
              />
              {pagination.total_pages > 1 && (
                <Pager
                  pagination={pagination}
                  things={['tax zone', 'tax zones']}
                  hrefOf={(page) => filters.hrefWith({ page: String(page) })}
                />
              )}
              <TryAddress />
            </>
          )
        }
      </Loaded>
      {open?.kind === 'new' && <TaxZoneDialog onClose={close} />}
      {open?.kind === 'edit' && <TaxZoneDialog id={open.zone.id} onClose={close} />}
      {open?.kind === 'delete' && (
        <ActionDialog
          title="Delete the tax zone"
          verb="Delete the tax zone"
          isDangerous
          says={[
            'Orders from there are taxed by the next wider zone from now on, or not at all where there is none.',
            'Orders that were made stay as they are.',
          ]}
          run={() => call('DELETE', `/v1/tax_zones/${open.zone.id}`)}
          onDone={() => {
            invalidateQueries('/v1/tax_zones')
            showToast('Tax zone deleted')
            close()
          }}
          onClose={close}
        />
      )}
    </Page>
  )
}

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
      {rates.map((rate, index) => (
        <li key={index}>{rateText(rate)}</li>
      ))}
    </ul>
  )
}

type Settings = { readonly tax: { readonly included_in_price: boolean; readonly on_shipping: boolean } }

function TaxSettings() {
  const query = useQuery<Settings>('/v1/merchants')
  const may = useMay()
  return (
    <Loaded query={query} lines={2}>
      {(merchant) => (
        <Section title="Prices and tax">
          {may('merchants.update') && <SandboxOnly />}
          {may('merchants.update') ? (
            <Form
              initial={merchant}
              etag={query.etag}
              submit="Save"
              run={(body, { ifMatch }) => call('PUT', '/v1/merchants', { body, ifMatch })}
              onDone={() => {
                invalidateQueries('/v1/merchants')
                showToast('Saved')
              }}
            >
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

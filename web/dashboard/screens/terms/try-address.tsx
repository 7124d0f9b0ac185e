// "Try an address": shipping and tax for an address. All figures come from the checkout; nothing is calculated here.

import { useState } from 'preact/hooks'
import type { AddressTerms } from '../../../../src/api/checkouts/terms/schema.ts'
import type { Product } from '../../../../src/api/products/schema.ts'
import { call } from '../../api.ts'
import { Field, Select } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { CountrySelect, placesText, RegionSelect, useCountries, useRegions } from '../../parts/form/places.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Facts, Note, Section } from '../../parts/page/page.tsx'
import { Money, None } from '../../parts/show/values.tsx'
import { useMay, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'

const REASONS = {
  order_value: 'the order is worth too little or too much for it',
  weight: 'the parcel is too light or too heavy for it',
  product: 'the product is not sent by this zone',
} as const

export function TryAddress() {
  const may = useMay()
  const { merchant } = useSession()
  const [country, setCountry] = useState('')
  const [productId, setProductId] = useState('')
  const [terms, setTerms] = useState<AddressTerms | null>(null)
  const products = useQuery<ListPage<Pick<Product, 'id' | 'name'>>>(
    may('products.list') ? '/v1/products?limit=100&active=1' : null,
  )
  if (!may('shipping_zones.for_address')) return null
  const loadTerms = (values: FormValues) => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(values))
      if (value !== '' && value !== null) query.set(name, String(value))
    return call<AddressTerms>('GET', `/v1/shipping_zones/for?${query}`)
  }
  return (
    <Section title="Try an address">
      <p class="hint">What a shopper there is offered and charged, by the very rules of the checkout.</p>
      <Form run={loadTerms} onDone={setTerms} submit="Show what applies">
        <div class="columns">
          <CountrySelect name="country" onChange={setCountry} />
          <RegionSelect name="region" country={country} all="Not said yet" />
          <Field name="postal_zip_code" label="Postcode" isOptional maxLength={50} />
        </div>
        <div class="columns">
          <Select
            name="product_id"
            label="What is bought"
            onChange={setProductId}
            options={[
              ['', 'Something made up'],
              ...(products.data?.data ?? []).map(({ id, name }) => [id, name] as const),
            ]}
          />
          <Field name="quantity" label="Pieces" isNumber inputMode="numeric" value="1" empty="leave" />
          {productId === '' && (
            <>
              <Field
                name="price"
                label="Price of one"
                inputMode="decimal"
                value="20"
                unit={merchant.currency}
                empty="leave"
              />
              <Field
                name="weight"
                label="Weight of one"
                isNumber
                inputMode="numeric"
                unit="g"
                isOptional
                empty="leave"
              />
            </>
          )}
        </div>
      </Form>
      {terms !== null && <TermsView terms={terms} />}
    </Section>
  )
}

function TermsView({ terms }: { terms: AddressTerms }) {
  const countries = useCountries()
  const regions = useRegions(terms.country)
  const place = [
    terms.postal_zip_code,
    terms.region && (regions[terms.region] ?? terms.region),
    countries[terms.country] ?? terms.country,
  ]
  const zoneNames = terms.zones.map(({ name }) => name)
  const zoneName = (id: string) => terms.zones.find((zone) => zone.id === id)?.name ?? ''
  return (
    <div class="terms stack" role="status">
      <h3>{place.filter(Boolean).join(', ')}</h3>
      {terms.depends_on_region && (
        <Note
          tone="open"
          says="Your zones differ within this country. Choose a state or region to see what applies there."
        />
      )}
      <Facts
        facts={[
          ['Shipping zone', zoneNames.length === 0 ? <None /> : placesText(zoneNames, {})],
          ['Tax', <TaxText key="tax" tax={terms.tax} />],
          ['Goods', <Money key="goods" price={terms.subtotal} />],
          ['Tax on the goods', <Money key="amount" price={terms.tax_amount} />],
          terms.goods.is_shipped ? null : ['Total', <Money key="total" price={terms.total_with_tax} />],
        ]}
      />
      {!terms.goods.is_shipped && <p>Nothing of this is sent: there is no shipping to choose.</p>}
      {terms.goods.is_shipped && terms.methods.length === 0 && (
        <Note tone="bad" says="Nothing can be sent there: a shopper cannot finish the order." />
      )}
      {terms.methods.length > 0 && (
        <Table
          caption="Ways of sending"
          rows={terms.methods}
          keyOf={({ id }) => id}
          columns={[
            { label: 'Way of sending', cell: ({ description }) => description },
            { label: 'Zone', cell: ({ zone_id }) => zoneName(zone_id) },
            { label: 'Shipping', cell: ({ price }) => <Money price={price} />, isNumber: true },
            { label: 'Tax in all', cell: ({ tax_amount }) => <Money price={tax_amount} />, isNumber: true },
            {
              label: 'Total',
              cell: ({ total_with_tax }) => <Money price={total_with_tax} />,
              isNumber: true,
              phone: 'aside',
            },
          ]}
        />
      )}
      {terms.not_offered.length > 0 && (
        <ul class="says">
          {terms.not_offered.map(({ id, description, zone_id, reason }) => (
            <li key={id}>
              “{description}” of {zoneName(zone_id)} is not offered: {REASONS[reason]}.
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function TaxText({ tax: { zone, rates, included_in_price, on_shipping } }: { tax: AddressTerms['tax'] }) {
  if (zone === null) return <>none: no tax zone has this place</>
  if (rates.length === 0) return <>none is due there</>
  const parts = rates.map(({ type, rate_percentage }) => `${rate_percentage} ${type}`).join(' + ')
  return (
    <>
      {parts}, {included_in_price ? 'in the prices' : 'on top of the prices'}
      {on_shipping ? ', on shipping too' : ''}
    </>
  )
}

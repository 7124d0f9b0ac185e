// Customer and addresses of an order.

import type { Order } from '../../../../src/api/orders/schema.ts'
import { CopyButton } from '../../parts/page/button.tsx'
import { Section } from '../../parts/page/page.tsx'
import { useMay } from '../../session.tsx'
import { OrderDialogButton } from './dialogs/opening.tsx'
import { orderCustomerName } from './order.ts'

type Address = Order['shipping']

export function People({ order }: { order: Order }) {
  const may = useMay()
  const { customer, shipping, billing, extra_fields: extra } = order
  return (
    <Section
      title="Customer"
      kind="order-people"
      actions={<OrderDialogButton words="Edit" isSmall opens={{ name: 'edit' }} />}
    >
      <p>
        {may('customers.get') ? (
          <a href={`/dashboard/customers/${customer.id}`}>{orderCustomerName(customer)}</a>
        ) : (
          orderCustomerName(customer)
        )}
      </p>
      <p class="row tight">
        <a href={`mailto:${customer.email}`}>{customer.email}</a>
        <CopyButton text={customer.email} what="E-mail address" />
      </p>
      {customer.phone !== undefined && (
        <p>
          <a href={`tel:${customer.phone.replaceAll(/[^+\d]/g, '')}`}>{customer.phone}</a>
        </p>
      )}
      {postalLines(shipping).length > 0 && (
        <>
          <h3>Ships to</h3>
          <PostalAddressView address={shipping} canCopy />
        </>
      )}
      {billing !== null && postalLines(billing).length > 0 && (
        <>
          <h3>Bill to</h3>
          {isSame(billing, shipping) ? <p class="hint">The same address</p> : <PostalAddressView address={billing} />}
        </>
      )}
      {extra.map(({ id, name, value }) => (
        <div key={id}>
          <h3>{name}</h3>
          <p>{value}</p>
        </div>
      ))}
    </Section>
  )
}

const isSame = (one: Address, other: Address): boolean => postalLines(one).join('\n') === postalLines(other).join('\n')

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

function countryText(code: string): string {
  try {
    return countryNames.of(code) ?? code
  } catch {
    return code
  }
}

/** Lines of an address, as on a parcel. */
const postalLines = (address: Address): string[] =>
  [
    address.name,
    address.street,
    address.street_2,
    [address.town_city, address.county_state, address.postal_zip_code].filter(Boolean).join(' '),
    address.country && countryText(address.country),
  ].filter((line): line is string => line !== null && line !== '')

export function PostalAddressView({ address, canCopy = false }: { address: Address; canCopy?: boolean }) {
  const lines = postalLines(address)
  return (
    <div class="postal">
      <address>
        {lines.map((line) => (
          <div key={line}>{line}</div>
        ))}
      </address>
      {canCopy && <CopyButton text={lines.join('\n')} what="Address" />}
      {address.delivery_instructions !== null && address.delivery_instructions !== '' && (
        <p class="message open instructions">{address.delivery_instructions}</p>
      )}
    </div>
  )
}

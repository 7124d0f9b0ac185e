// All customers, found by the beginning of a name or an e-mail address, or by an id.

import type { Customer } from '../../../../src/api/customers/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { None, When } from '../../parts/show/values.tsx'
import { fullCustomerName } from './customer.ts'

export const CustomerList = listScreen<Customer>({
  screen: '/dashboard/customers',
  path: '/v1/customers',
  title: 'Customers',
  things: ['customer', 'customers'],
  lines: 12,
  search: 'Name, e-mail address or id',
  columns: [
    { label: 'Name', cell: fullCustomerName },
    { label: 'E-mail', cell: ({ email }) => email },
    { label: 'Phone', cell: ({ phone }) => phone ?? <None />, phone: 'none' },
    { label: 'Since', cell: ({ created }) => <When at={created} />, phone: 'aside' },
  ],
  noMatch: 'Customers are found by how their first, last or full name or their e-mail address begins.',
  empty: ({ mode }) => ({
    title: 'No customers yet',
    icon: 'customers',
    text: `They arrive with their first order in ${mode}.`,
  }),
})

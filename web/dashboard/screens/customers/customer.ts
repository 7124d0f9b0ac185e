// The name of a customer.

import type { Customer } from '../../../../src/api/customers/schema.ts'

export const fullCustomerName = ({ firstname, lastname, email }: Customer): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email

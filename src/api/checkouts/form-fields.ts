// What capture will demand, told to forms: as rules by the names of fields, and as the fields themselves.

import type { Static } from 'typebox'
import { type Checking, readCheckout, readDetails } from './checkout.ts'
import type { FieldList, RuleList } from './form-schema.ts'
import { priceCheckout } from './price.ts'
import { type Demand, demandsOf, formName } from './requirements.ts'

export async function listRules(checking: Checking, id: string): Promise<Static<typeof RuleList>> {
  const ruled = (await demands(checking, id)).map((demand) => [formName(demand), allRules(demand)] as const)
  return { rules: Object.fromEntries(ruled.filter(([, rules]) => Object.keys(rules).length > 0)) }
}

const allRules = ({ isRequired, rules: { options, ...rules } }: Demand) => ({
  ...(isRequired ? { required: true } : {}),
  ...rules,
  ...(options && { options: [...options] }),
})

export const listFields = async (checking: Checking, id: string): Promise<Static<typeof FieldList>> => ({
  fields: (await demands(checking, id)).map((demand) => ({
    name: formName(demand),
    label: demand.label,
    type: demand.type,
    required: demand.isRequired,
    options: demand.options && [...demand.options],
  })),
})

async function demands(checking: Checking, id: string): Promise<Demand[]> {
  const row = await readCheckout(checking, id)
  return demandsOf(row, priceCheckout(row), await readDetails(checking, row))
}

// Products with the maximum number of variants, in every state where "sold out" depends on stock.

import { MAX_VARIANTS } from '../../src/api/products/body-schema.ts'

/** Stock. `own`: of the product; `left`: of each variant; `ofLast`: of the last one, or null if it has no stock of its own. */
type State = {
  readonly name: string
  readonly own: number
  readonly left: number
  readonly ofLast: number | null
  readonly areValid: boolean
  readonly isSoldOut: boolean
}

export const STATES: readonly State[] = [
  { name: 'nothing left', own: 0, left: 0, ofLast: 0, areValid: true, isSoldOut: true },
  { name: 'some left of its own alone', own: 5, left: 0, ofLast: 0, areValid: true, isSoldOut: true },
  { name: 'some left of the last variant', own: 0, left: 0, ofLast: 3, areValid: true, isSoldOut: false },
  { name: 'some left of its own and of the last', own: 5, left: 0, ofLast: 3, areValid: true, isSoldOut: false },
  { name: 'its own sold by the last', own: 5, left: 0, ofLast: null, areValid: true, isSoldOut: false },
  { name: 'none of its own sold by the last', own: 0, left: 0, ofLast: null, areValid: true, isSoldOut: true },
  { name: 'some left of variants that are not valid', own: 0, left: 3, ofLast: 3, areValid: false, isSoldOut: true },
  { name: 'variants that are not valid, and its own', own: 5, left: 0, ofLast: 0, areValid: false, isSoldOut: false },
]

export const VARIANTS = MAX_VARIANTS

export const productOf = (state: State) => `prod_many_${STATES.indexOf(state)}`

/** Creates variants of two groups. Invalid variants name no option of the second group. */
export function manyVariants(shop: number): string {
  return STATES.map((state) => {
    const product = `'${productOf(state)}'`
    const id = `'vrnt_' || ${product} || lpad(n::text, 5, '0')`
    const available = `case when n = ${VARIANTS} then ${state.ofLast ?? 0} else ${state.left} end`
    const second = state.areValid ? `, 'second', 'second_' || n / 40` : ''
    return `
      insert into products (merchant_id, id, name, permalink, sku, description, price, is_active, is_tax_exempt, is_pay_what_you_want,
        is_inventory_managed, sort_order, collects_fullname, collects_billing_address, is_physical, created_at, updated_at)
      values (${shop}, ${product}, ${product}, ${product}, ${product}, '', 100, true, false, false, true, -1, false, false, true, now(), now());
      insert into variant_groups (merchant_id, product_id, id, position, name, created_at, updated_at)
      values (${shop}, ${product}, 'first', 0, '', now(), now()), (${shop}, ${product}, 'second', 1, '', now(), now());
      insert into variant_options (merchant_id, product_id, group_id, id, position, name, price_delta, created_at, updated_at)
      select ${shop}, ${product}, part, part || '_' || n, n, '', 0, now(), now()
      from unnest('{first,second}'::text[]) part, generate_series(0, 40) n;
      insert into variants (merchant_id, product_id, id, options, created_at, updated_at)
      select ${shop}, ${product}, ${id},
        jsonb_build_object('first', 'first_' || n % 40 ${second}) ${state.areValid ? '' : `|| jsonb_build_object('gone', n)`}, now(), now()
      from generate_series(1, ${VARIANTS}) n;
      insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
      select ${shop}, ${product}, ${id}, mode, ${available}
      from generate_series(1, ${VARIANTS}) n, unnest('{true,false}'::boolean[]) mode
      where n < ${VARIANTS} or ${state.ofLast !== null};
      insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
      select ${shop}, ${product}, ${product}, mode, ${state.own} from unnest('{true,false}'::boolean[]) mode;`
  }).join('\n')
}

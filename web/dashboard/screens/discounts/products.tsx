// The products that a code is for. They are searched by name, and sent as one field of the form.

import { useId, useRef, useState } from 'preact/hooks'
import type { Discount } from '../../../../src/api/discounts/schema.ts'
import type { Product } from '../../../../src/api/products/schema.ts'
import { Group } from '../../parts/form/field.tsx'
import { useHeldValue } from '../../parts/form/held-value.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Button } from '../../parts/page/button.tsx'
import { plural } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'

/** Each name costs a request. */
const MOST_SHOWN = 20
const MOST_FOUND = 8
const TYPING_MS = 250

export function DiscountProducts() {
  const {
    value: chosenIds,
    set,
    control,
  } = useHeldValue<readonly string[]>({
    name: 'product_ids',
    label: 'Products',
    from: ({ product_ids = [] }: Partial<Discount>) => product_ids,
    say: (ids) => (ids.length === 0 ? 'every product' : plural(ids.length, 'product')),
  })
  return (
    <Group
      label="Products"
      hint={
        chosenIds.length === 0
          ? 'It lowers the price of every product, unless you choose some.'
          : `It lowers the price of ${plural(chosenIds.length, 'product')} alone.`
      }
    >
      {control}
      {chosenIds.length > 0 && (
        <ul class="chosen">
          {chosenIds.slice(0, MOST_SHOWN).map((id) => (
            <ChosenProduct key={id} id={id} onRemove={() => set(chosenIds.filter((each) => each !== id))} />
          ))}
          {chosenIds.length > MOST_SHOWN && <li class="hint">and {chosenIds.length - MOST_SHOWN} more</li>}
        </ul>
      )}
      <Finder chosen={chosenIds} onAdd={(id) => set([...chosenIds, id])} />
    </Group>
  )
}

function ChosenProduct({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data, problem } = useQuery<Product>(`/v1/products/${id}`)
  const name = data?.name ?? (problem?.status === 404 ? `${id} (deleted)` : id)
  return (
    <li>
      <span>{name}</span>
      <Button kind="quiet" icon="close" isSmall label={`Remove ${name}`} onClick={onRemove} />
    </li>
  )
}

function Finder({ chosen, onAdd }: { chosen: readonly string[]; onAdd: (id: string) => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const timer = useRef(0)
  const path = text === '' ? null : `/v1/products?limit=${MOST_FOUND}&query=${encodeURIComponent(text)}`
  const { data } = useQuery<ListPage<Product>>(path, { keepsPrevious: true })
  const matches = text === '' ? [] : (data?.data ?? []).filter((product) => !chosen.includes(product.id))
  return (
    <div class="field">
      <label for={id}>Choose a product</label>
      <input
        id={id}
        type="search"
        placeholder="Part of its name"
        autocomplete="off"
        onInput={(event) => {
          const typed = event.currentTarget.value.trim()
          clearTimeout(timer.current)
          timer.current = window.setTimeout(() => setText(typed), TYPING_MS)
        }}
        // Enter would send the whole form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ul class="found" aria-live="polite">
        {matches.map(({ id: productId, name }) => (
          <li key={productId}>
            <Button words={name} isSmall icon="plus" onClick={() => onAdd(productId)} />
          </li>
        ))}
        {text !== '' && data !== undefined && data.data.length === 0 && <li class="hint">No product matches.</li>}
      </ul>
    </div>
  )
}

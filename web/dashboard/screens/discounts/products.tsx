// The products that a code is for. They are searched by name, and sent as one field of the form.

import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { Group } from '../../parts/form/field.tsx'
import { FormContext } from '../../parts/form/form.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Button } from '../../parts/page/button.tsx'
import { plural } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'

type NamedProduct = { readonly id: string; readonly name: string }

const NAME = 'product_ids'

/** Each name costs a request. */
const MOST_SHOWN = 20
const MOST_FOUND = 8
const TYPING_MS = 250

/** Content of the field as a list of ids. */
export const idsIn = (content: unknown): readonly string[] =>
  typeof content === 'string' ? (JSON.parse(content) as string[]) : (content as readonly string[])

export function DiscountProducts() {
  const { initial } = useContext(FormContext)
  const ids = (initial as { readonly product_ids?: readonly string[] } | undefined)?.product_ids ?? []
  const [chosenIds, setChosenIds] = useState(ids)
  const field = useRef<HTMLInputElement>(null)
  const before = JSON.stringify(ids)
  const former = useRef(before)
  useEffect(() => {
    // A choice that nobody has changed follows data that is loaded again.
    const last = former.current
    former.current = before
    setChosenIds((current) => (JSON.stringify(current) === last ? idsIn(before) : current))
    // The form sends this event to restore a value; null means the initial one.
    const onPutValue = (event: Event) => setChosenIds(idsIn((event as CustomEvent<string | null>).detail ?? before))
    field.current?.addEventListener('put-value', onPutValue)
    return () => field.current?.removeEventListener('put-value', onPutValue)
  }, [before])
  const add = (id: string) => setChosenIds((former) => (former.includes(id) ? former : [...former, id]))
  const remove = (id: string) => setChosenIds((former) => former.filter((each) => each !== id))
  return (
    <Group
      label="Products"
      hint={
        chosenIds.length === 0
          ? 'It lowers the price of every product, unless you choose some.'
          : `It lowers the price of ${plural(chosenIds.length, 'product')} alone.`
      }
    >
      {/* Not of type hidden: for hidden inputs browsers forget the initial value, and a change could not be detected. */}
      <span class="unseen" aria-hidden="true">
        <input
          ref={field}
          name={NAME}
          tabIndex={-1}
          readOnly
          data-as="json"
          data-label="Products"
          data-shown={ids.length === 0 ? 'every product' : plural(ids.length, 'product')}
          defaultValue={before}
          value={JSON.stringify(chosenIds)}
        />
      </span>
      {chosenIds.length > 0 && (
        <ul class="chosen">
          {chosenIds.slice(0, MOST_SHOWN).map((id) => (
            <ChosenProduct key={id} id={id} onRemove={() => remove(id)} />
          ))}
          {chosenIds.length > MOST_SHOWN && <li class="hint">and {chosenIds.length - MOST_SHOWN} more</li>}
        </ul>
      )}
      <Finder chosen={chosenIds} onAdd={add} />
    </Group>
  )
}

function ChosenProduct({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data, problem } = useQuery<NamedProduct>(`/v1/products/${id}`)
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
  const { data } = useQuery<ListPage<NamedProduct>>(path, { keepsPrevious: true })
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
            <Button isSmall icon="plus" onClick={() => onAdd(productId)}>
              {name}
            </Button>
          </li>
        ))}
        {text !== '' && data !== undefined && data.data.length === 0 && <li class="hint">No product matches.</li>}
      </ul>
    </div>
  )
}

// The products that a code is for: looked for by name, and put on a list that is sent as one field of the form.

import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Group } from '../../parts/field.tsx'
import { FormContext } from '../../parts/form.tsx'
import { plural } from '../../parts/values.tsx'
import { useQuery } from '../../use-query.ts'
import type { Listed } from './discount.ts'

type Named = { readonly id: string; readonly name: string }

const NAME = 'product_ids'

/** More names would be asked for one by one. */
const MOST_SHOWN = 20
const MOST_FOUND = 8
const TYPING_MS = 250

/** What the field holds, as the API takes it. */
export const idsIn = (held: unknown): readonly string[] =>
  typeof held === 'string' ? (JSON.parse(held) as string[]) : (held as readonly string[])

export function ProductChoice() {
  const { initial } = useContext(FormContext)
  const ids = (initial as { readonly product_ids?: readonly string[] } | undefined)?.product_ids ?? []
  const [chosen, setChosen] = useState(ids)
  const field = useRef<HTMLInputElement>(null)
  const before = JSON.stringify(ids)
  const former = useRef(before)
  useEffect(() => {
    // What nobody has changed follows what is read anew.
    const last = former.current
    former.current = before
    setChosen((kept) => (JSON.stringify(kept) === last ? idsIn(before) : kept))
    // A form that puts something back, or takes what stands there at first (null), tells it so.
    const put = (event: Event) => setChosen(idsIn((event as CustomEvent<string | null>).detail ?? before))
    field.current?.addEventListener('put-value', put)
    return () => field.current?.removeEventListener('put-value', put)
  }, [before])
  const add = (id: string) => setChosen((former) => (former.includes(id) ? former : [...former, id]))
  const remove = (id: string) => setChosen((former) => former.filter((each) => each !== id))
  return (
    <Group
      label="Products"
      hint={
        chosen.length === 0
          ? 'It lowers the price of every product, unless you choose some.'
          : `It lowers the price of ${plural(chosen.length, 'product')} alone.`
      }
    >
      {/* Not of the type hidden: of such an input a browser forgets what it held at first, and nobody could tell whether it was changed. */}
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
          value={JSON.stringify(chosen)}
        />
      </span>
      {chosen.length > 0 && (
        <ul class="chosen">
          {chosen.slice(0, MOST_SHOWN).map((id) => (
            <Chosen key={id} id={id} onRemove={() => remove(id)} />
          ))}
          {chosen.length > MOST_SHOWN && <li class="hint">and {chosen.length - MOST_SHOWN} more</li>}
        </ul>
      )}
      <Finder chosen={chosen} onAdd={add} />
    </Group>
  )
}

function Chosen({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data, problem } = useQuery<Named>(`/v1/products/${id}`)
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
  const { data } = useQuery<Listed<Named>>(path, { keepsPrevious: true })
  const found = text === '' ? [] : (data?.data ?? []).filter((product) => !chosen.includes(product.id))
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
        {found.map(({ id: productId, name }) => (
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

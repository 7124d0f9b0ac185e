// Variants of a product: combinations of its options, with their own SKU, price and stock if set. They are edited in a table. Changed
// variants are sent in sequence, and each error is shown at its cell.

import { useRef, useState } from 'preact/hooks'
import { ApiProblem, call, problemOf } from '../../../api.ts'
import { Field } from '../../../parts/form/field.tsx'
import { Form, type FormValues } from '../../../parts/form/form.tsx'
import { type Column, Table } from '../../../parts/list/table.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { Note, Section } from '../../../parts/page/page.tsx'
import { Loaded } from '../../../parts/page/states.tsx'
import { showToast } from '../../../parts/page/toast.tsx'
import { Badge, type Price, plural } from '../../../parts/show/values.tsx'
import { useMay, useMode } from '../../../session.tsx'
import { invalidateQueries, useQuery } from '../../../use-query.ts'
import type { Product, ProductListPage } from '../product.ts'
import { PlainField } from './plain-field.tsx'

type Variant = {
  readonly id: string
  readonly sku: string | null
  readonly price: Price | null
  readonly inventory: number | null
  readonly held?: number | null
  readonly on_hand?: number | null
  readonly is_valid: boolean
  readonly invalid_reason_code: string | null
  readonly options: Readonly<Record<string, string>>
}

const PER_PAGE = 100

export function Variants({ product }: { product: Product }) {
  const [page, setPage] = useState(1)
  const path = `/v1/products/${product.id}/variants`
  const query = useQuery<ProductListPage<Variant>>(`${path}?limit=${PER_PAGE}&page=${page}`, { keepsPrevious: true })
  return (
    <Section title="Variants">
      <Loaded query={query}>
        {({ data, meta: { pagination } }) => (
          <div class="form">
            <Missing product={product} path={path} variants={data} total={pagination.total} />
            {data.length > 0 && <Matrix key={page} product={product} path={path} variants={data} />}
            {pagination.total_pages > 1 && (
              <p class="pager-links">
                <Button isSmall disabled={page === 1} onClick={() => setPage(page - 1)}>
                  Former
                </Button>
                <span>
                  Page {page} of {pagination.total_pages}
                </span>
                <Button isSmall disabled={page >= pagination.total_pages} onClick={() => setPage(page + 1)}>
                  Next
                </Button>
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

type MissingProps = {
  readonly product: Product
  readonly path: string
  readonly variants: readonly Variant[]
  readonly total: number
}

/** A combination without a variant sells at the product's price and from its stock. */
function Missing({ product, path, variants, total }: MissingProps) {
  const may = useMay()
  const [isBusy, setBusy] = useState(false)
  const combinations = product.variant_groups.reduce((count, { options }) => count * options.length, 1)
  const valid = total - variants.filter(({ is_valid }) => !is_valid).length
  const missing = combinations - valid
  if (missing <= 0 || !may('variants.generate')) return null
  const generate = async () => {
    setBusy(true)
    try {
      const { data } = await call<{ data: readonly unknown[] }>('POST', `${path}/generate`)
      invalidateQueries('/v1/products')
      showToast(`${plural(data.length, 'variant')} made`)
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <Note>
      <p>
        {total === 0
          ? `There are ${plural(combinations, 'combination')}. As long as they are no variants, all sell from the stock of the product.`
          : `${plural(missing, 'combination is', 'combinations are')} no variant yet.`}
      </p>
      <p>
        <Button kind={total === 0 ? 'primary' : 'plain'} icon="plus" isBusy={isBusy} onClick={generate}>
          {`Make ${plural(missing, 'variant')}`}
        </Button>
      </p>
    </Note>
  )
}

type MatrixProps = { readonly product: Product; readonly path: string; readonly variants: readonly Variant[] }

function Matrix({ product, path, variants }: MatrixProps) {
  const may = useMay()
  const [mode] = useMode()
  const [toDelete, setToDelete] = useState<Variant | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const canChange = may('variants.update')
  const names = new Map(product.variant_groups.flatMap(({ options }) => options.map(({ id, name }) => [id, name])))
  const nameOf = (variant: Variant) =>
    product.variant_groups.map(({ id }) => names.get(variant.options[id] ?? '') ?? '?').join(' / ')
  const columns: Column<Variant>[] = [
    {
      label: product.variant_groups.map(({ name }) => name).join(' / '),
      cell: (variant) => (
        <>
          {nameOf(variant)}
          {!variant.is_valid && (
            <Badge tone="bad">
              {variant.invalid_reason_code === 'missing_options' ? 'lacks a choice' : 'has a choice that is gone'}
            </Badge>
          )}
        </>
      ),
    },
    {
      label: 'SKU',
      cell: (variant) => (
        <Field
          name={`${variant.id}.sku`}
          label={`SKU of ${nameOf(variant)}`}
          hidesLabel
          empty="null"
          maxLength={255}
          disabled={!canChange}
        />
      ),
    },
    {
      label: 'Price',
      cell: (variant) => (
        <Field
          name={`${variant.id}.price`}
          from={`${variant.id}.price.raw`}
          label={`Price of ${nameOf(variant)}`}
          hidesLabel
          isNumber
          empty="null"
          placeholder="as the options say"
          disabled={!canChange}
        />
      ),
    },
    {
      label: `On the shelf, ${mode}`,
      cell: (variant) => (
        <Field
          name={`${variant.id}.on_hand`}
          label={`Pieces of ${nameOf(variant)} on the shelf`}
          hidesLabel
          isNumber
          inputMode="numeric"
          empty="null"
          placeholder="as the product"
          disabled={!canChange}
          {...((variant.held ?? 0) > 0 ? { hint: `${variant.held} held by payments under way` } : {})}
        />
      ),
    },
  ]
  if (may('variants.delete'))
    columns.push({
      label: '',
      phone: 'aside',
      cell: (variant) => (
        <Button
          kind="quiet"
          isSmall
          icon="close"
          label={`Delete ${nameOf(variant)}`}
          onClick={() => setToDelete(variant)}
        />
      ),
    })
  return (
    <>
      <Form
        initial={Object.fromEntries(variants.map((variant) => [variant.id, variant]))}
        {...(canChange ? { submit: 'Save the variants' } : {})}
        run={(values) => saveAll(path, values)}
        onDone={() => {
          invalidateQueries('/v1/products')
          showToast('Variants saved')
        }}
        onProblem={() => invalidateQueries('/v1/products')}
      >
        {!product.inventory.managed && (
          <p class="hint">The stock is not counted: switch “Count the stock” on above, and these numbers count.</p>
        )}
        {canChange && variants.length > 1 && <Fill box={box} />}
        <div ref={box} class="variants">
          <Table caption="Variants" rows={variants} columns={columns} keyOf={({ id }) => id} />
        </div>
      </Form>
      {toDelete !== null && (
        <ActionDialog
          title={`Delete ${nameOf(toDelete)}`}
          verb="Delete the variant"
          isDangerous
          says={['Takes this variant out, with its stock. The combination then sells from the stock of the product.']}
          run={() => call('DELETE', `${path}/${toDelete.id}`)}
          onDone={() => {
            invalidateQueries('/v1/products')
            showToast('Variant deleted')
            setToDelete(null)
          }}
          onClose={() => setToDelete(null)}
        />
      )}
    </>
  )
}

/** Fills one number into all variants that are shown. */
function Fill({ box }: { box: { readonly current: HTMLElement | null } }) {
  const [text, setText] = useState('')
  const fill = (field: string) => {
    for (const input of box.current?.querySelectorAll<HTMLInputElement>(`input[name$=".${field}"]`) ?? [])
      input.value = text
  }
  return (
    <div class="fill-line">
      <PlainField label="One number for all" isNumber value={text} onInput={setText} />
      <Button disabled={text === ''} onClick={() => fill('on_hand')}>
        Fill in as stock
      </Button>
      <Button disabled={text === ''} onClick={() => fill('price')}>
        Fill in as price
      </Button>
    </div>
  )
}

/** Saves each variant separately: one that is refused does not stop the others. */
async function saveAll(path: string, values: FormValues): Promise<void> {
  const errors: Record<string, readonly string[]> = {}
  const sentences: string[] = []
  for (const [id, body] of Object.entries(values))
    try {
      await call('PUT', `${path}/${id}`, { body })
    } catch (error) {
      const problem = problemOf(error)
      const fields = Object.entries(problem.errors)
      for (const [name, messages] of fields) errors[`${id}.${name}`] = messages
      if (fields.length === 0) sentences.push(problem.message)
    }
  const refusedCount = new Set(Object.keys(errors).map((name) => name.split('.')[0])).size + sentences.length
  if (refusedCount === 0) return
  const savedCount = Object.keys(values).length - refusedCount
  const others = savedCount === 0 ? '' : ` ${plural(savedCount, 'other was', 'others were')} saved.`
  throw new ApiProblem(
    [`${plural(refusedCount, 'variant was', 'variants were')} not saved.${others}`, ...new Set(sentences)].join(' '),
    { status: 422, errors },
  )
}

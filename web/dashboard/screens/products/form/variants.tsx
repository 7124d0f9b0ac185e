// Variants of a product: combinations of its options, with their own SKU, price and stock if set. They are edited in a table. Changed
// variants are sent in sequence, and each error is shown at its cell.

import { useRef, useState } from 'preact/hooks'
import type { Product } from '../../../../../src/api/products/schema.ts'
import type { GeneratedVariants, Variant } from '../../../../../src/api/products/variants/schema.ts'
import { ApiProblem, call, problemOf } from '../../../api.ts'
import { del, post } from '../../../parts/form/change.ts'
import { Field } from '../../../parts/form/field.tsx'
import { Form, type FormValues } from '../../../parts/form/form.tsx'
import { PlainField } from '../../../parts/form/plain-field.tsx'
import type { ListPage } from '../../../parts/list/list.tsx'
import { PageButtons } from '../../../parts/list/pager.tsx'
import { type Column, Table } from '../../../parts/list/table.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { ChangeButton } from '../../../parts/page/change-button.tsx'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { Loaded, Note, Section } from '../../../parts/page/page.tsx'
import { Badge, plural } from '../../../parts/show/values.tsx'
import { useMay, useMode } from '../../../session.tsx'
import { readAllAgain, useQuery } from '../../../use-query.ts'

export function Variants({ product }: { product: Product }) {
  const [page, setPage] = useState(1)
  const path = `/v1/products/${product.id}/variants`
  const query = useQuery<ListPage<Variant>>(`${path}?limit=100&page=${page}`, { keepsPrevious: true })
  return (
    <Section title="Variants">
      <Loaded of={query}>
        {({ data, meta: { pagination } }) => (
          <div class="form">
            <Missing product={product} path={path} variants={data} total={pagination.total} />
            {data.length > 0 && <Matrix key={page} product={product} path={path} variants={data} />}
            <PageButtons pagination={pagination} onTurn={setPage} />
          </div>
        )}
      </Loaded>
    </Section>
  )
}

type VariantsProps = { readonly product: Product; readonly path: string; readonly variants: readonly Variant[] }

/** A combination without a variant sells at the product's price and from its stock. */
function Missing({ product, path, variants, total }: VariantsProps & { readonly total: number }) {
  const combinations = product.variant_groups.reduce((count, { options }) => count * options.length, 1)
  const valid = total - variants.filter(({ is_valid }) => !is_valid).length
  const missing = combinations - valid
  const may = useMay()
  if (missing <= 0 || !may('variants.generate')) return null
  return (
    <Note>
      <p>
        {total === 0
          ? `There are ${plural(combinations, 'combination')}. As long as they are no variants, all sell from the stock of the product.`
          : `${plural(missing, 'combination is', 'combinations are')} no variant yet.`}
      </p>
      <p>
        <ChangeButton<GeneratedVariants>
          words={`Make ${plural(missing, 'variant')}`}
          kind={total === 0 ? 'primary' : 'plain'}
          icon="plus"
          request={post(`${path}/generate`)}
          done={({ data }) => `${plural(data.length, 'variant')} made`}
        />
      </p>
    </Note>
  )
}

function Matrix({ product, path, variants }: VariantsProps) {
  const may = useMay()
  const [mode] = useMode()
  const [toDelete, setToDelete] = useState<Variant | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const canChange = may('variants.update')
  const names = new Map(product.variant_groups.flatMap(({ options }) => options.map(({ id, name }) => [id, name])))
  const nameOf = (variant: Variant) =>
    product.variant_groups.map(({ id }) => names.get(variant.options[id] ?? '') ?? '?').join(' / ')
  const ownField = (variant: Variant, name: string, props: Omit<Parameters<typeof Field>[0], 'name'>) => (
    <Field {...props} name={`${variant.id}.${name}`} hidesLabel empty="null" disabled={!canChange} />
  )
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
      cell: (variant) => ownField(variant, 'sku', { label: `SKU of ${nameOf(variant)}`, maxLength: 255 }),
    },
    {
      label: 'Price',
      cell: (variant) =>
        ownField(variant, 'price', {
          label: `Price of ${nameOf(variant)}`,
          from: `${variant.id}.price.raw`,
          isNumber: true,
          placeholder: 'as the options say',
        }),
    },
    {
      label: `On the shelf, ${mode}`,
      cell: (variant) =>
        ownField(variant, 'on_hand', {
          label: `Pieces of ${nameOf(variant)} on the shelf`,
          isNumber: true,
          inputMode: 'numeric',
          placeholder: 'as the product',
          ...((variant.held ?? 0) > 0 ? { hint: `${variant.held} held by payments under way` } : {}),
        }),
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
        done="Variants saved"
        onProblem={() => readAllAgain()}
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
          says={['Takes this variant out, with its stock. The combination then sells from the stock of the product.']}
          request={del(`${path}/${toDelete.id}`)}
          done="Variant deleted"
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
    <div class="fields fill">
      <PlainField label="One number for all" isNumber value={text} onInput={setText} />
      <Button words="Fill in as stock" disabled={text === ''} onClick={() => fill('on_hand')} />
      <Button words="Fill in as price" disabled={text === ''} onClick={() => fill('price')} />
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

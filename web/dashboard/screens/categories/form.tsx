// The form of a category, new or existing: name, parent, text and pictures.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Field, Group, Select, Textarea } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { Pictures } from '../products/form/pictures.tsx'
import { DeleteCategoryDialog } from './delete-dialog.tsx'
import { type Category, type CategoryTreeData, categoryPathTo, flattenTree, useCategories } from './tree.ts'

const BACK = { href: '/dashboard/categories', label: 'Categories' }

export function CategoryScreen({ id }: ScreenProps) {
  return id === 'new' ? <NewCategory /> : <OneCategory id={id} />
}

const forget = () => invalidateQueries('/v1/categories', '/v1/products')

function NewCategory() {
  const all = useCategories()
  const { query, route } = useLocation()
  const [name, setName] = useState('')
  return (
    <Page title="New category" back={BACK}>
      <Loaded query={all}>
        {(data) => (
          <Section title="The new category" hidesTitle>
            <Form
              initial={{ parent_id: query.parent ?? '', assets: [] }}
              sendsAll
              submit="Create the category"
              run={(values) => call<Category>('POST', '/v1/categories', { body: bodyOf(values) })}
              onDone={(created) => {
                forget()
                showToast(`“${created.name}” is there`)
                route(`/dashboard/categories/${created.id}`, true)
              }}
            >
              <Field name="name" label="Name" maxLength={255} isFocused onInput={setName} />
              <SlugField value={slugOf(name)} />
              <ParentField all={data} />
              <Textarea name="description" label="Description" isOptional rows={4} />
              <Group label="Pictures">
                <Pictures />
              </Group>
            </Form>
          </Section>
        )}
      </Loaded>
    </Page>
  )
}

function OneCategory({ id }: { id: string }) {
  const path = `/v1/categories/${id}`
  const query = useQuery<Category>(path)
  const all = useCategories()
  const { route } = useLocation()
  const may = useMay()
  const canChange = may('categories.update')
  const [isDeleting, setDeleting] = useState(false)
  const ancestors = all.data === undefined ? [] : categoryPathTo(all.data, id).slice(0, -1)
  return (
    <Page
      title={query.data?.name ?? 'Category'}
      back={BACK}
      {...(ancestors.length === 0 ? {} : { intro: `Under ${ancestors.map(({ name }) => name).join(' › ')}.` })}
      actions={
        may('categories.delete') &&
        query.data !== undefined && (
          <Button kind="plain" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <Loaded query={query} back={{ ...BACK, label: 'To the categories' }}>
        {(category) => (
          <>
            <Section title="Category" hidesTitle>
              <Form
                initial={category}
                etag={query.etag}
                {...(canChange ? { submit: 'Save' } : {})}
                run={(changes, { ifMatch }) => call<Category>('PUT', path, { body: bodyOf(changes), ifMatch })}
                onDone={(saved) => {
                  forget()
                  showToast(`“${saved.name}” is saved`)
                }}
              >
                <fieldset class="form" disabled={!canChange}>
                  <legend class="unseen">The category</legend>
                  <Field name="name" label="Name" maxLength={255} />
                  <SlugField />
                  {all.data !== undefined && <ParentField all={all.data} category={category} />}
                  <Textarea name="description" label="Description" isOptional rows={4} />
                  <Group label="Pictures">
                    <Pictures />
                  </Group>
                </fieldset>
              </Form>
            </Section>
            {isDeleting && (
              <DeleteCategoryDialog
                category={category}
                all={all.data ?? []}
                onClose={() => setDeleting(false)}
                onDeleted={() => route(BACK.href)}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The API takes null for no parent; the select uses ''. */
const bodyOf = ({ parent_id, ...values }: FormValues): FormValues => ({
  ...values,
  ...(parent_id === undefined ? {} : { parent_id: parent_id === '' ? null : parent_id }),
})

function SlugField({ value }: { value?: string }) {
  return (
    <Field
      name="slug"
      label="Name in addresses"
      maxLength={100}
      hint="Small letters, digits and hyphens, as in mens-shoes. Storefronts find it by this."
      {...(value === undefined ? {} : { value })}
    />
  )
}

/** Offers every category except the category itself and those below it. */
function ParentField({ all, category }: { all: CategoryTreeData; category?: Category }) {
  const below =
    category === undefined
      ? new Set<string>()
      : new Set([category.id, ...flattenTree(all, category.id).map(({ category }) => category.id)])
  return (
    <Select
      name="parent_id"
      label="Stands under"
      options={[
        ['', 'Nothing: at the top'],
        ...flattenTree(all)
          .filter(({ category }) => !below.has(category.id))
          .map(({ category, level }) => [category.id, `${'\u2003'.repeat(level)}${category.name}`] as const),
      ]}
    />
  )
}

/** “Men’s Shoes” → mens-shoes */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 100)

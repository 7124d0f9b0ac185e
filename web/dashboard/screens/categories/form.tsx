// The form of a category, new or existing: name, parent, text and pictures.

import limits from 'limits:categories.create'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Category } from '../../../../src/api/categories/schema.ts'
import { post, put } from '../../parts/form/change.ts'
import { Field, Group, Select, Textarea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { DialogButton } from '../../parts/page/dialog.tsx'
import { ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { Pictures } from '../products/form/pictures.tsx'
import { DeleteCategoryDialog } from './delete-dialog.tsx'
import { type CategoryTreeData, categoryPathTo, flattenTree, useCategories } from './tree.ts'

const BACK = { href: '/dashboard/categories', label: 'Categories' }

export function CategoryScreen({ id }: ScreenProps) {
  return id === 'new' ? <NewCategory /> : <OneCategory id={id} />
}

function NewCategory() {
  const all = useCategories()
  const { query } = useLocation()
  const [name, setName] = useState('')
  return (
    <ObjectPage of={all} title="New category" back={BACK}>
      {(data) => (
        <Section title="The new category" hidesTitle>
          <Form
            initial={{ parent_id: query.parent ?? '', assets: [] }}
            limits={limits}
            submit="Create the category"
            request={post('/v1/categories')}
            done={(created: Category) => `“${created.name}” is there`}
            leadsTo={({ id }) => `/dashboard/categories/${id}`}
          >
            <Field name="name" label="Name" isFocused onInput={setName} />
            <SlugField value={slugOf(name)} />
            <ParentField all={data} />
            <TextAndPictures />
          </Form>
        </Section>
      )}
    </ObjectPage>
  )
}

function OneCategory({ id }: { id: string }) {
  const all = useCategories()
  const ancestors = all.data === undefined ? [] : categoryPathTo(all.data, id).slice(0, -1)
  return (
    <ObjectPage<Category>
      of={`/v1/categories/${id}`}
      title={({ name }) => name}
      untitled="Category"
      back={BACK}
      backButton="To the categories"
      intro={() => ancestors.length > 0 && `Under ${ancestors.map(({ name }) => name).join(' › ')}.`}
      actions={(category) => (
        <DialogButton
          words="Delete"
          permission="categories.delete"
          dialog={(close) => (
            <DeleteCategoryDialog category={category} all={all.data ?? []} onClose={close} leadsTo={BACK.href} />
          )}
        />
      )}
    >
      {(category, etag) => (
        <Section title="Category" hidesTitle>
          <Form
            initial={category}
            etag={etag}
            limits={limits}
            submit="Save"
            permission="categories.update"
            request={put(`/v1/categories/${id}`)}
            done={(saved: Category) => `“${saved.name}” is saved`}
          >
            <Field name="name" label="Name" />
            <SlugField />
            {all.data !== undefined && <ParentField all={all.data} category={category} />}
            <TextAndPictures />
          </Form>
        </Section>
      )}
    </ObjectPage>
  )
}

function TextAndPictures() {
  return (
    <>
      <Textarea name="description" label="Description" rows={4} />
      <Group label="Pictures">
        <Pictures />
      </Group>
    </>
  )
}

/** By default with the slug of the form's category. */
function SlugField({ value = null }: { value?: string | null }) {
  return (
    <Field
      name="slug"
      label="Name in addresses"
      hint="Small letters, digits and hyphens, as in mens-shoes. Storefronts find it by this."
      value={value}
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
      empty="null"
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

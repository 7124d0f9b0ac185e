// One level of the category tree, with everything below it. Nested lists tell screen readers the structure; keys on a name move its
// category.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Category } from '../../../../src/api/categories/schema.ts'
import { Icon, type IconName } from '../../icons.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { plural } from '../../parts/show/values.tsx'
import {
  type CategoryTreeData,
  childCategoriesOf,
  findCategoryById,
  type MoveStep,
  nextSiblingId,
  placeAfter,
  type TreePosition,
} from './tree.ts'

/** Actions on categories of the tree. */
export type TreeActions = {
  readonly canMove: boolean
  readonly closedIds: ReadonlySet<string>
  /** Id of the category with open move buttons. */
  readonly movingId: string | null
  readonly toggle: (id: string) => void
  readonly setMoving: (id: string | null) => void
  readonly onDelete: (category: Category) => void
  /** `from`: the pressed control, which keeps the focus. */
  readonly step: (id: string, step: MoveStep, from: string) => void
  readonly drop: (id: string, at: TreePosition) => void
  readonly canDrop: (id: string, at: TreePosition) => boolean
}

type BranchProps = { readonly all: CategoryTreeData; readonly under: string | null; readonly hands: TreeActions }

export function Branch({ all, under, hands }: BranchProps) {
  return (
    <ul
      class="branch"
      id={under === null ? undefined : `below-${under}`}
      {...(under === null ? { 'aria-label': 'Categories' } : {})}
    >
      {childCategoriesOf(all, under).map((category) => (
        <Leaf key={category.id} all={all} category={category} hands={hands} />
      ))}
    </ul>
  )
}

const KEYS: Readonly<Record<string, MoveStep>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
}

/** Id of the dragged category. During a drag the browser does not reveal its data. */
let draggedId: string | null = null

type Zone = 'before' | 'into' | 'after'

function Leaf({ all, category, hands }: { all: CategoryTreeData; category: Category; hands: TreeActions }) {
  const { id, name } = category
  const [zone, setZone] = useState<Zone | null>(null)
  const hasChildren = all.some(({ parent_id }) => parent_id === id)
  const isClosed = hands.closedIds.has(id)
  const isMoving = hands.movingId === id

  const placeOf = (where: Zone): TreePosition => {
    if (where === 'into') return { parent: id, before: null }
    return { parent: category.parent_id, before: where === 'before' ? id : nextSiblingId(all, category) }
  }
  const zoneAt = (event: DragEvent): Zone | null => {
    const { top, height } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const part = (event.clientY - top) / height
    const where = part < 0.3 ? 'before' : part > 0.7 ? 'after' : 'into'
    return draggedId !== null && hands.canDrop(draggedId, placeOf(where)) ? where : null
  }
  const drag = hands.canMove && {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      draggedId = id
      event.dataTransfer?.setData('text/plain', name)
    },
    onDragEnd: () => {
      draggedId = null
    },
    onDragOver: (event: DragEvent) => {
      const where = zoneAt(event)
      if (where !== null) event.preventDefault()
      setZone(where)
    },
    onDragLeave: () => setZone(null),
    onDrop: (event: DragEvent) => {
      const where = zoneAt(event)
      setZone(null)
      if (where === null || draggedId === null) return
      event.preventDefault()
      hands.drop(draggedId, placeOf(where))
    },
  }
  const [picture] = category.assets.filter(({ is_image }) => is_image)

  return (
    <li>
      <div class={`leaf${zone === null ? '' : ` drop-${zone}`}`} {...drag}>
        {hasChildren ? (
          <button
            type="button"
            class="button quiet small leaf-fold"
            aria-expanded={!isClosed}
            aria-label={`Below ${name}`}
            onClick={() => hands.toggle(id)}
          >
            <Icon name={isClosed ? 'right' : 'down'} />
          </button>
        ) : (
          <span class="leaf-fold" />
        )}
        {picture !== undefined && <img src={picture.url} alt="" loading="lazy" draggable={false} />}
        <span class="leaf-text">
          <a
            class="branch-name"
            href={`/dashboard/categories/${id}`}
            draggable={false}
            data-focus={`name ${id}`}
            {...(hands.canMove
              ? { 'aria-keyshortcuts': 'Alt+ArrowUp Alt+ArrowDown Alt+ArrowRight Alt+ArrowLeft' }
              : {})}
            onKeyDown={(event) => {
              const step = event.altKey && hands.canMove ? KEYS[event.key] : undefined
              if (step === undefined) return
              event.preventDefault()
              hands.step(id, step, 'name')
            }}
          >
            {name}
          </a>
          <span class="hint leaf-count">
            {category.products === 0 ? 'no products' : plural(category.products, 'product')}
          </span>
        </span>
        {hands.canMove && (
          <button
            type="button"
            class="button quiet small"
            aria-expanded={isMoving}
            aria-label={`Move ${name}`}
            data-focus={`move ${id}`}
            onClick={() => hands.setMoving(isMoving ? null : id)}
          >
            <Icon name="move" />
            <span class="leaf-word">Move</span>
          </button>
        )}
        <Menu
          label={`Actions for ${name}`}
          kind="quiet"
          entries={[
            { label: 'Edit', permission: 'categories.update', href: `/dashboard/categories/${id}` },
            {
              label: 'New one below',
              icon: 'plus',
              permission: 'categories.create',
              href: `/dashboard/categories/new?parent=${id}`,
            },
            {
              label: 'Delete',
              isDangerous: true,
              permission: 'categories.delete',
              onPress: () => hands.onDelete(category),
            },
          ]}
        />
      </div>
      {isMoving && <MoveBar all={all} category={category} hands={hands} />}
      {hasChildren && !isClosed && <Branch all={all} under={id} hands={hands} />}
    </li>
  )
}

/** Large enough for thumbs, and stays open for the next step. */
function MoveBar({ all, category, hands }: { all: CategoryTreeData; category: Category; hands: TreeActions }) {
  const inside = placeAfter(all, category.id, 'in')
  const above = findCategoryById(all, inside?.parent ?? null)
  const parent = findCategoryById(all, category.parent_id)
  const step = (which: MoveStep, icon: IconName, words: ComponentChildren) => {
    const isOff = placeAfter(all, category.id, which) === null
    return (
      <button
        type="button"
        class={`button small${isOff ? ' off' : ''}`}
        // A disabled button would lose the focus at the last step.
        aria-disabled={isOff || undefined}
        data-focus={`${which} ${category.id}`}
        onClick={() => hands.step(category.id, which, which)}
      >
        <Icon name={icon} />
        <span>{words}</span>
      </button>
    )
  }
  return (
    <fieldset class="move-bar" aria-label={`Move ${category.name}`}>
      {step('up', 'up', 'Up')}
      {step('down', 'lower', 'Down')}
      {step('in', 'right', above === undefined ? 'Under the one above' : `Under “${above.name}”`)}
      {step('out', 'left', parent === undefined ? 'Out' : `Out of “${parent.name}”`)}
      <Button words="Done" isSmall kind="quiet" onClick={() => hands.setMoving(null)} />
    </fieldset>
  )
}

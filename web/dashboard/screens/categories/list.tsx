// biome-ignore-all lint/a11y/noStaticElementInteractions: the keys belong to the names in it, which have the focus.
// The shop's categories as a tree. They are moved by keyboard (Alt and an arrow), by buttons, and by dragging. Each move is shown at once,
// and the requests follow in sequence.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Category } from '../../../../src/api/categories/schema.ts'
import { call, problemOf } from '../../api.ts'
import { LinkButton } from '../../parts/page/button.tsx'
import { Empty, Note, ObjectPage } from '../../parts/page/page.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { count } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { readAllAgain } from '../../use-query.ts'
import { Branch, type TreeActions } from './branch.tsx'
import { DeleteCategoryDialog } from './delete-dialog.tsx'
import {
  type CategoryTreeData,
  describePosition,
  findCategoryById,
  MOST_CATEGORIES,
  type MoveStep,
  moveCategory,
  placeAfter,
  type TreePosition,
  useCategories,
} from './tree.ts'

export function CategoryTree() {
  const query = useCategories()
  const may = useMay()
  const newButton = may('categories.create') && (
    <LinkButton words="New category" kind="primary" icon="plus" href="/dashboard/categories/new" />
  )
  return (
    <ObjectPage
      of={query}
      title="Categories"
      actions={newButton}
      intro="Shelves of your shop. A product can be in several, a category can have others below it, and storefronts show them in this order."
      ifEmpty={
        <Empty title="No categories yet" icon="categories" action={newButton}>
          <p>Shops with few products need none. With more, they are how shoppers find their way.</p>
        </Empty>
      }
    >
      {(data) => (
        <>
          {query.total > MOST_CATEGORIES && (
            <Note says={`These are the first ${count(MOST_CATEGORIES)} of ${count(query.total)}.`} />
          )}
          <Tree savedTree={data} canMove={may('categories.update')} />
        </>
      )}
    </ObjectPage>
  )
}

function Tree({ savedTree, canMove }: { savedTree: CategoryTreeData; canMove: boolean }) {
  const { tree, latest, move } = useMoves(savedTree)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [moving, setMoving] = useState<string | null>(null)
  const [toDelete, setToDelete] = useState<Category | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const focus = useRef<string | null>(null)

  // A category that moves to another branch is rendered anew there. Restore its focus before the next key can come.
  useLayoutEffect(() => {
    if (focus.current === null) return
    list.current?.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focus.current)}"]`)?.focus()
    focus.current = null
  }, [tree])

  const moveAndFocus = (id: string, at: TreePosition, focused: string) => {
    const next = move(id, at)
    if (next === null) return
    focus.current = focused
    if (at.parent !== null && closed.has(at.parent)) setClosed(without(closed, at.parent))
    showToast(describePosition(next, id))
  }
  const hands: TreeActions = {
    canMove,
    closedIds: closed,
    movingId: moving,
    toggle: (id) => setClosed(closed.has(id) ? without(closed, id) : new Set([...closed, id])),
    setMoving,
    onDelete: setToDelete,
    step: (id, step: MoveStep, from) => {
      const at = placeAfter(latest.current, id, step)
      if (at !== null) moveAndFocus(id, at, `${from} ${id}`)
    },
    drop: (id, at) => moveAndFocus(id, at, `name ${id}`),
    canDrop: (id, at) => moveCategory(tree, id, at) !== null,
  }
  return (
    <>
      <div class="section tree" ref={list} onKeyDown={moveFocus}>
        <Branch all={tree} under={null} hands={hands} />
      </div>
      {canMove && (
        <p class="hint tree-help">
          To move one, press its Move button.
          <span class="with-keys">
            {' '}
            Or drag it, or hold Alt and press an arrow on its name: up, down, right to put it under the one above, left
            to take it out.
          </span>
        </p>
      )}
      {toDelete !== null && <DeleteCategoryDialog category={toDelete} all={tree} onClose={() => setToDelete(null)} />}
    </>
  )
}

const without = (ids: ReadonlySet<string>, id: string) => new Set([...ids].filter((each) => each !== id))

/** Arrows without Alt move the focus from name to name. */
function moveFocus(event: KeyboardEvent) {
  if (event.altKey || !['ArrowUp', 'ArrowDown'].includes(event.key)) return
  const names = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.branch-name')]
  const at = names.indexOf(document.activeElement as HTMLElement)
  if (at === -1) return
  event.preventDefault()
  names[at + (event.key === 'ArrowUp' ? -1 : 1)]?.focus()
}

/** The tree as it will be when all moves are saved. */
function useMoves(savedTree: CategoryTreeData) {
  const [ahead, setAhead] = useState<CategoryTreeData | null>(null)
  const chain = useRef(Promise.resolve())
  const running = useRef(0)
  /** Two keys can arrive before the first move is rendered. */
  const latest = useRef(savedTree)
  const tree = ahead ?? savedTree
  latest.current = tree

  /** Value at render time: data that was read during a move may be older than the move. */
  const isSettled = running.current === 0
  useEffect(() => {
    if (isSettled && running.current === 0) setAhead(null)
  }, [savedTree.map(({ id, parent_id }) => `${id} ${parent_id}`).join()])

  const move = (id: string, at: TreePosition): CategoryTreeData | null => {
    const next = moveCategory(latest.current, id, at)
    if (next === null) return null
    const isSameParent = findCategoryById(latest.current, id)?.parent_id === at.parent
    const body = isSameParent ? { before: at.before } : { parent_id: at.parent, before: at.before }
    latest.current = next
    setAhead(next)
    running.current += 1
    const send = async () => {
      try {
        await call('PUT', `/v1/categories/${id}`, { body })
      } catch (error) {
        showToast(`It could not be moved: ${problemOf(error).message}`, 'bad')
        setAhead(null)
      }
      running.current -= 1
      if (running.current === 0) readAllAgain()
    }
    chain.current = chain.current.then(send)
    return next
  }
  return { tree, latest, move }
}

// Actions for several products at once. Each is changed separately: one that is refused does not stop the others.

import { useState } from 'preact/hooks'
import type { Product } from '../../../../../src/api/products/schema.ts'
import { call, problemOf } from '../../../api.ts'
import type { List, ListPage } from '../../../parts/list/list.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { DialogButton } from '../../../parts/page/dialog.tsx'
import { lazyPart } from '../../../parts/page/later.tsx'
import { Menu } from '../../../parts/page/menu.tsx'
import { showToast } from '../../../parts/page/toast.tsx'
import { plural } from '../../../parts/show/values.tsx'
import type { BatchChange } from './change-dialog.tsx'

const ChangeDialog = lazyPart(async () => (await import('./change-dialog.tsx')).ChangeDialog)

/** Limit for one batch. */
const MOST = 200

type ChosenProps = {
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
  readonly list: List<Product>
}

export function ChosenProductsBar({ chosen, onChoose, list: { rows, total, question } }: ChosenProps) {
  const [isBusy, setBusy] = useState(false)
  if (chosen.size === 0) return null
  const isPageFull = rows.every(({ id }) => chosen.has(id))
  const most = Math.min(total, MOST)
  const chooseAll = async () => {
    setBusy(true)
    try {
      const { data } = await call<ListPage<Product>>('GET', `/v1/products?${question}&limit=${MOST}`)
      onChoose(new Set(data.map(({ id }) => id)))
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  const dialogOf = (change: BatchChange) => (close: () => void) => (
    <ChangeDialog change={change} ids={[...chosen]} onClose={close} />
  )
  return (
    <div class="chosen-bar">
      <p role="status">{plural(chosen.size, 'product')} chosen</p>
      {chosen.size > MOST ? (
        <p class="wrong-text">At most {MOST} can be changed at once.</p>
      ) : (
        <>
          <DialogButton words="Price" isSmall icon="money" dialog={dialogOf('price')} />
          <DialogButton words="Stock" isSmall icon="box" dialog={dialogOf('stock')} />
          <Menu
            label="More changes"
            entries={[
              { label: 'Categories', icon: 'filter', dialog: dialogOf('categories') },
              { label: 'Put on sale', icon: 'check', dialog: dialogOf('on') },
              { label: 'Switch off', icon: 'circle', dialog: dialogOf('off') },
              {
                label: 'Delete',
                icon: 'close',
                isDangerous: true,
                permission: 'products.delete',
                dialog: dialogOf('delete'),
              },
            ]}
          >
            <span>More changes</span>
          </Menu>
        </>
      )}
      {isPageFull && chosen.size < most && (
        <Button
          words={total > MOST ? `Choose the first ${MOST} of ${total}` : `Choose all ${total}`}
          isSmall
          kind="quiet"
          isBusy={isBusy}
          onClick={chooseAll}
        />
      )}
      <Button words="Choose none" isSmall kind="quiet" onClick={() => onChoose(new Set())} />
    </div>
  )
}

// Actions for several products at once. Each is changed separately: one that is refused does not stop the others.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call, problemOf } from '../../../api.ts'
import { Button } from '../../../parts/page/button.tsx'
import { lazyPart } from '../../../parts/page/later.tsx'
import { Menu } from '../../../parts/page/menu.tsx'
import { showToast } from '../../../parts/page/toast.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { useMay } from '../../../session.tsx'
import { invalidateQueries } from '../../../use-query.ts'
import type { Product, ProductListPage } from '../product.ts'
import { type Batch, batchScreen, rememberBatch } from './batch.ts'
import type { BatchChange } from './change-dialog.tsx'

const ChangeDialog = lazyPart(async () => (await import('./change-dialog.tsx')).ChangeDialog)

/** Limit for one batch. */
const MOST = 200

type ChosenProps = {
  readonly chosen: ReadonlySet<string>
  readonly shown: readonly Product[]
  readonly total: number
  /** Filters of the list, as the API takes them. */
  readonly question: string
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

export function ChosenProductsBar({ chosen, shown, total, question, onChoose }: ChosenProps) {
  const may = useMay()
  const { route } = useLocation()
  const [change, setChange] = useState<BatchChange | null>(null)
  const [isBusy, setBusy] = useState(false)
  if (chosen.size === 0 || !may('products.create_batch')) return null
  const isPageFull = shown.every(({ id }) => chosen.has(id))
  const most = Math.min(total, MOST)
  const chooseAll = async () => {
    setBusy(true)
    try {
      const { data } = await call<ProductListPage<Product>>('GET', `/v1/products?${question}&limit=${MOST}`)
      onChoose(new Set(data.map(({ id }) => id)))
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  const things = plural(chosen.size, 'product')
  return (
    <div class="chosen-bar">
      <p role="status">{things} chosen</p>
      {chosen.size > MOST ? (
        <p class="wrong-text">At most {MOST} can be changed at once.</p>
      ) : (
        <>
          <Button isSmall icon="money" onClick={() => setChange('price')}>
            Price
          </Button>
          <Button isSmall icon="box" onClick={() => setChange('stock')}>
            Stock
          </Button>
          <Menu
            label="More changes"
            entries={[
              { label: 'Categories', icon: 'filter', onPress: () => setChange('categories') },
              { label: 'Put on sale', icon: 'check', onPress: () => setChange('on') },
              { label: 'Switch off', icon: 'circle', onPress: () => setChange('off') },
              ...(may('products.delete')
                ? [{ label: 'Delete', icon: 'close' as const, isDangerous: true, onPress: () => setChange('delete') }]
                : []),
            ]}
          >
            <span>More changes</span>
          </Menu>
        </>
      )}
      {isPageFull && chosen.size < most && (
        <Button isSmall kind="quiet" isBusy={isBusy} onClick={chooseAll}>
          {total > MOST ? `Choose the first ${MOST} of ${total}` : `Choose all ${total}`}
        </Button>
      )}
      <Button isSmall kind="quiet" onClick={() => onChoose(new Set())}>
        Choose none
      </Button>
      {change !== null && (
        <ChangeDialog
          change={change}
          ids={[...chosen]}
          onClose={() => setChange(null)}
          onDone={(batch: Batch) => {
            setChange(null)
            rememberBatch(batch.id)
            invalidateQueries('/v1/products?')
            route(batchScreen(batch.id))
          }}
        />
      )}
    </div>
  )
}

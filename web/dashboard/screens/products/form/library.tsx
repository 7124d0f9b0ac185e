// Dialog to add pictures that the shop already has.

import { useState } from 'preact/hooks'
import type { Asset } from '../../../../../src/api/assets/schema.ts'
import type { ListPage } from '../../../parts/list/list.tsx'
import { PageButtons } from '../../../parts/list/pager.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { Dialog } from '../../../parts/page/dialog.tsx'
import { Empty, Loaded } from '../../../parts/page/page.tsx'
import { useQuery } from '../../../use-query.ts'

type LibraryProps = {
  readonly without: readonly string[]
  readonly onPick: (picked: Asset) => void
  readonly onClose: () => void
}

export function Library({ without, onPick, onClose }: LibraryProps) {
  const [page, setPage] = useState(1)
  const query = useQuery<ListPage<Asset>>(`/v1/assets?limit=60&page=${page}`, { keepsPrevious: true })
  return (
    <Dialog title="Choose from your files" onClose={onClose} isWide>
      <Loaded of={query}>
        {({ data, meta: { pagination } }) => {
          const pictures = data.filter((each) => each.is_image && !each.pending && !each.private)
          return (
            <>
              {pictures.length === 0 && <Empty title="No pictures here" icon="box" />}
              <ul class="file-grid pictures">
                {pictures.map((each) => {
                  const isChosen = without.includes(each.id)
                  return (
                    <li key={each.id} class="file-card stack tight">
                      <img src={each.url} alt={each.filename} loading="lazy" />
                      <Button
                        words={isChosen ? 'Added' : 'Add'}
                        isSmall
                        disabled={isChosen}
                        label={`Add ${each.filename}`}
                        onClick={() => onPick(each)}
                      />
                    </li>
                  )
                })}
              </ul>
              <div class="dialog-foot">
                <PageButtons pagination={pagination} onTurn={setPage} />
                <Button words="Done" kind="primary" onClick={onClose} />
              </div>
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

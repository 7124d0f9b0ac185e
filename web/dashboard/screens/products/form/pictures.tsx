// Pictures of a product, in order; the first one leads. They are moved by dragging and by buttons. They are uploaded here, or chosen from
// the shop's files.

import { useRef, useState } from 'preact/hooks'
import type { Asset } from '../../../../../src/api/assets/schema.ts'
import type { Product } from '../../../../../src/api/products/schema.ts'
import { Icon } from '../../../icons.tsx'
import { useHeldValue, WrongText } from '../../../parts/form/held-value.tsx'
import { UploadBox } from '../../../parts/form/upload.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { DialogButton } from '../../../parts/page/dialog.tsx'
import { lazyPart } from '../../../parts/page/later.tsx'
import { plural } from '../../../parts/show/values.tsx'

type Picture = Pick<Asset, 'id' | 'url' | 'filename'> & Partial<Pick<Asset, 'is_image'>>

const Library = lazyPart(async () => (await import('./library.tsx')).Library)

export function Pictures() {
  const { value, set, control, errors } = useHeldValue<readonly Picture[]>({
    name: 'assets',
    label: 'Pictures',
    from: ({ assets = [] }: Product) => assets,
    sent: (pictures) => pictures.map(({ id }) => id),
    say: (pictures) => plural(pictures.length, 'picture'),
  })
  const [draggedId, setDraggedId] = useState<string | null>(null)
  /** Other uploads may end first, so each adds its picture to the latest list. */
  const latest = useRef(value)
  latest.current = value
  const add = (picture: Picture) => {
    if (latest.current.some(({ id }) => id === picture.id)) return
    latest.current = [...latest.current, picture]
    set(latest.current)
  }
  const move = (id: string, to: number) => {
    const target = value.find((picture) => picture.id === id)
    if (target === undefined || to < 0 || to >= value.length) return
    set(value.filter((picture) => picture.id !== id).toSpliced(to, 0, target))
  }
  return (
    <div class="form">
      {control}
      {value.length > 0 && (
        <ol class="file-grid pictures" aria-label="Pictures in their order">
          {value.map((picture, index) => {
            const name = `picture ${index + 1}`
            return (
              <li
                key={picture.id}
                class={`file-card stack tight ${picture.id === draggedId ? 'dragged' : ''}`}
                draggable
                onDragStart={(event) => {
                  event.dataTransfer?.setData('text/plain', picture.id)
                  setDraggedId(picture.id)
                }}
                onDragEnter={() => draggedId !== null && draggedId !== picture.id && move(draggedId, index)}
                onDragOver={(event) => draggedId !== null && event.preventDefault()}
                onDrop={(event) => draggedId !== null && event.preventDefault()}
                onDragEnd={() => setDraggedId(null)}
              >
                {picture.is_image === false ? (
                  <span class="no-picture">
                    <Icon name="orders" />
                    {picture.filename}
                  </span>
                ) : (
                  <img src={picture.url} alt={picture.filename} draggable={false} />
                )}
                {index === 0 && <span class="badge calm picture-first">First</span>}
                <span class="picture-buttons">
                  <Button
                    kind="quiet"
                    isSmall
                    icon="left"
                    label={`Move ${name} forward`}
                    disabled={index === 0}
                    onClick={() => move(picture.id, index - 1)}
                  />
                  <Button
                    kind="quiet"
                    isSmall
                    icon="right"
                    label={`Move ${name} back`}
                    disabled={index === value.length - 1}
                    onClick={() => move(picture.id, index + 1)}
                  />
                  <Button
                    kind="quiet"
                    isSmall
                    icon="close"
                    label={`Take ${name} out`}
                    onClick={() => set(value.filter(({ id }) => id !== picture.id))}
                  />
                </span>
              </li>
            )
          })}
        </ol>
      )}
      <WrongText errors={errors} />
      <UploadBox label="Add pictures" accept="image/*" takesPaste onDone={add} />
      <p>
        <DialogButton
          words="Choose from your files"
          isSmall
          kind="quiet"
          dialog={(close) => <Library without={value.map(({ id }) => id)} onPick={add} onClose={close} />}
        />
      </p>
    </div>
  )
}

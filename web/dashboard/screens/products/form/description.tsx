// The text about a product. It may hold HTML, which is edited as text; how it looks is shown in a frame of its own, in which no script runs and
// nothing of the dashboard can be reached.

import { useContext, useEffect, useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { Textarea } from '../../../parts/field.tsx'
import { FormContext, pick } from '../../../parts/form.tsx'

export function Description() {
  const { initial } = useContext(FormContext)
  const [typed, setTyped] = useState<string | null>(null)
  const [isShown, setShown] = useState(false)
  const text = typed ?? String(pick(initial, 'description') ?? '')
  return (
    <>
      <Textarea
        name="description"
        label="Description"
        isOptional
        rows={6}
        maxLength={65_535}
        hint="Plain text or HTML."
        onInput={setTyped}
      />
      {text.trim() !== '' && (
        <div class="preview-part">
          <Button isSmall onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide how it looks' : 'Show how it looks'}
          </Button>
          {isShown && <Preview text={text} />}
        </div>
      )}
    </>
  )
}

const HEAD = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
const TYPING_MS = 300

/** A file of the browser's own, as no script of ours writes HTML into a page. */
function Preview({ text }: { text: string }) {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    let made: string | null = null
    const timer = setTimeout(() => {
      made = URL.createObjectURL(new Blob([HEAD, text], { type: 'text/html' }))
      setAddress(made)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [text])
  if (address === null) return null
  return <iframe class="preview" sandbox="" src={address} title="How the description looks" />
}

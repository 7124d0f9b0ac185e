// The description of a product. It may contain HTML, which is edited as text. The preview is a frame that runs no scripts and cannot reach
// the dashboard.

import { useContext, useEffect, useState } from 'preact/hooks'
import { Textarea } from '../../../parts/form/field.tsx'
import { FormContext, valueAtPath } from '../../../parts/form/form.tsx'
import { Button } from '../../../parts/page/button.tsx'

export function Description() {
  const { initial } = useContext(FormContext)
  const [typedText, setTypedText] = useState<string | null>(null)
  const [isShown, setShown] = useState(false)
  const text = typedText ?? String(valueAtPath(initial, 'description') ?? '')
  return (
    <>
      <Textarea name="description" label="Description" rows={6} hint="Plain text or HTML." onInput={setTypedText} />
      {text.trim() !== '' && (
        <div class="preview-part">
          <Button
            words={isShown ? 'Hide how it looks' : 'Show how it looks'}
            isSmall
            onClick={() => setShown(!isShown)}
          />
          {isShown && <Preview text={text} />}
        </div>
      )}
    </>
  )
}

const HEAD = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
const TYPING_MS = 300

/** Shows a file made in the browser, because no script of ours writes HTML into a page. */
function Preview({ text }: { text: string }) {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    let url: string | null = null
    const timer = setTimeout(() => {
      url = URL.createObjectURL(new Blob([HEAD, text], { type: 'text/html' }))
      setAddress(url)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      if (url !== null) URL.revokeObjectURL(url)
    }
  }, [text])
  if (address === null) return null
  return <iframe class="preview" sandbox="" src={address} title="How the description looks" />
}

// Shows something once and never again: a secret key, a signing key, backup codes. Closing it without copying asks first.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, CopyButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Note } from './page.tsx'

type OnceProps = {
  readonly title: string
  /** Name of the content: "Secret key", "Spare codes". */
  readonly what: string
  readonly text: string
  /** Sentence about what to do with the content. */
  readonly intro: ComponentChildren
  /** True if the content is several things: "they are not shown again". */
  readonly isMany?: boolean
  /** True if the content can be shown again; closing then does not ask. */
  readonly isLasting?: boolean
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export function OnceDialog({
  title,
  what,
  text,
  intro,
  isMany = false,
  isLasting = false,
  onClose,
  children,
}: OnceProps) {
  const [isKept, setKept] = useState(isLasting)
  const [isAsking, setAsking] = useState(false)
  const it = isMany ? 'them' : 'it'
  return (
    <Dialog title={title} isWide onClose={() => (isKept ? onClose() : setAsking(true))}>
      <div class="once">
        <p>{intro}</p>
        <pre class="once-text" data-secret>
          <code>{text}</code>
        </pre>
        <p class="once-copy">
          <CopyButton words="Copy" text={text} what={what} onCopied={() => setKept(true)} />
        </p>
        {children}
        {isAsking ? (
          <div role="alert">
            <Note
              tone="open"
              says={`You have not copied ${it}. Once this is closed nobody can see ${it} again, not even we. Close all the same?`}
            />
          </div>
        ) : isLasting ? null : (
          <p class="hint">
            {isMany ? 'They are' : 'It is'} shown this once. We keep nothing that {isMany ? 'they' : 'it'} could be read
            from.
          </p>
        )}
      </div>
      <div class="dialog-foot">
        {isAsking ? (
          <>
            <Button words={`Go back to ${it}`} onClick={() => setAsking(false)} />
            <Button words={`Close without ${it}`} kind="danger" onClick={onClose} />
          </>
        ) : (
          <Button words={isLasting ? 'Done' : `I have kept ${it}`} kind="primary" onClick={onClose} />
        )}
      </div>
    </Dialog>
  )
}

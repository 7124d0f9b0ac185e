// Appears above a form if somebody else has saved its object meanwhile. It lists their changes. For fields that both have changed, the user
// keeps one value or takes the other. Nothing is sent before the user saves again.

import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../page/button.tsx'
import { type Control, controlLabel, controlText, resetControl, restoreControl } from './controls.ts'

export type Difference = {
  readonly control: Control
  /** True if the user has also changed the field. */
  readonly isMine: boolean
  readonly theirs: string
}

export function Conflict({ differences }: { differences: readonly Difference[] }) {
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    note.current?.focus()
    note.current?.scrollIntoView({ block: 'center' })
  }, [differences])
  const isContested = differences.some(({ isMine }) => isMine)
  return (
    <div class="message open conflict" role="alert" tabIndex={-1} ref={note}>
      <p>
        <strong>Somebody else has saved this while you were editing it.</strong> Nothing you typed is lost.{' '}
        {isContested
          ? 'Look at what both of you changed, then save again.'
          : 'Look at what they changed, then save again.'}
      </p>
      <ul>
        {differences.map((difference) => (
          <li key={difference.control.name}>
            <DifferenceLine {...difference} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function DifferenceLine({ control, isMine, theirs }: Difference) {
  const [mine] = useState(() => controlText(control))
  const [isTheirs, setTheirs] = useState(false)
  const label = controlLabel(control)
  const value = <q>{theirs === '' ? 'nothing' : theirs}</q>
  if (!isMine)
    return (
      <>
        <strong>{label}</strong> is now {value}.
      </>
    )
  const choose = (takes: boolean) => {
    if (takes) resetControl(control)
    else restoreControl(control, mine)
    setTheirs(takes)
  }
  return (
    <span class="row apart">
      <span>
        <strong>{label}</strong>: they wrote {value}. {isTheirs ? 'Theirs is taken.' : 'Yours is kept.'}
      </span>
      <Button
        words={isTheirs ? `Put mine back: ${label}` : `Take theirs: ${label}`}
        isSmall
        onClick={() => choose(!isTheirs)}
      />
    </span>
  )
}

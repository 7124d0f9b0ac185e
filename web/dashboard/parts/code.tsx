// Text that machines read: a payload, headers, lines to paste. It is shown as text, never as HTML, and can be copied.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from './button.tsx'
import { Section } from './page.tsx'

type CodeProps = {
  readonly text: string
  /** What it is, above it and when it was copied: "Payload". */
  readonly what: string
  /** Under a heading that says what it is, and has the button to copy. */
  readonly isBare?: boolean
}

export function Code({ text, what, isBare = false }: CodeProps) {
  return (
    <figure class="code">
      {!isBare && (
        <figcaption>
          <span>{what}</span>
          <CopyButton text={text} what={what} />
        </figcaption>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would lose the blanks. */}
      <pre tabIndex={0} role="region" aria-label={what}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}

/** A sheet with code alone. */
export function CodeSection({ text, what, title = what }: { text: string; what: string; title?: string }) {
  return (
    <Section title={title} actions={<CopyButton text={text} what={what} />}>
      <Code text={text} what={what} isBare />
    </Section>
  )
}

/** Indented, where it is JSON; as it is where it was cut. */
export const jsonText = (of: unknown): string => (typeof of === 'string' ? of : JSON.stringify(of, null, 2))

/** A sentence with `names` between backticks, as the API's own texts write them. */
export function Sentence({ of }: { of: string }) {
  return <>{of.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}

type SamplesProps = {
  readonly label: string
  readonly of: Readonly<Record<string, string>>
  readonly children?: ComponentChildren
}

/** The same in several languages. */
export function Samples({ label, of, children }: SamplesProps) {
  const names = Object.keys(of)
  const [chosen, setChosen] = useState(names[0] ?? '')
  return (
    <div class="samples">
      <fieldset class="switch">
        <legend class="unseen">{label}</legend>
        {names.map((name) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => setChosen(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      {children}
      <Code text={of[chosen] ?? ''} what={`${label}, ${chosen}`} />
    </div>
  )
}

// Machine-readable text: a payload, headers, sample code. It is shown as text, never as HTML, and can be copied.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../page/button.tsx'
import { Section } from '../page/page.tsx'

type CodeProps = {
  readonly text: string
  /** Name of the text above it, and in the message after copying: "Payload". */
  readonly what: string
  /** Without the caption, because a heading above has the name and the copy button. */
  readonly isBare?: boolean
}

export function CodeBlock({ text, what, isBare = false }: CodeProps) {
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

/** A section that contains only code. */
export function CodeSection({ text, what, title = what }: { text: string; what: string; title?: string }) {
  return (
    <Section title={title} actions={<CopyButton text={text} what={what} />}>
      <CodeBlock text={text} what={what} isBare />
    </Section>
  )
}

/** Formats JSON with indentation. A string, for example truncated JSON, stays as it is. */
export const indentedJson = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** Renders `names` between backticks as code, as the API's texts write them. */
export function Sentence({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}

type SamplesProps = {
  readonly label: string
  readonly samples: Readonly<Record<string, string>>
  readonly children?: ComponentChildren
}

/** The same sample in several languages. */
export function Samples({ label, samples, children }: SamplesProps) {
  const names = Object.keys(samples)
  const [chosenName, setChosenName] = useState(names[0] ?? '')
  return (
    <div class="samples">
      <fieldset class="switch">
        <legend class="unseen">{label}</legend>
        {names.map((name) => (
          <button key={name} type="button" aria-pressed={name === chosenName} onClick={() => setChosenName(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      {children}
      <CodeBlock text={samples[chosenName] ?? ''} what={`${label}, ${chosenName}`} />
    </div>
  )
}

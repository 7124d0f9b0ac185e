// A part of a screen that is loaded after the screen is there: what is large and not seen at once.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Note } from './page.tsx'
import { Skeleton } from './states.tsx'

/** `const Variants = later(async () => (await import('./variants.tsx')).Variants)`, at the top of a file. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return function Later(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (loaded !== null) return
      load().then(
        (part) => {
          loaded = part
          setPart(() => part)
        },
        () => setFailed(true),
      )
    }, [])
    if (hasFailed)
      return (
        <Note tone="bad">
          <p>A part of this page could not be loaded. Save what you have typed, then load the page again.</p>
        </Note>
      )
    return Part === null ? <Skeleton lines={3} /> : <Part {...props} />
  }
}

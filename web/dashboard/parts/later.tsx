// Loads a part of a screen after the screen itself, because the part is large and not visible at once.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Note } from './page.tsx'
import { Skeleton } from './states.tsx'

/** Use at the top of a file: `const Variants = lazyPart(async () => (await import('./variants.tsx')).Variants)`. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loadedPart: ComponentType<Props> | null = null
  return function Later(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loadedPart)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (loadedPart !== null) return
      load().then(
        (part) => {
          loadedPart = part
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

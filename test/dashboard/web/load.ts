// Modules of web/dashboard without a browser. They are typed for the DOM, so tests name the parts they call.

import { afterAll, vi } from 'vitest'

const heard = new Map<string, Set<() => void>>()

/** Imports a module. Its page-wide listeners are kept here, for `happen`. */
export async function loadWeb<T>(path: string): Promise<T> {
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) =>
    heard.set(name, (heard.get(name) ?? new Set()).add(listener)),
  )
  vi.stubGlobal('removeEventListener', (name: string, listener: () => void) => heard.get(name)?.delete(listener))
  afterAll(() => void vi.unstubAllGlobals())
  return (await import(new URL(`../../../web/dashboard/${path}`, import.meta.url).href)) as T
}

/** Has an event of the window happen, such as `online`. */
export const happen = (name: string) => {
  for (const listener of heard.get(name) ?? []) listener()
}

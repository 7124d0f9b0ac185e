// Waits for a state, keeps others waiting, and listens on a free port.

import type { AddressInfo, Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export { pause }

/** Looks again and again until it is so. Fails after a minute. */
export async function until(isSo: () => boolean | Promise<boolean>, what = 'what was waited for'): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`This never happened: ${what}.`)
    await pause(5)
  }
}

/** A promise to be resolved by hand, to keep something waiting. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Starts listening, and returns the port. */
export async function listenOn(server: Pick<Server, 'listen' | 'address'>, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

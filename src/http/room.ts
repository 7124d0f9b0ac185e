// Requests that there is no room for: what strangers would write while the disk is nearly full, and what the sandbox of a shop holds enough
// of. Refused before anything is read: PostgreSQL must never come to the end of the disk. Whoever has a secret key may go on, to make room.

import { sandboxFull, unavailable } from '../lib/errors.ts'
import type { Caller, Disk, Endpoint } from './endpoint.ts'

/** When it may be worth another try: making room takes a person. */
const RETRY_SECONDS = 60

export const noRoom = () =>
  unavailable('The server is short of disk space and saves nothing more at the moment. Try again later.', RETRY_SECONDS)

export function refuseWithoutRoom({ method, writes, makes }: Endpoint, caller: Caller, disk: Disk) {
  if (caller.isSecret) return
  if (disk.isShort() && (method !== 'GET' || writes)) throw noRoom()
  if (makes !== undefined && caller.isSandbox && caller.fullSandbox?.includes(makes)) throw sandboxFull(makes)
}

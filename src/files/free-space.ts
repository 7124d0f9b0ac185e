// Measures the free space on the data folder's disk once a second. Callers read the latest result at no cost.

import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

type FreeSpaceOptions = {
  folder: string
  /** Below it the disk counts as short of space. 0: never. */
  leastBytes: number
  everyMs?: number
  log: Record<'info' | 'error', (details: object, message: string) => void>
}

type FreeSpace = {
  isShort(): boolean
  stop(): void
}

const EVERY_MS = 1_000
/**
 * The disk counts as short until its free space exceeds the limit by this factor. Otherwise every file near the limit would flip the state.
 */
const RECOVERY_FACTOR = 1.05

/** Measures once before it resolves, so that the first request gets a true answer. */
export async function watchFreeSpace(options: FreeSpaceOptions): Promise<FreeSpace> {
  const { folder, leastBytes, everyMs = EVERY_MS, log } = options
  if (leastBytes === 0) return { isShort: () => false, stop: () => undefined }
  let isShort = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  async function measure() {
    const { bavail, bsize } = await statfs(nearestExisting(folder))
    const free = bavail * bsize
    const wasShort = isShort
    isShort = free < leastBytes * (wasShort ? RECOVERY_FACTOR : 1)
    const details = { free_mb: Math.floor(free / 1_048_576), least_mb: Math.floor(leastBytes / 1_048_576) }
    if (isShort && !wasShort)
      log.error(
        details,
        'The disk of the data folder is nearly full: requests with public keys cannot save anything, and files are refused.',
      )
    if (!isShort && wasShort) log.info(details, 'The disk of the data folder has enough free space again.')
  }

  async function measureAgain() {
    // A failed measurement does not mean a full disk. Other errors will show what is wrong with it.
    await measure().catch(() => undefined)
    if (!isStopped) timer = setTimeout(measureAgain, everyMs).unref()
  }

  await measureAgain()
  return {
    isShort: () => isShort,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** With an external database, the folder is created with the first file. */
const nearestExisting = (folder: string): string => (existsSync(folder) ? folder : nearestExisting(dirname(folder)))

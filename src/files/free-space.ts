// Watches how much room the disk of the data folder has, by asking the system once a second: whoever has to know asks here, at no cost.

import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

type FreeSpaceOptions = {
  folder: string
  /** Below it the disk is short. 0: never. */
  leastBytes: number
  everyMs?: number
  log: Record<'info' | 'error', (details: object, message: string) => void>
}

type FreeSpace = {
  isShort(): boolean
  stop(): void
}

const EVERY_MS = 1_000
/** Short until there is so much more than the mark: at the mark itself it would change its mind with every file. */
const AMPLE = 1.05

/** Measures once before it resolves, so that the first request is told the truth. */
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
    isShort = free < leastBytes * (wasShort ? AMPLE : 1)
    const details = { free_mb: Math.floor(free / 1_048_576), least_mb: Math.floor(leastBytes / 1_048_576) }
    if (isShort && !wasShort)
      log.error(
        details,
        'The disk of the data folder is nearly full: public keys save nothing more, and no files are taken.',
      )
    if (!isShort && wasShort) log.info(details, 'The disk of the data folder has room again.')
  }

  async function measureAgain() {
    // A disk that cannot be asked is not thereby full; what is wrong with it shows elsewhere.
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

/** With a database elsewhere the folder is made when the first file comes. */
const nearestExisting = (folder: string): string => (existsSync(folder) ? folder : nearestExisting(dirname(folder)))

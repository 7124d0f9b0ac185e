// What happens to files later: those of deleted assets are removed, and what nobody finished or nobody knows is swept.

import { removeAbandoned } from '../../files/receive.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { announce } from './asset.ts'
import { ownerOf, REMOVE_FILE, removeFileLater } from './file.ts'
import { deletePendingBefore, listUsedKeys } from './store.ts'

const DAY_MS = 86_400_000

const aDayBefore = (moment: Date) => new Date(moment.getTime() - DAY_MS)

/** Removing a file that is gone already is fine, so a repeated run does no harm. */
export const removeFile = ({ files }: Services): JobHandler<{ key: string }> => ({
  kind: REMOVE_FILE,
  handle: ({ payload }) => files.store.remove(payload.key),
})

const PENDING_BATCH = 100

/** Uploads that were announced and not finished within a day. */
export const sweepPendingAssets = ({ publicUrl }: Services): Sweep => ({
  name: 'pending-assets',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    let total = 0
    while (!signal.aborted) {
      const deleted = await db.transaction(async (tx) => {
        const rows = await deletePendingBefore(tx, aDayBefore(clock.now()), PENDING_BATCH)
        for (const row of rows) {
          await removeFileLater(tx, clock, { merchantId: row.merchant_id }, row.file_key)
          // No request, no host: without PUBLIC_URL the address in this event is a bare path.
          await announce(tx, 'delete', row, publicUrl ?? '', clock.now())
        }
        return rows.length
      })
      total += deleted
      if (deleted < PENDING_BATCH) break
    }
    return total
  },
})

const KEYS_BATCH = 500

/**
 * Files that no row names: a process died between storing a file and its row, or a merchant was deleted with all its rows; and the
 * temporary ones of a process that died earlier still. A day old at least, because a file is there a moment before its row is. Files
 * that are not named as ours are left alone.
 */
export const sweepUnknownFiles = ({ files }: Services): Sweep => ({
  name: 'unknown-files',
  everySeconds: 86_400,
  async run({ db, clock, signal }) {
    const moment = aDayBefore(clock.now())
    let removed = (await removeAbandoned(files.incoming, moment)) + (await files.store.removeUnfinished(moment))
    let after: string | null = null
    while (!signal.aborted) {
      const keys: string[] = await files.store.listOlderThan(moment, after, KEYS_BATCH)
      const owned = keys.flatMap((key) => ownerOf(key) ?? [])
      const used = new Set(owned.length === 0 ? [] : await listUsedKeys(db, owned))
      for (const key of keys) {
        if (used.has(key) || ownerOf(key) === null) continue
        await files.store.remove(key)
        removed += 1
      }
      after = keys.at(-1) ?? null
      if (keys.length < KEYS_BATCH) break
    }
    return removed
  },
})

// Removes files of deleted assets, assets whose upload was never finished, and files that no row refers to.

import { removeAbandoned } from '../../files/receive.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { emitAssetEvent } from './asset.ts'
import { parseFileKey, REMOVE_FILE, removeFileLater } from './file.ts'
import { deletePendingBefore, listUsedKeys } from './store.ts'

const DAY_MS = 86_400_000

const aDayBefore = (moment: Date) => new Date(moment.getTime() - DAY_MS)

/** Removing a missing file succeeds, so the job can run twice. */
export const removeFile = ({ files }: Services): JobHandler<{ key: string }> => ({
  kind: REMOVE_FILE,
  handle: ({ payload }) => files.store.remove(payload.key),
})

const PENDING_BATCH = 100

/** Deletes assets whose upload was not finished within a day. */
export const sweepPendingAssets = ({ publicUrl }: Services): Sweep => ({
  name: 'pending-assets',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    let total = 0
    while (!signal.aborted) {
      const deleted = await db.transaction(async (tx) => {
        const rows = await deletePendingBefore(tx, aDayBefore(clock.now()), PENDING_BATCH)
        for (const row of rows) {
          await removeFileLater(tx, clock, { merchant_id: row.merchant_id }, row.file_key)
          // A sweep has no request to take a host from. Without PUBLIC_URL the URL in this event is only a path.
          await emitAssetEvent(tx, 'delete', row, publicUrl ?? '', clock.now())
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
 * Deletes files that no row refers to, and old temporary files. A file loses its row if its merchant is deleted, and
 * never gets one if a process dies too early. Files must be a day old, because each file is stored before its row. Keys
 * of another form than ours are skipped.
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
      const owned = keys.flatMap((key) => parseFileKey(key) ?? [])
      const used = new Set(owned.length === 0 ? [] : await listUsedKeys(db, owned))
      for (const key of keys) {
        if (used.has(key) || parseFileKey(key) === null) continue
        await files.store.remove(key)
        removed += 1
      }
      after = keys.at(-1) ?? null
      if (keys.length < KEYS_BATCH) break
    }
    return removed
  },
})

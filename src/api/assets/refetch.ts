// The job that retries to fetch the file of an asset that shows a placeholder. It gives up after a day.

import { UnreachableSource } from '../../files/download.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { noRoomError } from '../../http/endpoint/metering.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { ApiError } from '../../lib/errors.ts'
import { changeCatalogue } from '../catalogue/change.ts'
import { emitAssetEvent, FETCH_AGAIN, type RefetchPayload, scheduleRefetch } from './asset.ts'
import { fetchInto, removeFileLater, withFile } from './file.ts'
import { attachStoredFile, findAsset, lockAsset, type StoredFile, setSourceProblem } from './store.ts'

/** Time after the asset's creation in which the fetch is retried. */
export const REFETCH_SECONDS = 86_400

/**
 * Runs in a lane of its own: a thousand pictures of a silent host take ten seconds each. A silent host is expected here, so it is no
 * failure of the job. The job enqueues its own successor, which keeps the log quiet.
 */
export const refetchJob = (services: Services): JobHandler<RefetchPayload> => ({
  kind: FETCH_AGAIN,
  lane: 'fetch',
  async handle(context) {
    const { db, clock, merchant_id, payload, signal } = context
    const { files, disk } = services
    const asset = await findAsset(db, { merchant_id }, payload.id)
    if (asset === null || asset.source_url === null || asset.source_problem !== null) return
    if (disk.isShort()) throw noRoomError()
    const owner = { merchant_id, assetId: asset.id, filename: asset.filename }
    try {
      const storedFile = await fetchInto(files, owner, asset.source_url, signal)
      const isAttached = await withFile(files, storedFile, () =>
        replacePlaceholder(context, asset.file_key, storedFile),
      )
      // The asset was deleted during the fetch.
      if (!isAttached) await files.store.remove(storedFile.file_key)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const problem = error instanceof UnreachableSource ? null : error.message
      const isOver = unixSeconds(clock.now()) >= asset.created + REFETCH_SECONDS
      await db.transaction(async (tx) => {
        if (problem !== null) await setSourceProblem(tx, { merchant_id }, asset.id, problem)
        else if (!isOver)
          await scheduleRefetch(tx, { merchant_id }, { ...payload, tries: payload.tries + 1 }, clock.now())
        await context.finish(tx)
      })
    }
  },
})

/** Replaces the placeholder by the fetched file. False if the asset is deleted or has another file by now. */
const replacePlaceholder = (
  { db, clock, merchant_id, payload, finish }: JobContext<RefetchPayload>,
  placeholder: string | null,
  storedFile: StoredFile,
): Promise<boolean> =>
  changeCatalogue({ db, caller: { merchant_id } }, async (tx) => {
    const scope = { merchant_id }
    const current = await lockAsset(tx, scope, payload.id)
    if (current === null || current.file_key !== placeholder) return false
    const now = clock.now()
    await attachStoredFile(tx, scope, payload.id, storedFile, now)
    await removeFileLater(tx, clock, scope, placeholder)
    const row = await findAsset(tx, scope, payload.id)
    if (row !== null) await emitAssetEvent(tx, 'update', row, payload.origin, now)
    await finish(tx)
    return true
  })

// Who changes a product, and how every change ends: the product is read as it now is, told to the webhooks and answered.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../db/outbox.ts'
import type { Caller, Context } from '../../http/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { type WriterAddresses, writerAddresses } from '../assets/view.ts'
import { findProduct } from './product-store.ts'
import type { Product } from './schema.ts'
import { viewProduct } from './view.ts'

export type Writer = {
  readonly caller: Pick<Caller, 'merchantId' | 'currency' | 'isSandbox'>
  readonly clock: Clock
  readonly addresses: WriterAddresses
}

/** Runs `work` in a transaction. The writer is made before it begins: the signing secret is read by a connection of its own. */
export async function write<T>(context: Context, work: (tx: Tx, writer: Writer) => Promise<T>): Promise<T> {
  const { db, caller, clock } = context
  const writer = { caller, clock, addresses: await writerAddresses(context) }
  return db.transaction((tx) => work(tx, writer))
}

type EventName = 'products.create' | 'products.update' | 'products.delete'

/** The event and the reply differ in their addresses alone: an event is kept for weeks, so its own last, and none is signed. */
export async function reportChange(
  tx: Tx,
  { caller, addresses }: Writer,
  id: string,
  name: EventName,
  responseCode: number,
  now: Date,
): Promise<Product> {
  const everything = { ...caller, isSecret: true }
  const row = await findProduct(tx, everything, id)
  if (row === null) throw notFound('product')
  const payload = viewProduct(row, { caller: everything, addresses: addresses.lasting })
  // Not of one mode: the catalogue is shared. Its stock is that of the key that made the change.
  await emit(tx, { merchantId: caller.merchantId, sandbox: null, name, kind: 'product', payload, responseCode, now })
  return viewProduct(row, { caller: everything, addresses })
}

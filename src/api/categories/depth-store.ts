// The SQL that measures how deep the tree is around a category. Whoever asks before a write holds the merchant's tree lock.

import { type Db, statement } from '../../db/db.ts'

const measure = statement<{ above: number; below: number }>(
  'categories.measure_depth',
  `with recursive up as (
     select parent_id, 1 as level from categories where merchant_id = $1 and id = $2
     union all
     select parent.parent_id, up.level + 1
     from up
     join categories parent on parent.id = up.parent_id
     where parent.merchant_id = $1
   ),
   down as (
     select id, 0 as level from categories where merchant_id = $1 and id = $2
     union all
     select child.id, down.level + 1
     from down
     join categories child on child.parent_id = down.id
     where child.merchant_id = $1
   )
   select
     coalesce((select max(level) from up), 0) as above,
     coalesce((select max(level) from down), 0) as below`,
)

/** `above`: the levels from the top down to the category, its own included. `below`: the levels under it. */
export const measureDepth = (db: Db, merchantId: number, id: string) => db.one(measure, [merchantId, id])

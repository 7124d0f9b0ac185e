// Findings of `cartwright doctor` about a database spread over several machines.

import type { Placement, ShopPlacement } from '../db/placement.ts'

/** `isWarning`: works, but the operator should know about it. */
export type Finding = { ok: boolean; isWarning?: true; text: string }

/** Empty for a plain PostgreSQL. */
export function describePlacement(placement: Placement | null): Finding[] {
  if (placement === null) return []
  const { nodes, tables, unplaced } = placement
  const shards = nodes.reduce((sum, node) => sum + node.shards, 0)
  const findings: Finding[] = [
    {
      ok: true,
      text:
        `shards: ${tables.distributed} tables in ${shards} shards each, by merchant; ${tables.reference} copied to every node; ` +
        `${tables.local} only on the coordinator`,
    },
    ...nodes.map(describeNode),
  ]
  if (unplaced.length > 0)
    findings.push({
      ok: false,
      text:
        `shards: ${unplaced.join(', ')} not distributed, because the database had tables before it had Citus; ` +
        'copy its rows into a new database (docs/shards.md)',
    })
  if (!nodes.some(({ shards: own, isCoordinator }) => own > 0 && !isCoordinator))
    findings.push({
      ok: true,
      isWarning: true,
      text: 'shards: all shards are on the coordinator; add nodes with citus_add_node, then citus_rebalance_start',
    })
  return findings
}

function describeNode({ address, isCoordinator, isActive, shards, bytes }: Placement['nodes'][number]): Finding {
  const name = `node ${address}${isCoordinator ? ', the coordinator' : ''}`
  if (!isActive) return { ok: false, text: `${name}: is known, but not in use` }
  if (shards === 0) return { ok: true, text: `${name}: no shops` }
  return { ok: true, text: `${name}: the shops of ${shards} shards, ${Math.ceil(bytes / 1024 / 1024)} MB` }
}

export function describeShop(merchant_id: number, place: ShopPlacement | null): Finding {
  const name = `merchant ${merchant_id}`
  if (place === null) return { ok: true, text: `${name}: in the only database, with all other shops` }
  const neighbours = place.isAlone ? 'the only shop in its shard' : 'with other shops'
  return { ok: true, text: `${name}: on ${place.address}, in the shard ${place.shardId} of events, ${neighbours}` }
}

// @sampled @alone: it starts two servers. `npm test` runs one race of each family, with few clients.
// L1 to L12, L17 and L18: many clients want the same thing at the same moment, through two processes.

import { newFolder } from './processes.ts'
import { limitRaces } from './races/limits.ts'
import { orderRaces } from './races/orders.ts'
import { stockRaces } from './races/stock.ts'
import { cartRaces, tokenRaces } from './races/tokens.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
// Both servers read the files of the shop.
const dataDir = newFolder()
await Promise.all([world.start({ settleSeconds: 30, dataDir }), world.start({ settleSeconds: 30, dataDir })])
await world.openGateways()

stockRaces(world)
tokenRaces(world)
cartRaces(world)
limitRaces(world)
orderRaces(world)

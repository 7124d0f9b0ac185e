// Draws the demo shop's pictures into demo/pictures/. Ours from the first line to the last, so nobody else's licence applies.
// Run it after changing a drawing, look at the result, and commit it. Parts of names as arguments draw only those.

import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chopping, jar, kettle, pepperMill, saucepan, skillet, spoons } from './drawing/cooking.js'
import { candles, deskLamp, mirror, pendantLamp, planter, vase, wallClock } from './drawing/decor.js'
import { chair, shelf, sideTable, stool } from './drawing/furniture.js'
import { encodePng } from './drawing/png.js'
import { cookbook, giftCard, plans, wallpapers } from './drawing/printed.js'
import { paints } from './drawing/room.js'
import { bowl, carafe, mug, plates, teapot } from './drawing/tableware.js'
import { apron, blanket, cushion } from './drawing/textiles.js'

const MOST_BYTES = 15_000

const inColours = (name, draw, colours) =>
  Object.fromEntries(Object.entries(colours).map(([colour, paint]) => [`${name}-${colour}`, () => draw(paint)]))

const { cream, sage, clay, rust, white, ink, oak, walnut, ash, moss, mustard, charcoal, sea } = paints

const pictures = {
  ...inColours('mug', mug, { sand: cream, sage, clay }),
  bowl,
  plates,
  teapot,
  carafe,
  ...inColours('saucepan', saucepan, { rust, white, ink }),
  skillet,
  'chopping-board': chopping,
  spoons,
  jar,
  kettle,
  'pepper-mill': pepperMill,
  ...inColours('stool', stool, { oak, walnut, ash }),
  ...inColours('chair', chair, { rust, moss, ink }),
  'side-table': sideTable,
  shelf,
  ...inColours('desk-lamp', deskLamp, { mustard, charcoal, white }),
  'pendant-lamp': pendantLamp,
  candles,
  clock: wallClock,
  planter,
  vase,
  mirror,
  ...inColours('blanket', blanket, { rust, sage, ink }),
  ...inColours('cushion', cushion, { mustard, sea }),
  apron,
  plans,
  cookbook,
  wallpapers,
  'gift-card': giftCard,
}

const folder = fileURLToPath(new URL('../demo/pictures/', import.meta.url))
mkdirSync(folder, { recursive: true })
const wanted = process.argv.slice(2)
for (const [name, draw] of Object.entries(pictures)) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue
  const png = encodePng(draw(), MOST_BYTES)
  writeFileSync(`${folder}${name}.png`, png)
  console.log(`${name.padEnd(24)}${String(png.length).padStart(6)} bytes`)
}

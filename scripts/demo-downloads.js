// Writes the files that the demo shop sells as downloads into demo/downloads/: two short PDFs and a ZIP of wallpapers.
// Like the pictures they are ours and are committed; run it after changing a text or a drawing.

import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encodePdf } from './drawing/pdf.js'
import { encodePng } from './drawing/png.js'
import { dunes, harbour, hills, wallpaper } from './drawing/printed.js'
import { encodeZip } from './drawing/zip.js'

const stoolPlans = [
  {
    title: 'The Cartwright Stool: Building Plans',
    lines: [
      'A three-legged stool of one board and three legs. It needs a saw, a drill, a plane and an afternoon.',
      '',
      'What you need',
      '- one board of oak, ash or walnut, 340 x 340 x 35 mm, for the seat',
      '- three legs, 35 x 35 x 460 mm',
      '- one rung, 14 mm round, 400 mm long',
      '- wood glue, linseed oil, sandpaper of 120 and 240 grit',
      '',
      'The seat',
      '1. Draw a circle of 330 mm on the board and saw it out, a little outside of the line.',
      '2. Plane or sand down to the line. Round the upper edge to a radius of 6 mm.',
      '3. From below, mark three points 110 mm from the middle, 120 degrees apart.',
      '4. Drill a hole of 25 mm at each point, 25 mm deep, leaning outwards by 12 degrees.',
    ],
  },
  {
    title: 'Legs and finish',
    lines: [
      'The legs',
      '1. Taper each leg from 35 mm at the top to 24 mm at the foot.',
      '2. Turn or carve a round tenon of 25 mm, 24 mm long, at the upper end.',
      '3. Drill two of the legs for the rung, 200 mm above the floor.',
      '',
      'Putting it together',
      '1. Try everything without glue first. A leg that rocks is mended now or never.',
      '2. Glue the rung, then the legs. Press, wipe off what comes out, and wait a night.',
      '3. Stand it on a flat table, scribe the feet parallel to it, and saw them.',
      '',
      'The finish',
      'Sand with 120, then with 240 grit. Oil twice, a day apart, and rub off what the wood does not drink.',
    ],
  },
]

const suppers = [
  {
    title: 'Twelve One-Pot Suppers',
    lines: [
      'One pot, one spoon, one board. Each of these feeds four and takes less than an hour.',
      '',
      '1. Lentils with carrots, bay and a spoon of mustard',
      '2. Tomato and white bean stew with rosemary',
      '3. Leek and potato soup, finished with cream',
      '4. Chickpeas with spinach, lemon and cumin',
      '5. Barley with mushrooms and thyme',
      '6. Chicken, rice and peas',
      '7. Pasta cooked in its own sauce',
      '8. Red cabbage with apples and chestnuts',
      '9. Split peas with smoked paprika',
      '10. Fish, fennel and new potatoes',
      '11. Pumpkin curry with coconut',
      '12. Bread and onion soup under a crust of cheese',
    ],
  },
  {
    title: '2. Tomato and white bean stew with rosemary',
    lines: [
      'For four. Forty minutes, most of them without you.',
      '',
      '2 onions, 3 cloves of garlic, 4 tablespoons of olive oil',
      '1 sprig of rosemary, 1 teaspoon of sweet paprika',
      '800 g of tomatoes, fresh or from a tin',
      '500 g of cooked white beans',
      'salt, pepper, a little vinegar, bread',
      '',
      'Cut the onions fine and soften them in the oil over a low flame: ten minutes, no colour.',
      'Add garlic, rosemary and paprika and stir for a minute. Add the tomatoes and a cup of water.',
      'Let it simmer for twenty minutes, add the beans, and give it five more.',
      'Season with salt, pepper and a few drops of vinegar. Eat it with bread.',
    ],
  },
]

const wallpaperZip = () =>
  encodeZip([
    ...[
      ['dunes', dunes],
      ['hills', hills],
      ['harbour', harbour],
    ].map(([name, draw]) => ({ name: `${name}.png`, data: encodePng(wallpaper(draw), 40_000) })),
    { name: 'README.txt', data: Buffer.from('Three wallpapers, 1280 x 800. Use them wherever you like.\n') },
  ])

const folder = fileURLToPath(new URL('../demo/downloads/', import.meta.url))
mkdirSync(folder, { recursive: true })
const files = {
  'stool-plans.pdf': encodePdf(stoolPlans),
  'one-pot-suppers.pdf': encodePdf(suppers),
  'wallpapers.zip': wallpaperZip(),
}
for (const [name, bytes] of Object.entries(files)) {
  writeFileSync(`${folder}${name}`, bytes)
  console.log(`${name.padEnd(24)}${String(bytes.length).padStart(6)} bytes`)
}

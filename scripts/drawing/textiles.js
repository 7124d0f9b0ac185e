// The pictures of cloth: a blanket, a cushion, an apron.

import { dark, light, linear } from './colour.js'
import { box, ellipse, path, rotated, stroke } from './path.js'
import { paints, room, shadow, tints, wall } from './room.js'

export function blanket(colour) {
  const c = room(tints.blush)
  shadow(c, 320, 528, 214, 26)
  for (const y of [462, 398, 334]) {
    const fold = path(
      `M150 ${y}L500 ${y}C536 ${y} 536 ${y + 66} 500 ${y + 66}L150 ${y + 66}C112 ${y + 66} 112 ${y} 150 ${y}Z`,
    )
    c.fill(
      fold,
      linear(
        [0, y],
        [0, y + 66],
        [
          [0, light(colour, 0.24)],
          [0.5, colour],
          [1, dark(colour, 0.3)],
        ],
      ),
    )
    c.within(fold, () => {
      for (const [x, width] of [
        [168, 18],
        [194, 6],
        [446, 6],
        [460, 18],
      ])
        c.fill(box(x, y, width, 66), light(colour, 0.66), 0.5)
    })
    // The inside of the fold, seen from its end.
    c.fill(stroke(`M152 ${y + 20}C132 ${y + 20} 132 ${y + 46} 152 ${y + 46}`, 5), dark(colour, 0.4), 0.55)
  }
  const top = path('M148 336C140 296 176 282 210 282L452 282C494 282 514 300 504 336Z')
  c.fill(
    top,
    linear(
      [0, 282],
      [0, 340],
      [
        [0, light(colour, 0.36)],
        [1, light(colour, 0.06)],
      ],
    ),
  )
  // The end that hangs over the front, with its fringe.
  const flap = path(
    'M222 292C280 284 370 284 424 292C432 350 430 420 426 478C370 488 280 488 224 478C218 420 216 350 222 292Z',
  )
  c.fill(
    flap,
    linear(
      [0, 284],
      [0, 488],
      [
        [0, light(colour, 0.42)],
        [0.25, light(colour, 0.1)],
        [1, colour],
      ],
    ),
  )
  c.within(flap, () => {
    for (const [y, width] of [
      [352, 20],
      [378, 7],
      [424, 7],
      [448, 20],
    ])
      c.fill(stroke(`M200 ${y}C280 ${y + 10} 370 ${y + 10} 450 ${y}`, width), light(colour, 0.7), 0.8)
  })
  for (let index = 0; index < 14; index++) {
    const [x, y] = [231 + index * 14.6, 478 + Math.sin((index / 13) * Math.PI) * 7]
    c.fill(stroke(`M${x} ${y}L${x + (index % 2 === 0 ? -2 : 2)} ${y + 28}`, 7), light(colour, 0.5))
  }
  return c
}

export function cushion(colour) {
  const c = room(tints.blush)
  shadow(c, 320, 520, 190, 28)
  const shape = path(
    'M138 176C200 204 440 204 502 176C520 168 530 180 522 200C496 270 496 400 526 488C532 508 520 518 502 510C430 488 210 488 138 510C120 518 108 508 114 488C144 400 144 270 118 200C110 180 120 168 138 176Z',
  )
  c.fill(
    shape,
    linear(
      [120, 0],
      [520, 0],
      [
        [0, light(colour, 0.02)],
        [0.3, light(colour, 0.24)],
        [0.6, colour],
        [1, dark(colour, 0.26)],
      ],
    ),
  )
  c.within(shape, () => {
    for (const x of [206, 228, 250, 390, 412, 434])
      c.fill(
        stroke(`M${x} 160C${x + (320 - x) / 9} 280 ${x + (320 - x) / 9} 400 ${x} 530`, x % 4 === 0 ? 5 : 9),
        light(colour, 0.6),
        0.6,
      )
    c.fill(stroke('M150 200C166 280 166 400 146 486', 12), light(colour, 0.6), 0.25)
  })
  for (const [x, y, turn] of [
    [118, 176, 2.4],
    [522, 176, 0.7],
    [114, 510, -2.4],
    [526, 510, -0.7],
  ])
    tassel(c, x, y, turn, colour)
  return c
}

function tassel(c, x, y, turn, colour) {
  const at = (outlines) => rotated(outlines, x, y, turn - Math.PI / 2)
  for (const dx of [-9, 0, 9])
    c.fill(at(stroke(`M${x} ${y - 4}L${x + dx} ${y - 34}`, 7)), light(colour, dx === 0 ? 0.5 : 0.35))
  c.fill(ellipse(x, y, 12), dark(colour, 0.15))
}

export function apron() {
  const c = wall(tints.blush)
  const colour = paints.ink
  const strap = paints.sand
  c.fill(ellipse(320, 78, 10), paints.brass)
  c.fill(stroke('M256 196C256 120 300 84 320 84C340 84 384 120 384 196', 13), strap)
  c.fill(stroke('M204 330C150 350 130 410 140 470', 11), strap)
  c.fill(stroke('M436 330C490 350 510 410 500 470', 11), dark(strap, 0.14))
  c.fill(
    path('M262 196L398 196C402 270 420 306 458 322L462 566C380 578 284 578 200 566L202 322C238 306 258 270 262 196Z'),
    '#4a2f25',
    0.14,
  )
  const cloth = path(
    'M252 184L388 184C392 262 410 298 446 314L450 552C370 566 270 566 190 552L194 314C230 298 248 262 252 184Z',
  )
  c.fill(
    cloth,
    linear(
      [190, 0],
      [450, 0],
      [
        [0, light(colour, 0.2)],
        [0.5, colour],
        [1, dark(colour, 0.24)],
      ],
    ),
  )
  c.within(cloth, () => {
    for (const x of [232, 300, 352, 410])
      c.fill(stroke(`M${x} 330C${x - 8} 420 ${x + 8} 500 ${x} 570`, 5), dark(colour, 0.3), 0.45)
    c.fill(box(180, 184, 290, 14), light(colour, 0.35), 0.6)
    c.fill(stroke('M186 540C270 556 370 556 454 540', 5), light(colour, 0.5), 0.6)
  })
  c.fill(box(246, 388, 148, 104, 12), light(colour, 0.1))
  c.fill(box(246, 388, 148, 16, 6), light(colour, 0.3))
  c.fill(stroke('M320 404L320 488', 4), dark(colour, 0.2))
  // A spoon in the pocket.
  c.fill(stroke('M284 390L276 330', 11), paints.oak)
  c.fill(ellipse(273, 308, 20, 30, -0.12), paints.oak)
  c.fill(ellipse(274, 308, 13, 22, -0.12), dark(paints.oak, 0.18))
  return c
}

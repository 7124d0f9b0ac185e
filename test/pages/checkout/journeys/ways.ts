// In how many ways a journey is made: on a phone and at a desk, by light and in the dark, with and without scripting, and by keyboard alone.

import { it } from 'vitest'
import { isWide } from '../../../support/wide.ts'

export type Way = {
  readonly hasScripts: boolean
  readonly width: number
  readonly isDark: boolean
  readonly hasKeyboard?: boolean
}

const PHONE: Way = { hasScripts: true, width: 360, isDark: false }
const DESK: Way = { hasScripts: true, width: 1280, isDark: true }
const KEYBOARD: Way = { hasScripts: true, width: 1280, isDark: false, hasKeyboard: true }
const PLAIN_PHONE: Way = { hasScripts: false, width: 360, isDark: false }
const PLAIN_DESK: Way = { hasScripts: false, width: 1280, isDark: true }

const nameOf = ({ hasScripts, width, isDark, hasKeyboard }: Way) =>
  `${hasScripts ? 'with' : 'without'} scripting, ${width} px, ${isDark ? 'dark' : 'light'}${hasKeyboard ? ', by keyboard alone' : ''}`

type Run = () => Promise<void>

/** `turns`: of an ordinary run, in which each journey takes one of them. */
const waysOf = (turns: readonly Way[], others: readonly Way[]) => ({
  ways: [...turns, ...(isWide ? others : [])].map((way) => [nameOf(way), way] as const),
  /** For the `describe` of a way: registers those journeys that are made in it. `further`: those of a wide run alone, which are variations. */
  journeysIn(way: Way) {
    let nth = 0
    return {
      journey(title: string, run: Run) {
        if (isWide || turns[nth % turns.length] === way) it(title, run)
        nth++
      },
      further(title: string, run: Run) {
        if (isWide) it(title, run)
      },
    }
  },
})

export const EVERY_WAY = waysOf([PHONE, PLAIN_DESK, KEYBOARD], [DESK, PLAIN_PHONE])
/** For what needs a script. */
export const WITH_SCRIPTS = waysOf([PHONE, KEYBOARD], [DESK])

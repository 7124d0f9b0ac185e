// How a journey is made: on a phone with scripting, on a desk in the dark without, and by keyboard alone.

import { it } from 'vitest'
import { isProof } from '../../../support/proof.ts'

export type Way = {
  readonly hasScripts: boolean
  readonly width: number
  readonly isDark: boolean
  readonly hasKeyboard?: boolean
}

const PHONE: Way = { hasScripts: true, width: 360, isDark: false }
const PLAIN: Way = { hasScripts: false, width: 1280, isDark: true }
const KEYBOARD: Way = { hasScripts: true, width: 1280, isDark: false, hasKeyboard: true }

const nameOf = ({ hasScripts, width, isDark, hasKeyboard }: Way) =>
  `${hasScripts ? 'with' : 'without'} scripting, ${width} px, ${isDark ? 'dark' : 'light'}${hasKeyboard ? ', by keyboard alone' : ''}`

type Run = () => Promise<void>

/** `npm test` makes each journey in one of the ways, by turns; the proof makes all in every way. */
const waysOf = (all: readonly Way[]) => ({
  ways: all.map((way) => [nameOf(way), way] as const),
  /** For the `describe` of a way: registers its journeys. `further` ones belong to the proof. */
  journeysIn(way: Way) {
    let nth = 0
    // Skipped rather than left out: a suite without tests fails.
    const register = (isMade: boolean, title: string, run: Run) => it.runIf(isProof || isMade)(title, run)
    return {
      journey: (title: string, run: Run) => register(all[nth++ % all.length] === way, title, run),
      further: (title: string, run: Run) => register(false, title, run),
    }
  },
})

export const EVERY_WAY = waysOf([PHONE, PLAIN, KEYBOARD])
/** For what needs a script. */
export const WITH_SCRIPTS = waysOf([PHONE, KEYBOARD])

// Formats the output lines of commands: in columns, with colours on a terminal, and as JSON on request.

import { toOneLine } from '../../lib/text.ts'
import { printLine } from '../help.ts'

const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const
type Colour = keyof typeof COLOURS

/** People and programs set NO_COLOR to any value to switch colours off: no-color.org. */
const hasColours = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'

export const paint = (text: string, colour: Colour): string =>
  hasColours() ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text

export function colourOf(status: number | null): Colour {
  if (status === null || status >= 500) return 'red'
  if (status >= 400) return 'yellow'
  return status >= 300 ? 'cyan' : 'green'
}

/** Hours, minutes and seconds in the local time zone. */
export const clockTime = (at: Date): string => at.toTimeString().slice(0, 8)

export const dateAndTime = (unix: number): string => {
  const at = new Date(unix * 1_000)
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
  return `${day} ${clockTime(at)}`
}

/** Removes control characters, so that no answer can control the terminal. */
export const toTableCell = (value: unknown, width = 0): string =>
  (value === null || value === undefined || value === '' ? '-' : toOneLine(String(value))).padEnd(width)

export const printJsonLine = (value: unknown): void => printLine(JSON.stringify(value))

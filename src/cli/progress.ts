// What a command is doing, for the person who waits for it at a terminal: one line, which the next thing to do replaces and the answer takes
// away. Where standard error is no terminal nothing of it is written, and logs stay as they are.

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

export type Progress = {
  /** Shows what is being done now. */
  tell(doing: string): void
  /** Takes the line away, before anything else is written. */
  clear(): void
}

/** A terminal that does not tell its width. */
const USUAL_COLUMNS = 80

export function progressOn(terminal: Terminal): Progress {
  if (!terminal.isTTY) return { tell: () => undefined, clear: () => undefined }
  let shown = 0
  const show = (line: string) => {
    // By blanks and not by a code for erasing, which not every terminal knows.
    terminal.write(`\r${line.padEnd(shown)}${line.length < shown ? `\r${line}` : ''}`)
    shown = line.length
  }
  return {
    tell(doing) {
      // A line that reaches the last column goes on below, and nothing takes back what stands above.
      const columns = (terminal.columns || USUAL_COLUMNS) - 1
      show(`${doing.slice(0, Math.max(0, columns - 2))} …`)
    },
    clear() {
      if (shown > 0) show('')
    },
  }
}

export const progress = progressOn(process.stderr)

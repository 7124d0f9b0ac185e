// Shows what a command is doing, for a person at a terminal. The next step replaces the line, and the answer removes it. Without a terminal
// on standard error it writes nothing, and logs stay as they are.

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

export type Progress = {
  /** Shows the current step. */
  show(doing: string): void
  /** Removes the line before other output. */
  clear(): void
}

/** For a terminal that does not report its width. */
const USUAL_COLUMNS = 80

export function createProgress(terminal: Terminal): Progress {
  if (!terminal.isTTY) return { show: () => undefined, clear: () => undefined }
  let shownLength = 0
  const show = (line: string) => {
    // Overwrites with blanks: not every terminal knows a code for erasing.
    terminal.write(`\r${line.padEnd(shownLength)}${line.length < shownLength ? `\r${line}` : ''}`)
    shownLength = line.length
  }
  return {
    show(doing) {
      // A line that reaches the last column wraps, and the wrapped part could not be removed.
      const columns = (terminal.columns || USUAL_COLUMNS) - 1
      show(`${doing.slice(0, Math.max(0, columns - 2))} …`)
    },
    clear() {
      if (shownLength > 0) show('')
    },
  }
}

export const progress = createProgress(process.stderr)

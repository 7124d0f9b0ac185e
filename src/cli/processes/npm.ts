// Ends a command that npm runs together with npm. npm starts it through a shell and passes signals only to the shell. SIGTERM ends the
// shell and SIGHUP ends npm, but neither reaches the command, which would run on unnoticed. npx, `npm exec`, `npm run` and other package
// managers do the same. A command without npm among its ancestors ignores its parent, so nohup, setsid and systemd still work.

import { commandLine, isAlive, parentOf } from '../../db/embedded/processes.ts'

const EVERY_MS = 250

/** A shell, npm, and one or two programs between them, such as `cross-env`. Higher ancestors are not checked. */
const MAX_ANCESTORS = 4

/** Matches `npm exec cartwright start` and `node /usr/lib/node_modules/pnpm/bin/pnpm.cjs start`. */
const PACKAGE_MANAGER = /(?:^|[/\s])(?:npm|npx|pnpm|yarn|bun)(?:-cli)?(?:\.c?js)?(?:\s|$)/

/** Calls back once when npm, or a program between npm and this process, has ended. Returns a function that stops watching. */
export function whenNpmEnds(onEnd: () => void): () => void {
  // All package managers set this for the programs they run.
  const ancestors = process.env.npm_lifecycle_event === undefined ? null : ancestorsUpToNpm()
  if (ancestors === null) return () => undefined
  const timer = setInterval(() => {
    if (process.ppid === ancestors[0] && ancestors.every(isRunning)) return
    clearInterval(timer)
    onEnd()
  }, EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Without /proc, `isAlive` starts a program, which is too much four times a second. A zombie then counts as running. */
function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return isAlive(pid)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Pids from the parent up to npm. Null without npm: a process that outlived npm, such as a terminal, passed on the setting. */
function ancestorsUpToNpm(): number[] | null {
  const ancestors: number[] = []
  for (let pid = process.ppid; pid > 0 && ancestors.length < MAX_ANCESTORS; pid = parentOf(pid) ?? 0) {
    ancestors.push(pid)
    if (PACKAGE_MANAGER.test(commandLine(pid) ?? '')) return ancestors
  }
  return null
}

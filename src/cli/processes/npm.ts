// A command that npm runs ends with npm. npm starts it through a shell and passes signals on to the shell only: SIGTERM ends the shell, SIGHUP ends
// npm, and neither reaches the command, which would run on without anybody who knows of it. npx, `npm exec`, `npm run` and other package
// managers do the same. Without npm among its ancestors a command does not care who started it: nohup, setsid and systemd work as before.

import { commandLine, isAlive, parentOf } from '../../db/embedded/processes.ts'

const EVERY_MS = 250

/** A shell, npm, and one or two programs between them, such as `cross-env`. Further up, npm runs something else. */
const MOST_ANCESTORS = 4

/** `npm exec cartwright start`, `node /usr/lib/node_modules/pnpm/bin/pnpm.cjs start`. */
const PACKAGE_MANAGER = /(?:^|[/\s])(?:npm|npx|pnpm|yarn|bun)(?:-cli)?(?:\.c?js)?(?:\s|$)/

/** Calls back once when npm, or a program between npm and this process, has ended. Returns how to stop watching. */
export function whenNpmEnds(onEnd: () => void): () => void {
  // All package managers set it for what they run.
  const ancestors = process.env.npm_lifecycle_event === undefined ? null : ancestorsUpToNpm()
  if (ancestors === null) return () => undefined
  const timer = setInterval(() => {
    if (process.ppid === ancestors[0] && ancestors.every(isRunning)) return
    clearInterval(timer)
    onEnd()
  }, EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Without /proc `isAlive` starts a program, which is too much four times a second. A zombie counts as running then. */
function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return isAlive(pid)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The parent first. Null without npm among them: the setting was inherited by something that outlived npm, such as a terminal. */
function ancestorsUpToNpm(): number[] | null {
  const ancestors: number[] = []
  for (let pid = process.ppid; pid > 0 && ancestors.length < MOST_ANCESTORS; pid = parentOf(pid) ?? 0) {
    ancestors.push(pid)
    if (PACKAGE_MANAGER.test(commandLine(pid) ?? '')) return ancestors
  }
  return null
}

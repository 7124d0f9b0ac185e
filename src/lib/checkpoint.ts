// Named marks behind every durable step of a capture and of a cancel. They do nothing in production.
// A test, or the proof, kills the process at a mark and checks what is left. Tests read the names from the source: a step without a mark,
// or a mark without a test, fails them.

type Handler = (name: string) => void | Promise<void>

let handler: Handler | null = null

export async function checkpoint(name: string): Promise<void> {
  if (handler !== null) await handler(name)
}

/** Sets the handler of all checkpoints; null removes it. If the handler throws, the step throws. */
export function onCheckpoint(newHandler: Handler | null): void {
  handler = newHandler
}

/** `capture.reserved:kill` kills this process at that checkpoint, like a power failure: nothing is closed and nobody is notified. */
export function killAtCheckpoint(instruction: string): void {
  const [name, action] = instruction.split(':')
  if (action !== 'kill') throw new RangeError(`The action of a checkpoint must be kill, not ${action}.`)
  onCheckpoint((reachedName) => {
    if (reachedName === name) process.kill(process.pid, 'SIGKILL')
  })
}

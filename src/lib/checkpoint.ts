// Marks behind every durable step of a capture and of a cancel. They do nothing until a test, or the proof, stops the process at one of
// them and looks at what is left. Tests take their names from the source: a step without one, or one that no test stops at, fails them.

type Handler = (name: string) => void | Promise<void>

let handler: Handler | null = null

export async function checkpoint(name: string): Promise<void> {
  if (handler !== null) await handler(name)
}

/** Called at every checkpoint until it is replaced; null: nothing is. What it throws, the step throws. */
export function onCheckpoint(next: Handler | null): void {
  handler = next
}

/** `capture.reserved:kill` ends this process at that checkpoint, as a power failure would: nothing is closed, nothing told. */
export function stopAt(instruction: string): void {
  const [name, action] = instruction.split(':')
  if (action !== 'kill') throw new RangeError(`A checkpoint knows the action kill, not ${action}.`)
  onCheckpoint((passed) => {
    if (passed === name) process.kill(process.pid, 'SIGKILL')
  })
}

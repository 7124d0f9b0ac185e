/** A pause between two rounds of work that can be cut short. A ring during the work counts for the next pause, so that none is missed. */
export function newAlarm() {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      hasRung = true
      wake?.()
    },
    async wait(ms: number) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      wake = undefined
      hasRung = false
    },
  }
}

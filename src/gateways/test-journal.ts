// The books of the test gateways, as they need them: what a processor of its own would keep. db/test-journal.ts keeps them.

import type { Minor } from '../lib/money.ts'

export type TestState = 'authorized' | 'charged' | 'waiting' | 'declined' | 'cancelled' | 'refunded'

export type TestEntry = {
  readonly state: TestState
  readonly amount: Minor
  readonly currency: string
  /** What the gateway wants to remember. Never a card's number. */
  readonly details: Readonly<Record<string, unknown>>
}

export type TestJournal = {
  find(merchantId: number, key: string): Promise<TestEntry | null>
  /** Writes it unless there is an entry of that key; gives what then stands there. */
  enter(merchantId: number, key: string, entry: TestEntry): Promise<TestEntry>
  /** Into another state, if it is in `from`; details are added. Gives what then stands there; null when there is no entry. */
  move(
    merchantId: number,
    key: string,
    from: TestState,
    to: TestState,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<TestEntry | null>
}

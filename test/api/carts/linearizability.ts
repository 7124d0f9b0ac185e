// Finds out whether what several clients were told about one cart can be true: whether some order of their operations, one at
// a time, gives every one of them its answer and ends in the cart as it is. The search is Wing and Gong's, with a memory.

/** A line as the model knows it. `key` says product and options: lines of one key are one line. */
export type ModelLine = { readonly id: string; readonly key: string; readonly quantity: number }
export type ModelCart = readonly ModelLine[]

export type Operation =
  | { readonly do: 'add'; readonly key: string; readonly quantity: number }
  | { readonly do: 'update'; readonly id: string; readonly quantity?: number; readonly key?: string }
  | { readonly do: 'remove'; readonly id: string }
  | { readonly do: 'empty' }
  | { readonly do: 'read' }

/** What came back. `lineId` is the line that the answer names, `cart` the cart it shows; a refusal has neither. */
export type Result = { readonly status: number; readonly lineId?: string; readonly cart?: ModelCart }

/** `from` and `to` count on one clock that all clients share: something that ended before another began came before it. */
export type Call = {
  readonly operation: Operation
  readonly result: Result
  readonly from: number
  readonly to: number
}

/** Each client's calls in the order in which it made them. */
export type History = {
  readonly start: ModelCart
  readonly clients: readonly (readonly Call[])[]
  readonly end: ModelCart
}

export const MAX_QUANTITY = 1_000_000

/** One thing that happens at one moment. A call that shows the cart is two: the change, and a look at the cart after it. */
type Step =
  | { readonly kind: 'change'; readonly call: Call }
  | { readonly kind: 'look'; readonly call: Call; readonly cart: ModelCart }

/** The operations in an order that explains the history, or null when there is none. */
export function explain({ start, clients, end }: History): Operation[] | null {
  const steps = clients.map((calls) => calls.flatMap(stepsOf))
  const ended = textOf(end)
  const deadEnds = new Set<string>()

  function search(cart: ModelCart, done: readonly number[]): Operation[] | null {
    const next = steps.map((own, client) => own[done[client] ?? 0])
    if (next.every((step) => step === undefined)) return textOf(cart) === ended ? [] : null
    const here = `${done.join()} ${textOf(cart)}`
    if (deadEnds.has(here)) return null
    // Nothing may happen before a call that had ended when it began.
    const earliestEnd = Math.min(...next.map((step) => step?.call.to ?? Number.POSITIVE_INFINITY))
    for (const [client, step] of next.entries()) {
      if (step === undefined || step.call.from > earliestEnd) continue
      const after = happen(cart, step)
      if (after === null) continue
      const rest = search(
        after,
        done.map((count, other) => (other === client ? count + 1 : count)),
      )
      if (rest !== null) return step.kind === 'change' ? [step.call.operation, ...rest] : rest
    }
    deadEnds.add(here)
    return null
  }

  return search(
    start,
    clients.map(() => 0),
  )
}

function stepsOf(call: Call): Step[] {
  const { cart } = call.result
  return [{ kind: 'change', call }, ...(cart ? [{ kind: 'look', call, cart } as const] : [])]
}

/** The cart after a step, or null where the step cannot have had its answer at this cart. */
function happen(cart: ModelCart, step: Step): ModelCart | null {
  if (step.kind === 'look') return textOf(cart) === textOf(step.cart) ? cart : null
  const { operation, result } = step.call
  const outcome = perform(cart, operation, result.lineId)
  return outcome.status === result.status ? outcome.cart : null
}

/** No answer has this status. */
const UNEXPLAINED = -1

type Outcome = { readonly status: number; readonly cart: ModelCart }

/** The rules of a cart. Which id a new or merged line gets is the server's to say; `named` is what it said. */
export function perform(cart: ModelCart, operation: Operation, named: string | undefined): Outcome {
  const refused = (status: number): Outcome => ({ status, cart })
  const accepted = (after: ModelCart): Outcome => ({ status: 200, cart: after })
  switch (operation.do) {
    case 'read':
      return accepted(cart)
    case 'empty':
      return accepted([])
    case 'remove':
      return cart.some(({ id }) => id === operation.id)
        ? accepted(cart.filter(({ id }) => id !== operation.id))
        : refused(404)
    case 'add': {
      const { key, quantity } = operation
      const known = cart.find((line) => line.key === key)
      if (quantity + (known?.quantity ?? 0) > MAX_QUANTITY) return refused(422)
      if (named === undefined) return refused(UNEXPLAINED)
      // An answer that names another line than the one that grew, or an old line for a new one, explains nothing.
      if (known !== undefined && known.id !== named) return refused(UNEXPLAINED)
      if (known !== undefined) return accepted(replaced(cart, { ...known, quantity: known.quantity + quantity }))
      return cart.some(({ id }) => id === named)
        ? refused(UNEXPLAINED)
        : accepted([...cart, { id: named, key, quantity }])
    }
    case 'update': {
      const line = cart.find(({ id }) => id === operation.id)
      if (line === undefined) return refused(404)
      const others = cart.filter(({ id }) => id !== line.id)
      if (operation.quantity === 0) return accepted(others)
      const changed = { ...line, key: operation.key ?? line.key, quantity: operation.quantity ?? line.quantity }
      const twin = others.find(({ key }) => key === changed.key)
      if (twin === undefined) return named === line.id ? accepted(replaced(cart, changed)) : refused(UNEXPLAINED)
      const quantity = changed.quantity + twin.quantity
      if (quantity > MAX_QUANTITY) return refused(422)
      if (named !== line.id && named !== twin.id) return refused(UNEXPLAINED)
      return accepted([...others.filter(({ id }) => id !== twin.id), { ...changed, id: named, quantity }])
    }
  }
}

const replaced = (cart: ModelCart, changed: ModelLine): ModelCart =>
  cart.map((line) => (line.id === changed.id ? changed : line))

/** Equal texts, equal carts: the order of lines is another test's. */
const textOf = (cart: ModelCart): string =>
  cart
    .map(({ id, key, quantity }) => `${id} ${key} ${quantity}`)
    .sort()
    .join('; ')

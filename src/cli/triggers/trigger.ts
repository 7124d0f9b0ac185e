// What a trigger is: the calls of the API that cause an event in the sandbox, with bodies that whoever runs it may change.

import type { Call, Method } from '../client/call.ts'
import { type Setting, withSettings } from './settings.ts'

export type Trigger = {
  /** The names of the bodies that it sends, which `--set name.path=value` changes. */
  readonly sends: readonly string[]
  run(shop: TriggerShop): Promise<void>
}

/** An event that no call causes, and why. */
export type NoTrigger = { readonly why: string }

export type Triggers = Readonly<Record<string, Trigger | NoTrigger>>

type WithId = { readonly id: string }

export type TriggerShop = {
  /** Sends the body of that name. */
  send<T = WithId>(method: Method, path: string, name: string, body: object): Promise<T>
  /** A call without a body that could be changed. */
  ask<T = WithId>(method: Method, path: string): Promise<T>
  /** Makes something and says so. */
  make<T extends WithId = WithId>(path: string, name: string, body: object): Promise<T>
  /** Says what there is now that was not there before. */
  made(kind: string, id: string): void
  /** Whether `--set` names this body. */
  isSet(name: string): boolean
  /** Ends names and codes, so that the next run does not meet those of the last. */
  readonly mark: string
}

type ShopOptions = Pick<Trigger, 'sends'> & {
  readonly settings: readonly Setting[]
  readonly mark: string
  readonly made: TriggerShop['made']
}

export function triggerShop(call: Call, { sends, settings, made, mark }: ShopOptions): TriggerShop {
  const send: TriggerShop['send'] = (method, path, name, body) => {
    if (!sends.includes(name)) throw new Error(`This trigger sends "${name}" and does not say so.`)
    return call(method, path, withSettings(name, body, settings))
  }
  return {
    send,
    ask: (method, path) => call(method, path),
    async make<T extends WithId>(path: string, name: string, body: object) {
      const thing = await send<T>('POST', path, name, body)
      made(name.replaceAll('_', ' '), thing.id)
      return thing
    },
    made,
    isSet: (name) => settings.some((setting) => setting.body === name),
    mark,
  }
}

type Life = {
  /** Of the events: `products`. */
  readonly events: string
  /** Below /v1. */
  readonly path: string
  /** What the body that makes one is called. */
  readonly name: string
  body(mark: string): object
  /** What an update sends. */
  change(mark: string): object
}

/** The three events of most things: one is made; and changed; or deleted again. */
export function lifeOf({ events, path, name, body, change }: Life): Triggers {
  const make = (shop: TriggerShop) => shop.make(`/v1/${path}`, name, body(shop.mark))
  return {
    [`${events}.create`]: {
      sends: [name],
      run: async (shop) => void (await make(shop)),
    },
    [`${events}.update`]: {
      sends: [name, 'change'],
      run: async (shop) => {
        const { id } = await make(shop)
        await shop.send('PUT', `/v1/${path}/${id}`, 'change', change(shop.mark))
      },
    },
    [`${events}.delete`]: {
      sends: [name],
      run: async (shop) => {
        const { id } = await make(shop)
        await shop.ask('DELETE', `/v1/${path}/${id}`)
      },
    },
  }
}

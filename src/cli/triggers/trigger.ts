// A trigger: the API calls that cause an event in the sandbox, with bodies that the operator may change.

import type { Call, HttpMethod } from '../client/call.ts'
import { applyTriggerSettings, type Setting } from './settings.ts'

export type Trigger = {
  /** Names of the bodies that it sends, which `--set name.path=value` changes. */
  readonly sends: readonly string[]
  run(shop: TriggerShop): Promise<void>
}

/** An event that no call can cause, and the reason. */
export type NoTrigger = { readonly why: string }

export type Triggers = Readonly<Record<string, Trigger | NoTrigger>>

type WithId = { readonly id: string }

export type TriggerShop = {
  /** Sends the body of that name. */
  send<T = WithId>(method: HttpMethod, path: string, name: string, body: object): Promise<T>
  /** Makes a call without a changeable body. */
  callApi<T = WithId>(method: HttpMethod, path: string): Promise<T>
  /** Creates an object and reports it. */
  make<T extends WithId = WithId>(path: string, name: string, body: object): Promise<T>
  /** Reports a new object. */
  reportCreated(kind: string, id: string): void
  /** True if `--set` names this body. */
  isSet(name: string): boolean
  /** Suffix for names and codes, so that runs do not collide. */
  readonly mark: string
}

type ShopOptions = Pick<Trigger, 'sends'> & {
  readonly settings: readonly Setting[]
  readonly mark: string
  readonly made: TriggerShop['reportCreated']
}

export function createTriggerShop(call: Call, { sends, settings, made, mark }: ShopOptions): TriggerShop {
  const send: TriggerShop['send'] = (method, path, name, body) => {
    if (!sends.includes(name)) throw new Error(`This trigger sends "${name}" without declaring it.`)
    return call(method, path, applyTriggerSettings(name, body, settings))
  }
  return {
    send,
    callApi: (method, path) => call(method, path),
    async make<T extends WithId>(path: string, name: string, body: object) {
      const thing = await send<T>('POST', path, name, body)
      made(name.replaceAll('_', ' '), thing.id)
      return thing
    },
    reportCreated: made,
    isSet: (name) => settings.some((setting) => setting.body === name),
    mark,
  }
}

type ResourceEvents = {
  /** Prefix of the events, such as `products`. */
  readonly events: string
  /** Path below /v1. */
  readonly path: string
  /** Name of the body that creates one. */
  readonly name: string
  body(mark: string): object
  /** Body of an update. */
  change(mark: string): object
}

/** Triggers for the three events of most resources: create, update and delete. */
export function lifecycleTriggers({ events, path, name, body, change }: ResourceEvents): Triggers {
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
        await shop.callApi('DELETE', `/v1/${path}/${id}`)
      },
    },
  }
}

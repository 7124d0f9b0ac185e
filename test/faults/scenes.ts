// Scenes: for each way to pay, the request during which the server dies, and its checkpoints. A checkpoint in the source needs a scene.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Place } from './dying.ts'
import { type Body, buy, CARDS, cardPayment, errorIn, type World } from './world.ts'

const FOLDER = join(import.meta.dirname, '../../src/api/capture')

/** Every checkpoint of capture in the current source. */
export const CHECKPOINTS: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/\bcheckpoint\(\s*'([^']+)'/g)])
  .map(([, name = '']) => name)
  .sort()

/** A buyer: the token, and the last capture, which will be sent again. */
export type Client = { token: string; body: Body }

export type Scene = {
  kind: 'card' | 'manual' | 'redirect' | 'free'
  title: string
  /** Checkpoints that its last request passes. */
  passes: readonly string[]
  payment: Body | null
  /** Earlier requests that were answered. */
  before?: (world: World, client: Client) => Promise<void>
  /** Decision on the gateway's page, just before the last request. */
  decision?: 'approve' | 'decline'
}

const redirectPayment: Body = { gateway: 'test_redirect' }

async function sendAway(world: World, client: Client) {
  const { body } = await world.capture(client.token, client.body)
  const { paykey } = body as { paykey: string }
  client.body = { ...client.body, payment: { ...redirectPayment, test_redirect: { paykey } } }
}

const sentAway = (decision: 'approve' | 'decline') => ({ before: sendAway, decision })

async function verify(world: World, client: Client) {
  const { param } = errorIn(await world.capture(client.token, client.body))
  const payment = client.body.payment as Body
  client.body = { ...client.body, payment: { ...payment, test_gateway: { payment_intent_id: param } } }
}

async function giveUp(world: World, client: Client) {
  await sendAway(world, client)
  client.body = { ...client.body, payment: { gateway: 'manual' } }
}

/** `passes`: names of checkpoints, without `capture.` before each. */
const scene = (
  kind: Scene['kind'],
  title: string,
  payment: Body | null,
  passes: string,
  more: Pick<Scene, 'before' | 'decision'> = {},
): Scene => ({ kind, title, payment, passes: passes.split(' ').map((name) => `capture.${name}`), ...more })

const GIVEN_UP = 'a redirect that is given up for a payment by hand'

export const SCENES: readonly Scene[] = [
  scene('card', 'a card that pays', cardPayment(), 'reserving reserved charged numbered finishing finished'),
  scene('card', 'a card that is declined', cardPayment(CARDS.declined), 'charged releasing released'),
  scene('card', 'a card that has to be verified', cardPayment(CARDS.verify), 'charged waiting'),
  scene('card', 'a card that was verified', cardPayment(CARDS.verify), 'confirming confirmed finishing finished', {
    before: verify,
  }),
  scene('manual', 'a payment by hand', { gateway: 'manual' }, 'reserving reserved charged finishing finished'),
  scene('redirect', 'a redirect', redirectPayment, 'reserving reserved charged waiting'),
  scene('redirect', 'a redirect that was approved', redirectPayment, 'finishing finished', sentAway('approve')),
  scene('redirect', 'a redirect that was declined', redirectPayment, 'releasing released', sentAway('decline')),
  scene('redirect', GIVEN_UP, redirectPayment, 'calling_off called_off releasing released', { before: giveUp }),
  scene('free', 'an order of which nothing is due', null, 'reserving reserved numbered finishing finished'),
]

/** Each scene with each of its checkpoints. */
export const PLACES: readonly Place[] = SCENES.flatMap((scene) =>
  scene.passes.map((checkpoint) => placeOf(scene, checkpoint)),
)

/** Returns the places of some scenes at one checkpoint. */
export const at = (checkpoint: string, ...titles: string[]): Place[] =>
  titles.map((title) => {
    const scene = SCENES.find((candidate) => candidate.title === title)
    if (scene === undefined) throw new Error(`There is no scene ${title}.`)
    return placeOf(scene, checkpoint)
  })

function placeOf(scene: Scene, checkpoint: string): Place {
  return {
    title: scene.title,
    checkpoint,
    async prepare(world) {
      const client = await newClient(world, scene)
      await scene.before?.(world, client)
      const buyOne = async () => {
        const { order } = await buy(world, client.token, client.body)
        expect(await world.orders(client.token)).toEqual([order.id])
      }
      let bought: Promise<void> | undefined
      const insist = () => {
        bought ??= buyOne()
        return bought
      }
      return { act: () => act(world, scene, client), insist, expectDone: insist }
    },
  }
}

/** Creates a client with its own product, code and gift card: a parked transaction must not block another client. */
export async function newClient(world: World, scene: Pick<Scene, 'kind' | 'payment'>): Promise<Client> {
  const token = await world.token(await world.product(3))
  const { code } = await world.create<{ code: string }>(
    'discounts',
    scene.kind === 'free' ? { type: 'percentage', value: 100, limit: 1 } : { type: 'fixed', value: 1, limit: 1 },
  )
  const card = scene.kind === 'free' ? null : await world.create<{ code: string }>('giftcards', { value: 4 })
  await world.succeed(200, 'GET', `/v1/checkouts/${token}/check/discount?code=${code}`)
  if (card !== null) await world.succeed(200, 'GET', `/v1/checkouts/${token}/check/giftcard?code=${card.code}`)
  const client: Client = { token, body: world.body(scene.payment) }
  return client
}

/** Sends the request during which the server dies. Its response should never arrive. */
async function act(world: World, scene: Scene, client: Client) {
  const paykey = (client.body.payment as { test_redirect?: { paykey: string } } | null)?.test_redirect?.paykey
  if (scene.decision !== undefined && paykey !== undefined) await world.onPage(paykey, scene.decision)
  return world.capture(client.token, client.body)
}

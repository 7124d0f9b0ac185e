// Creates or changes a webhook: its URL and its events.

import limits from 'limits:webhooks.update'
import { useState } from 'preact/hooks'
import type { ApiVersions } from '../../../../src/api/developer/versions.ts'
import type { Webhook } from '../../../../src/api/webhooks/schema.ts'
import { post, put } from '../../parts/form/change.ts'
import { Field, Group, Select } from '../../parts/form/field.tsx'
import type { FormValues } from '../../parts/form/form.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { SigningKeyDialog } from './state.tsx'
import { EVENT_GROUPS, eventText } from './webhook.ts'

type Events = ReadonlySet<string>

const EVERY = '*'

type WebhookDialogProps = {
  /** Null for a new one, whose signing key is shown once it is made. */
  readonly webhook: Webhook | null
  readonly onClose: () => void
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const [mode] = useMode()
  const [chosen, setChosen] = useState<Events>(new Set(webhook?.subscribed_events ?? [EVERY]))
  const [newWebhook, setNewWebhook] = useState<Webhook | null>(null)
  const { data: versions } = useQuery<ApiVersions>(webhook === null ? null : '/v1/versions')
  if (newWebhook !== null) return <SigningKeyDialog webhook={newWebhook} onClose={onClose} />
  const withEvents = (values: FormValues) => ({ ...values, subscribed_events: [...chosen] })
  const words =
    webhook === null
      ? {
          title: `New ${mode} webhook`,
          verb: 'Add the webhook',
          says: [
            `It hears of what happens in ${mode} from now on, and of products and whatever else both modes share.`,
          ],
          request: post('/v1/webhooks', withEvents),
          staysOpen: true,
          onDone: setNewWebhook,
        }
      : {
          title: 'Change the webhook',
          verb: 'Save',
          says: ['What is under way already goes to the new address too.'],
          request: put(`/v1/webhooks/${webhook.id}`, withEvents),
          done: 'Saved',
        }
  return (
    <ActionDialog<Webhook> {...words} isWide isReady={chosen.size > 0} limits={limits} onClose={onClose}>
      {webhook?.transport !== 'listen' && (
        <Field
          name="url"
          label="Address"
          type="url"
          isFocused
          value={webhook?.url ?? ''}
          placeholder="https://shop.example/webhooks"
          hint={
            mode === 'live'
              ? 'Begins with https://.'
              : 'On the public internet. For your own machine, use cartwright listen.'
          }
        />
      )}
      <Field name="description" label="What it is for" isOptional value={webhook?.description ?? ''} />
      {versions !== undefined && webhook !== null && (
        <Select
          name="version"
          label="API version of what it is sent"
          value={webhook.version}
          options={versions.data.map(({ date }) => [date, date] as const)}
        />
      )}
      <EventChoice chosen={chosen} onChoose={setChosen} />
    </ActionDialog>
  )
}

type ChoiceProps = { readonly chosen: Events; readonly onChoose: (chosen: Events) => void }

const LOGIN_EVENT = 'customers.login.token'

function EventChoice({ chosen, onChoose }: ChoiceProps) {
  const eventBox = (name: string, says: string) => (
    <Box
      key={name}
      label={name}
      says={says}
      isOn={chosen.has(name)}
      onChange={(isOn) => onChoose(new Set(isOn ? [...chosen, name] : [...chosen].filter((each) => each !== name)))}
    />
  )
  return (
    <Group label="Events" {...(chosen.size === 0 ? { hint: 'Choose at least one.' } : {})}>
      <Box
        label="All events"
        says="also those that are added later; but logins of customers"
        isOn={chosen.has(EVERY)}
        onChange={(isOn) =>
          onChoose(new Set([...(isOn ? [EVERY] : []), ...(chosen.has(LOGIN_EVENT) ? [LOGIN_EVENT] : [])]))
        }
      />
      {chosen.has(EVERY) ? (
        eventBox(LOGIN_EVENT, 'whoever reads it can log in as your customer')
      ) : (
        <div class="event-groups">
          {EVENT_GROUPS.map(([thing, names]) => (
            <fieldset key={thing}>
              <legend>{thing}</legend>
              {names.map((name) => eventBox(name, eventText(name)))}
            </fieldset>
          ))}
        </div>
      )}
    </Group>
  )
}

type BoxProps = { label: string; says: string; isOn: boolean; onChange: (isOn: boolean) => void }

function Box({ label, says, isOn, onChange }: BoxProps) {
  return (
    <label class="event-box">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label} <span class="hint">{says}</span>
      </span>
    </label>
  )
}

// Creates or changes a webhook: its URL and its events.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Field, Group, Select } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { useMode } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { EVENT_GROUPS, EVENT_TEXTS, type Webhook } from './webhook.ts'

type WebhookDialogProps = {
  /** Undefined for a new webhook. */
  readonly webhook?: Webhook
  readonly onSaved: (webhook: Webhook) => void
  readonly onClose: () => void
}

const EVERY = '*'

export function WebhookDialog({ webhook, onSaved, onClose }: WebhookDialogProps) {
  const [mode] = useMode()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(webhook?.subscribed_events ?? [EVERY]))
  const { data: versions } = useQuery<{ data: readonly { date: string }[] }>(
    webhook === undefined ? null : '/v1/versions',
  )
  const isNew = webhook === undefined
  return (
    <ActionDialog
      title={isNew ? `New ${mode} webhook` : 'Change the webhook'}
      verb={isNew ? 'Add the webhook' : 'Save'}
      isWide
      isReady={chosen.size > 0}
      says={
        isNew
          ? [`It hears of what happens in ${mode} from now on, and of products and whatever else both modes share.`]
          : ['What is under way already goes to the new address too.']
      }
      run={({ url, description, version }, { idempotencyKey }) => {
        const body = {
          ...(webhook?.transport === 'listen' ? {} : { url }),
          description,
          subscribed_events: [...chosen],
          ...(version === undefined ? {} : { version }),
        }
        return isNew
          ? call<Webhook>('POST', '/v1/webhooks', { body, idempotencyKey })
          : call<Webhook>('PUT', `/v1/webhooks/${webhook.id}`, { body })
      }}
      onDone={(webhook) => {
        invalidateQueries('/v1/webhooks', '/v1/reports')
        onSaved(webhook)
      }}
      onClose={onClose}
    >
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
      <Field name="description" label="What it is for" isOptional maxLength={255} value={webhook?.description ?? ''} />
      {versions !== undefined && webhook !== undefined && (
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

type ChoiceProps = { readonly chosen: ReadonlySet<string>; readonly onChoose: (chosen: ReadonlySet<string>) => void }

function EventChoice({ chosen, onChoose }: ChoiceProps) {
  const isAll = chosen.has(EVERY)
  const toggle = (name: string, isOn: boolean) => {
    const next = new Set(chosen)
    if (isOn) next.add(name)
    else next.delete(name)
    onChoose(next)
  }
  const loginEvent = 'customers.login.token'
  return (
    <Group label="Events" {...(chosen.size === 0 ? { hint: 'Choose at least one.' } : {})}>
      <Box
        label="All events"
        says="also those that are added later; but logins of customers"
        isOn={isAll}
        onChange={(isOn) =>
          onChoose(new Set([...(isOn ? [EVERY] : []), ...(chosen.has(loginEvent) ? [loginEvent] : [])]))
        }
      />
      {isAll ? (
        <Box
          label={loginEvent}
          says="whoever reads it can log in as your customer"
          isOn={chosen.has(loginEvent)}
          onChange={(isOn) => toggle(loginEvent, isOn)}
        />
      ) : (
        <div class="event-groups">
          {EVENT_GROUPS.map(([thing, names]) => (
            <fieldset key={thing}>
              <legend>{thing}</legend>
              {names.map((name) => (
                <Box
                  key={name}
                  label={name}
                  says={EVENT_TEXTS[name as keyof typeof EVENT_TEXTS]}
                  isOn={chosen.has(name)}
                  onChange={(isOn) => toggle(name, isOn)}
                />
              ))}
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

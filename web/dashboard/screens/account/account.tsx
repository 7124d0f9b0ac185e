// My account: profile, password, second factor and sessions.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Badge, When } from '../../parts/show/values.tsx'
import { type Session, useSession, useSessionState } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { ROLE_DETAILS } from '../team/member.ts'
import { SecondFactor } from './second-factor.tsx'

export function AccountScreen() {
  const { account, merchant } = useSession()
  return (
    <Page title="My account">
      <Section title="Who I am here" hidesTitle>
        <Facts
          facts={[
            account.name === '' ? null : ['Name', account.name],
            ['E-mail', account.email],
            ['Shop', merchant.name],
            ['Role', `${ROLE_DETAILS[account.role].name}: ${ROLE_DETAILS[account.role].may}`],
          ]}
        />
      </Section>
      <div class="account-pair">
        <Password />
        <SecondFactor />
      </div>
      <Sessions />
    </Page>
  )
}

function Password() {
  const { account } = useSession()
  const { take } = useSessionState()
  const [round, setRound] = useState(0)
  return (
    <Section title="Password">
      <Form
        key={round}
        submit="Change the password"
        run={({ current, password }) => call<Session>('POST', '/password', { body: { current, password } })}
        onDone={(session) => {
          take(session)
          invalidateQueries('/sessions')
          setRound(round + 1)
          showToast('Your password is changed. You are logged out everywhere else.')
        }}
      >
        {/* Lets password managers know which account it is. */}
        <span class="unseen">
          <input type="text" autocomplete="username" value={account.email} readOnly tabIndex={-1} aria-hidden="true" />
        </span>
        <Field name="current" label="Present password" type="password" autocomplete="current-password" />
        <Field
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          hint="At least 10 characters. Long is better than complicated."
        />
      </Form>
    </Section>
  )
}

type LoginSession = {
  readonly id: string
  readonly created: number
  readonly seen: number
  readonly agent: string | null
  readonly address: string | null
  readonly is_this: boolean
}

function Sessions() {
  const query = useQuery<{ data: readonly LoginSession[] }>('/sessions')
  const [target, setTarget] = useState<LoginSession | 'others' | null>(null)
  const others = query.data?.data.filter(({ is_this: isThis }) => !isThis) ?? []
  return (
    <Section
      title="Where I am logged in"
      actions={
        others.length > 0 && (
          <Button isSmall onClick={() => setTarget('others')}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {({ data }) => (
          <Table
            caption="Where I am logged in"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { label: 'Browser', cell: ({ agent }) => browserName(agent) },
              { label: 'From', cell: ({ address }) => address ?? 'unknown' },
              { label: 'Logged in', phone: 'none', cell: ({ created }) => <When at={created} /> },
              { label: 'Last used', cell: ({ seen }) => <When at={seen} /> },
              {
                label: 'End',
                phone: 'aside',
                isNumber: true,
                cell: (place) =>
                  place.is_this ? (
                    <Badge tone="good">This one</Badge>
                  ) : (
                    <Button
                      isSmall
                      label={`End the session of ${browserName(place.agent)}`}
                      onClick={() => setTarget(place)}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {target !== null && <EndDialog target={target} count={others.length} onClose={() => setTarget(null)} />}
    </Section>
  )
}

function EndDialog({
  target,
  count,
  onClose,
}: {
  target: LoginSession | 'others'
  count: number
  onClose: () => void
}) {
  const isAll = target === 'others'
  return (
    <ActionDialog
      title={isAll ? 'End all other sessions' : 'End this session'}
      verb={isAll ? `End ${count === 1 ? 'one session' : `${count} sessions`}` : 'End the session'}
      isDangerous
      says={[
        isAll
          ? 'Everywhere but in this browser you are logged out at once.'
          : `Whoever is logged in there (${browserName(target.agent)}, ${target.address ?? 'unknown'}) is logged out at once.`,
        'If it was not you, change your password too.',
      ]}
      run={() => call('DELETE', isAll ? '/sessions' : `/sessions/${target.id}`)}
      onDone={() => {
        invalidateQueries('/sessions')
        showToast(isAll ? 'All other sessions are ended' : 'The session is ended')
        onClose()
      }}
      onClose={onClose}
    />
  )
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** "Firefox on Linux", as far as the agent tells. */
function browserName(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown browser'
  const [, name] = BROWSERS.find(([form]) => form.test(agent)) ?? []
  const [, system] = SYSTEMS.find(([form]) => form.test(agent)) ?? []
  if (name === undefined) return agent.slice(0, 60)
  return system === undefined ? name : `${name} on ${system}`
}

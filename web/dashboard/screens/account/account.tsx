// My account: profile, password, second factor and sessions.

import { useState } from 'preact/hooks'
import type { LoginSession, LoginSessionList } from '../../../../src/dashboard/views.ts'
import { del, post } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Table } from '../../parts/list/table.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, Loaded, Page, Section } from '../../parts/page/page.tsx'
import { Badge, When } from '../../parts/show/values.tsx'
import { type Session, useSession, useSessionState } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { NewPasswordField } from '../login/gate.tsx'
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
      <div class="column pair">
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
        request={post('/password')}
        done="Your password is changed. You are logged out everywhere else."
        onDone={(session: Session) => {
          take(session)
          setRound(round + 1)
        }}
      >
        {/* Lets password managers know which account it is. */}
        <span class="unseen">
          <input type="text" autocomplete="username" value={account.email} readOnly tabIndex={-1} aria-hidden="true" />
        </span>
        <Field name="current" label="Present password" type="password" autocomplete="current-password" />
        <NewPasswordField label="New password" />
      </Form>
    </Section>
  )
}

function Sessions() {
  const query = useQuery<LoginSessionList>('/sessions')
  const others = query.data?.data.filter(({ is_this: isThis }) => !isThis) ?? []
  return (
    <Section
      title="Where I am logged in"
      actions={
        others.length > 0 && (
          <DialogButton
            words="End all others"
            isSmall
            dialog={(close) => <EndOthersDialog count={others.length} onClose={close} />}
          />
        )
      }
    >
      <Loaded of={query} lines={2}>
        {({ data }) => (
          <Table
            caption="Where I am logged in"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { label: 'Browser', cell: ({ agent }) => browserName(agent) },
              { label: 'From', cell: ({ address }) => address },
              { label: 'Logged in', phone: 'none', cell: ({ created }) => <When at={created} /> },
              { label: 'Last used', cell: ({ seen }) => <When at={seen} /> },
              {
                label: 'End',
                phone: 'aside',
                isNumber: true,
                cell: (session) =>
                  session.is_this ? (
                    <Badge tone="good">This one</Badge>
                  ) : (
                    <DialogButton
                      words="End"
                      isSmall
                      label={`End the session of ${browserName(session.agent)}`}
                      dialog={(close) => <EndDialog session={session} onClose={close} />}
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

function EndOthersDialog({ count, onClose }: { count: number; onClose: () => void }) {
  return (
    <ActionDialog
      title="End all other sessions"
      verb={`End ${count === 1 ? 'one session' : `${count} sessions`}`}
      says={['Everywhere but in this browser you are logged out at once.', CHANGE_PASSWORD]}
      request={del('/sessions')}
      done="All other sessions are ended"
      onClose={onClose}
    />
  )
}

function EndDialog({ session: { id, agent, address }, onClose }: { session: LoginSession; onClose: () => void }) {
  return (
    <ActionDialog
      title="End this session"
      verb="End the session"
      says={[`Whoever is logged in there (${browserName(agent)}, ${address}) is logged out at once.`, CHANGE_PASSWORD]}
      request={del(`/sessions/${id}`)}
      done="The session is ended"
      onClose={onClose}
    />
  )
}

const CHANGE_PASSWORD = 'If it was not you, change your password too.'

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
function browserName(agent: string): string {
  if (agent === '') return 'Unknown browser'
  const [, name] = BROWSERS.find(([form]) => form.test(agent)) ?? []
  const [, system] = SYSTEMS.find(([form]) => form.test(agent)) ?? []
  if (name === undefined) return agent.slice(0, 60)
  return system === undefined ? name : `${name} on ${system}`
}

// Versions of the API: the version of the shop, the changes of each, and how many requests still use it. A version can be set only after
// its changes were opened, and can be set back.

import type { ApiVersions } from '../../../../src/api/developer/versions.ts'
import { put } from '../../parts/form/change.ts'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, ObjectPage, Section } from '../../parts/page/page.tsx'
import { Sentence } from '../../parts/show/code.tsx'
import { Badge, plural, When } from '../../parts/show/values.tsx'
import { useIsSandboxOnly } from '../../session.tsx'

type Version = ApiVersions['data'][number]

export function VersionList() {
  return (
    <ObjectPage<ApiVersions>
      of="/v1/versions"
      title="API version"
      intro={
        <>
          Every version is served at once. A request that names one in the header <code>Service-Version</code> is
          answered in that one; all others in the one that is set here.
        </>
      }
    >
      {(versions) => (
        <>
          <Current versions={versions} />
          <AllVersions versions={versions} />
        </>
      )}
    </ObjectPage>
  )
}

function Current({ versions: { data, current, newest, requests_since: since } }: { versions: ApiVersions }) {
  const newer = data.filter(({ date }) => date > current)
  const changes = newer.reduce((count, version) => count + version.changes.length, 0)
  return (
    <Section title="Your shop" hidesTitle>
      <Facts
        facts={[
          ['Your shop is set to', <strong>{current}</strong>],
          ['Newest version', newest === current ? 'The same: there is nothing newer' : newest],
          newer.length === 0 ? null : ['Between the two', plural(changes, 'change')],
          [
            'Requests counted',
            since === null ? (
              'The request log keeps none'
            ) : (
              <>
                since <When at={since} />
              </>
            ),
          ],
        ]}
      />
    </Section>
  )
}

/** Most versions changed nothing: these are listed apart. */
function AllVersions({ versions }: { versions: ApiVersions }) {
  const { data, current, newest } = versions
  const first = data.at(-1)?.date
  const isNotable = ({ date, changes, requests }: Version) =>
    changes.length > 0 || (requests ?? 0) > 0 || [current, newest, first].includes(date)
  const entries = (list: readonly Version[]) => (
    <ol class="versions">
      {list.map((version) => (
        <VersionEntry key={version.date} version={version} versions={versions} />
      ))}
    </ol>
  )
  const unchanged = data.filter((version) => !isNotable(version))
  return (
    <Section title="All versions">
      {entries(data.filter(isNotable))}
      {unchanged.length > 0 && (
        <details class="version-more">
          <summary>{plural(unchanged.length, 'further version')} changed nothing</summary>
          {entries(unchanged)}
        </details>
      )}
    </Section>
  )
}

type EntryProps = { readonly version: Version; readonly versions: ApiVersions }

function VersionEntry({ version: { date, changes, requests }, versions }: EntryProps) {
  const { data, current, newest } = versions
  const isFirst = data.at(-1)?.date === date
  return (
    <li>
      <details class="version">
        <summary>
          <span class="version-date">{date}</span>
          {date === current && <Badge tone="good">Your shop</Badge>}
          {date === newest && <Badge>Newest</Badge>}
          <span class="version-counts">
            {isFirst ? 'The first version' : changes.length === 0 ? 'No changes' : plural(changes.length, 'change')}
            {requests !== null && requests > 0 && ` · ${plural(requests, 'request')}`}
          </span>
        </summary>
        <div class="stack">
          {changes.length > 0 ? (
            <Changes changes={changes} />
          ) : (
            <p>{isFirst ? 'What all others are compared with.' : 'It changed nothing.'}</p>
          )}
          <p class="row">
            {requests !== null && requests > 0 && (
              <a href={`/dashboard/requests?version=${date}`}>See who asks for it</a>
            )}
            {date !== current && (
              <DialogButton
                words={date > current ? `Set the shop to ${date}` : `Set the shop back to ${date}`}
                permission="merchants.update"
                dialog={(close) => <SetDialog to={date} versions={versions} onClose={close} />}
              />
            )}
          </p>
        </div>
      </details>
    </li>
  )
}

function Changes({ changes }: Pick<Version, 'changes'>) {
  return (
    <ul class="changes stack tight">
      {changes.map((sentence) => (
        <li key={sentence}>
          <Sentence text={sentence} />
        </li>
      ))}
    </ul>
  )
}

type SetProps = { readonly to: string; readonly versions: ApiVersions; readonly onClose: () => void }

function SetDialog({ to, versions: { data, current }, onClose }: SetProps) {
  const isSandboxOnly = useIsSandboxOnly()
  const isUp = to > current
  const [older, newer] = isUp ? [current, to] : [to, current]
  const between = data.filter(({ date, changes }) => date > older && date <= newer && changes.length > 0)
  return (
    <ActionDialog
      title={isUp ? `Set the shop to ${to}` : `Set the shop back to ${to}`}
      verb={isUp ? `Set to ${to}` : `Set back to ${to}`}
      isWide
      says={[
        isSandboxOnly
          ? 'The sandbox changes at once, for every request that names no version. Live stays as it is.'
          : 'Live and sandbox change at once, for every request that names no version.',
        'Requests that name one, and webhooks, stay as they are.',
        `You can set it back to ${current} at any time.`,
      ]}
      request={put('/v1/merchants', { version: to })}
      done={`The shop is set to ${to}`}
      onClose={onClose}
    >
      <div>
        <h3>{isUp ? 'What changes on the way' : 'What is taken back on the way'}</h3>
        {between.map(({ date, changes }) => (
          <div key={date}>
            <h4 class="change-group">{date}</h4>
            <Changes changes={changes} />
          </div>
        ))}
        {between.length === 0 && <p>Nothing: the two answer alike.</p>}
      </div>
    </ActionDialog>
  )
}

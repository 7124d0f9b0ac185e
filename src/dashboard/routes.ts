// Endpoints below /dashboard/api besides those of /v1: the session, the account, the team. All answer JSON, except mail previews, which are
// HTML.

import { Type } from 'typebox'
import type { Slice } from '../api/slice.ts'
import { oneOf, SECRET } from '../http/endpoint/schema.ts'
import type { DashboardRequest, DashboardRoute } from '../http/session/routes.ts'
import { MAIL_KINDS, type PreviewMailKind } from '../mail/previews.ts'
import { accountMailJob, resetJob } from './account/mail-job.ts'
import { changePassword, LONGEST_PASSWORD, requestPasswordReset, resetPassword } from './account/password.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor } from './account/second-factor.ts'
import { acceptInvitation, changeRole, invite, listTeam, removeMember, showInvitation } from './account/team.ts'
import { type LoginBody, logIn } from './login.ts'
import { showOutboxMail, showPreview } from './mail-pages.ts'
import { ROLES, refuseRole } from './roles.ts'
import {
  authenticateSession,
  type DashboardServices,
  endOtherSessions,
  endSession,
  type LoggedInMember,
  listSessions,
  logOutSession,
  readNewSession,
  sessionCaller,
  viewSession,
} from './session.ts'
import { sweepEndedSessions, sweepEndedWaits, sweepOldDevices } from './session-store.ts'
import { sweepEndedLinks } from './store.ts'
import type { ConfirmedSecondFactor, PasswordResetRequest, SessionView } from './views.ts'

const Password = Type.String({ minLength: 1, maxLength: LONGEST_PASSWORD, ...SECRET })
const Email = Type.String({ minLength: 1, maxLength: 320 })
const Code = Type.String({ minLength: 1, maxLength: 40, ...SECRET })
const Name = Type.String({ minLength: 1, maxLength: 100 })
const Token = Type.Object({ token: Type.String() })
const Id = Type.Object({ id: Type.String() })
const RoleField = oneOf(ROLES)

const Login = Type.Object({
  email: Email,
  password: Password,
  merchant_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 })),
  code: Type.Optional(Type.String({ maxLength: 40, ...SECRET })),
})

/** Each handler declares its request type; the schemas beside it guarantee that type. */
type TypedRoute = Omit<DashboardRoute, 'handle'> & { handle: (request: never) => Promise<unknown> }

const route = (definition: TypedRoute): DashboardRoute => definition as DashboardRoute

export function dashboardRoutes(services: DashboardServices): readonly DashboardRoute[] {
  /** Requires a session. */
  const withMember =
    <Request extends DashboardRequest>(handle: (member: LoggedInMember, request: Request) => Promise<unknown>) =>
    async (request: Request) =>
      handle(await authenticateSession(services, request), request)

  /** Requires a role that may run the operation. */
  const withPermission = <Request extends DashboardRequest>(
    operation: string,
    handle: (member: LoggedInMember, request: Request) => Promise<unknown>,
  ) =>
    withMember<Request>(async (member, request) => {
      await refuseRole(services.db, operation, sessionCaller(member.row, request.is_sandbox, operation))
      return handle(member, request)
    })

  /** Sets the new session cookie and returns the session. */
  async function renewCookie(request: DashboardRequest, token: string): Promise<SessionView> {
    request.setCookie('session', token)
    return viewSession(services, await readNewSession(services, token), request.is_sandbox)
  }

  return [
    route({
      method: 'POST',
      path: '/dashboard/api/session',
      body: Login,
      status: 200,
      handle: (request: DashboardRequest<unknown, LoginBody>) => logIn(services, request),
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/session',
      status: 200,
      handle: withMember((member, request: DashboardRequest) => viewSession(services, member, request.is_sandbox)),
    }),
    route({
      method: 'DELETE',
      path: '/dashboard/api/session',
      status: 204,
      handle: withMember((_, request: DashboardRequest) => logOutSession(services, request)),
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/password',
      body: Type.Object({ current: Password, password: Password }),
      status: 200,
      handle: withMember(async (member, request: DashboardRequest<unknown, { current: string; password: string }>) =>
        renewCookie(request, await changePassword(services, member, request)),
      ),
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/password-reset',
      body: Type.Object({ email: Email }),
      status: 202,
      handle: async (request: DashboardRequest<unknown, { email: string }>): Promise<PasswordResetRequest> => {
        await requestPasswordReset(services, request)
        return { sends_mail: services.mailer.goesOut }
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/password-reset/:token',
      params: Token,
      body: Type.Object({ password: Password }),
      status: 204,
      handle: (request: Parameters<typeof resetPassword>[1]) => resetPassword(services, request),
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/sessions',
      status: 200,
      handle: withMember((member) => listSessions(services, member)),
    }),
    route({
      method: 'DELETE',
      path: '/dashboard/api/sessions',
      status: 204,
      handle: withMember((member) => endOtherSessions(services, member)),
    }),
    route({
      method: 'DELETE',
      path: '/dashboard/api/sessions/:id',
      params: Id,
      status: 204,
      handle: withMember((member, { params }: DashboardRequest<{ id: string }>) =>
        endSession(services, member, params.id),
      ),
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/second-factor',
      status: 200,
      handle: withMember((member) => beginSecondFactor(services, member)),
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/second-factor/confirm',
      body: Type.Object({ code: Code, password: Password }),
      status: 200,
      handle: withMember(
        async (member, request: Parameters<typeof confirmSecondFactor>[2]): Promise<ConfirmedSecondFactor> => {
          const { token, spare_codes } = await confirmSecondFactor(services, member, request)
          return { spare_codes, session: await renewCookie(request, token) }
        },
      ),
    }),
    route({
      method: 'DELETE',
      path: '/dashboard/api/second-factor',
      body: Type.Object({ password: Password }),
      status: 204,
      handle: withMember((member, request: DashboardRequest<unknown, { password: string }>) =>
        removeSecondFactor(services, member, request),
      ),
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/team',
      status: 200,
      handle: withPermission('team.list', (member) => listTeam(services, member)),
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/team',
      body: Type.Object({ email: Email, name: Name, role: RoleField }),
      status: 201,
      handle: withPermission('team.invite', (member, request: Parameters<typeof invite>[2]) =>
        invite(services, member, request),
      ),
    }),
    route({
      method: 'PUT',
      path: '/dashboard/api/team/:id',
      params: Id,
      body: Type.Object({ role: RoleField }),
      status: 200,
      handle: withPermission('team.update', (member, request: Parameters<typeof changeRole>[2]) =>
        changeRole(services, member, request),
      ),
    }),
    route({
      method: 'DELETE',
      path: '/dashboard/api/team/:id',
      params: Id,
      status: 204,
      handle: withPermission('team.remove', (member, { params }: DashboardRequest<{ id: string }>) =>
        removeMember(services, member, params.id),
      ),
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/mails/previews/:kind',
      params: Type.Object({ kind: oneOf(MAIL_KINDS) }),
      status: 200,
      handle: withPermission('developer.preview_mail', (member, request: DashboardRequest<{ kind: PreviewMailKind }>) =>
        showPreview(services, member, request),
      ),
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/mails/outbox/:id',
      params: Id,
      status: 200,
      handle: withPermission('developer.get_mail', (member, request: DashboardRequest<{ id: string }>) =>
        showOutboxMail(services, member, request),
      ),
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/invitations/:token',
      params: Token,
      status: 200,
      handle: ({ params }: DashboardRequest<{ token: string }>) => showInvitation(services, params.token),
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/invitations/:token',
      params: Token,
      body: Type.Object({
        name: Name,
        password: Password,
        account_password: Type.Optional(Password),
        code: Type.Optional(Type.String({ maxLength: 40, ...SECRET })),
      }),
      status: 200,
      handle: async (request: Parameters<typeof acceptInvitation>[1]) =>
        renewCookie(request, await acceptInvitation(services, request)),
    }),
  ]
}

/** Jobs and sweeps of the dashboard. It has no endpoints below /v1. */
export const dashboard: Slice = {
  endpoints: [],
  kinds: [],
  jobs: (services) => [resetJob(), accountMailJob(services)] as ReturnType<NonNullable<Slice['jobs']>>,
  sweeps: () => [sweepEndedSessions, sweepOldDevices, sweepEndedLinks, sweepEndedWaits],
}

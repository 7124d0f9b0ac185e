// Bodies of the dashboard's own responses, below /dashboard/api. The functions of this module return them, and the screens read them.
// Types only, because the browser's code imports this file.

import type { Role } from '../http/endpoint/endpoint.ts'

type Mode = 'sandbox' | 'live'

export type SessionView = {
  readonly account: {
    readonly id: string
    readonly email: string
    /** Empty if the user has not given one. */
    readonly name: string
    readonly role: Role
    readonly has_second_factor: boolean
  }
  readonly merchant: {
    readonly id: number
    readonly name: string
    readonly time_zone: string
    readonly currency: string
    readonly logo_url: string | null
  }
  readonly csrf_token: string
  readonly modes: readonly Mode[]
  /** Allowed operations in the mode of the request, such as `orders.refund`. */
  readonly may: readonly string[]
  /** Allowed operations by mode. A developer may do more in the sandbox. */
  readonly may_in: Readonly<Record<Mode, readonly string[]>>
  readonly expires: number
}

/** Response to a login if the address has an account in several shops. */
export type ShopChoice = {
  readonly choose: readonly { readonly merchant_id: number; readonly name: string }[]
}

export type PasswordResetRequest = {
  /** False without a mail server: no link arrives, and the page tells whom to ask instead. */
  readonly sends_mail: boolean
}

export type LoginSession = {
  readonly id: string
  readonly created: number
  readonly seen: number
  readonly agent: string
  readonly address: string
  /** True for the session of the request. */
  readonly is_this: boolean
}

export type LoginSessionList = { readonly data: readonly LoginSession[] }

export type PendingSecondFactor = { readonly secret: string; readonly uri: string }

export type ConfirmedSecondFactor = { readonly spare_codes: readonly string[]; readonly session: SessionView }

export type TeamMember = {
  readonly id: string
  readonly email: string
  /** Empty if nobody has given one. */
  readonly name: string
  readonly role: Role
  readonly state: 'active' | 'invited'
  readonly has_second_factor: boolean
  readonly seen: number | null
}

export type Team = { readonly data: readonly TeamMember[] }

export type InvitedMember = TeamMember & {
  /** Null if the link was mailed. */
  readonly invitation_url: string | null
}

/** An open invitation, for whoever has its link. */
export type OpenInvitation = {
  readonly email: string
  readonly name: string
  readonly role: Role
  /** True if the address already has an account in another shop. */
  readonly has_account: boolean
  readonly merchant: { readonly name: string }
}

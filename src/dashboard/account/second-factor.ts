// Second factor of an account: codes of an authenticator app, or single-use recovery codes. Sets it up with the password and a
// first code, checks it at login, and removes it with the password. The API calls recovery codes `spare_codes`.

import { getMerchantProfile } from '../../api/merchants/read-store.ts'
import type { DashboardRequest } from '../../http/session/routes.ts'
import { ApiError, conflict, type FieldErrors, notValid } from '../../lib/errors.ts'
import { type DashboardServices, type LoggedInMember, renewSession } from '../session.ts'
import { deleteSessionsOf, keepPendingTotp, lockPendingTotp } from '../session-store.ts'
import { type AccountRow, consumeRecoveryCode, consumeTotpStep, lockAccount, updateSecondFactor } from '../store.ts'
import type { ConfirmedSecondFactor, PendingSecondFactor } from '../views.ts'
import { checkGuessedCode } from '../waits.ts'
import { type PasswordMatch, refuseWrongPassword } from './password.ts'
import { base32, hashRecoveryCode, matchingStep, newRecoveryCodes, newTotpSecret, totpUri } from './totp.ts'

const secondFactorError = (message: string, errors?: FieldErrors) =>
  new ApiError(401, 'second_factor', message, errors === undefined ? {} : { errors })

/** Throws if the account has a second factor and the code is missing or wrong. Call it only after the password was verified. */
export async function requireSecondFactorCode(
  services: DashboardServices,
  { account, browser }: PasswordMatch<AccountRow>,
  code: string | undefined,
) {
  if (account.totp_secret === null) return
  if (code === undefined || code.trim() === '')
    throw secondFactorError('Enter the code that your authenticator app shows, or one of your spare codes.')
  const isKnownBrowser = browser !== null
  const isRight = await checkGuessedCode(services, account, isKnownBrowser, () => consumeCode(services, account, code))
  if (!isRight)
    throw secondFactorError('This code is wrong or was used before.', {
      code: ['code is wrong or was used before: wait for the next one.'],
    })
}

/** Marks the code as used, so it never works again. False if it is wrong or was used before. */
async function consumeCode({ db, clock }: DashboardServices, account: AccountRow, code: string): Promise<boolean> {
  const { merchant_id, id, totp_secret: secret, totp_step: usedStep } = account
  if (secret === null) return false
  const step = matchingStep(secret, code, clock.now(), usedStep)
  if (step !== null) return consumeTotpStep(db, { merchant_id }, id, step)
  const recoveryHash = hashRecoveryCode(code)
  return recoveryHash !== null && consumeRecoveryCode(db, { merchant_id }, id, recoveryHash)
}

const alreadyOnError = () => conflict('The second factor is switched on already. Switch it off first.')

/** Stores a new secret as pending. The second factor is on once a code proves that the app has the secret. */
export async function beginSecondFactor(
  { db }: DashboardServices,
  { row }: LoggedInMember,
): Promise<PendingSecondFactor> {
  if (row.has_second_factor) throw alreadyOnError()
  const secret = newTotpSecret()
  const profile = await getMerchantProfile(db, { merchant_id: row.merchant_id, is_sandbox: false })
  await keepPendingTotp(db, { merchant_id: row.merchant_id }, row.id, secret)
  return { secret: base32(secret), uri: totpUri(secret, profile.name, row.email) }
}

/**
 * Switches the second factor on. The recovery codes are only in this response. The account's other sessions end, because
 * they were started without a code.
 */
export async function confirmSecondFactor(
  services: DashboardServices,
  member: LoggedInMember,
  request: DashboardRequest<unknown, { code: string; password: string }>,
): Promise<Pick<ConfirmedSecondFactor, 'spare_codes'> & { token: string }> {
  const { db, clock } = services
  const { code, password } = request.body
  const { row } = member
  // Without the password, anybody at an unlocked browser could register their own app and lock the owner out for good.
  await refuseWrongPassword(services, member, request, 'password', password)
  const shop = { merchant_id: row.merchant_id }
  const codes = newRecoveryCodes()
  const token = await db.transaction(async (tx) => {
    const account = await lockAccount(tx, shop, row.account_id)
    if (account === null || account.totp_secret !== null) throw alreadyOnError()
    const secret = await lockPendingTotp(tx, shop, row.id)
    if (secret === null) throw conflict('No second factor was started in this session. Start one first.')
    const step = matchingStep(secret, code, clock.now(), 0)
    if (step === null) throw notValid({ code: ['code is not the one that the app shows now.'] })
    const recoveryHashes = codes.flatMap((code) => hashRecoveryCode(code) ?? [])
    await updateSecondFactor(tx, shop, row.account_id, { secret, step, recoveryHashes })
    await deleteSessionsOf(tx, shop, row.account_id, row.id)
    return renewSession(tx, member)
  })
  return { token, spare_codes: codes }
}

export async function removeSecondFactor(
  services: DashboardServices,
  member: LoggedInMember,
  request: DashboardRequest<unknown, { password: string }>,
): Promise<void> {
  const { row } = member
  await refuseWrongPassword(services, member, request, 'password', request.body.password)
  await services.db.transaction((tx) =>
    updateSecondFactor(tx, { merchant_id: row.merchant_id }, row.account_id, {
      secret: null,
      step: 0,
      recoveryHashes: [],
    }),
  )
}

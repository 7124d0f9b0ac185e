// Second factor of an account: setup, confirmation by password and first code, check at login, removal by password.

import { getMerchantProfile } from '../../api/merchants/read-store.ts'
import type { DashboardRequest } from '../../http/session/routes.ts'
import { ApiError, conflict, type FieldErrors, notValid } from '../../lib/errors.ts'
import { type DashboardServices, type LoggedInMember, renewSession } from '../session.ts'
import { deleteSessionsOf, keepPendingTotp, lockPendingTotp } from '../session-store.ts'
import { type AccountRow, consumeSpareCode, consumeTotpStep, lockAccount, updateSecondFactor } from '../store.ts'
import { checkGuessedCode } from '../waits.ts'
import { type PasswordMatch, refuseWrongPassword } from './password.ts'
import { base32, hashSpareCode, matchingStep, newSpareCodes, newTotpSecret, totpUri } from './totp.ts'

const secondFactorError = (message: string, errors?: FieldErrors) =>
  new ApiError(401, 'second_factor', message, errors === undefined ? {} : { errors })

/** Runs after the password was right. Throws if the account has a second factor and the code is missing or wrong. */
export async function refuseWrongCode(
  services: DashboardServices,
  { account, browser }: PasswordMatch<AccountRow>,
  code: string | undefined,
) {
  if (account.totp_secret === null) return
  if (code === undefined || code.trim() === '')
    throw secondFactorError('Enter the code that your authenticator app shows, or one of your spare codes.')
  if (!(await checkGuessedCode(services, account, browser !== null, () => isRightCode(services, account, code))))
    throw secondFactorError('This code is wrong or was used before.', {
      code: ['code is wrong or was used before: wait for the next one.'],
    })
}

/** Checks the code and marks it as used, so it never works again. */
async function isRightCode({ db, clock }: DashboardServices, account: AccountRow, code: string): Promise<boolean> {
  const { merchant_id, id, totp_secret: secret, totp_step: usedStep } = account
  if (secret === null) return false
  const step = matchingStep(secret, code, clock.now(), usedStep)
  if (step !== null) return consumeTotpStep(db, { merchant_id }, id, step)
  const spareHash = hashSpareCode(code)
  return spareHash !== null && consumeSpareCode(db, { merchant_id }, id, spareHash)
}

const alreadyOnError = () => conflict('The second factor is switched on already. Switch it off first.')

/** Stores the secret as pending. It takes effect when a code proves that the app has it. */
export async function beginSecondFactor(
  { db }: DashboardServices,
  { row }: LoggedInMember,
): Promise<{ secret: string; uri: string }> {
  if (row.has_second_factor) throw alreadyOnError()
  const secret = newTotpSecret()
  const face = await getMerchantProfile(db, { merchant_id: row.merchant_id, is_sandbox: false })
  await keepPendingTotp(db, { merchant_id: row.merchant_id }, row.id, secret)
  return { secret: base32(secret), uri: totpUri(secret, face.name, row.email) }
}

/** The spare codes appear only in this response. Other sessions end, because they have not shown a code. */
export async function confirmSecondFactor(
  services: DashboardServices,
  visitor: LoggedInMember,
  request: DashboardRequest<unknown, { code: string; password: string }>,
): Promise<{ token: string; spare_codes: string[] }> {
  const { db, clock } = services
  const { code, password } = request.body
  const { row } = visitor
  // A browser that was left open must not be enough to lock the owner out for good.
  await refuseWrongPassword(services, visitor, request, 'password', password)
  const shop = { merchant_id: row.merchant_id }
  const codes = newSpareCodes()
  const token = await db.transaction(async (tx) => {
    const account = await lockAccount(tx, shop, row.account_id)
    if (account === null || account.totp_secret !== null) throw alreadyOnError()
    const secret = await lockPendingTotp(tx, shop, row.id)
    if (secret === null) throw conflict('No second factor was started in this session. Start one first.')
    const step = matchingStep(secret, code, clock.now(), 0)
    if (step === null) throw notValid({ code: ['code is not the one that the app shows now.'] })
    const spareCodes = codes.flatMap((code) => hashSpareCode(code) ?? [])
    await updateSecondFactor(tx, shop, row.account_id, { secret, step, spareCodes })
    await deleteSessionsOf(tx, shop, row.account_id, row.id)
    return renewSession(tx, visitor)
  })
  return { token, spare_codes: codes }
}

export async function removeSecondFactor(
  services: DashboardServices,
  visitor: LoggedInMember,
  request: DashboardRequest<unknown, { password: string }>,
): Promise<void> {
  const { row } = visitor
  await refuseWrongPassword(services, visitor, request, 'password', request.body.password)
  await services.db.transaction((tx) =>
    updateSecondFactor(tx, { merchant_id: row.merchant_id }, row.account_id, { secret: null, step: 0, spareCodes: [] }),
  )
}

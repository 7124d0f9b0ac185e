// What a merchant's name, e-mail address and API version may be, and the sentences that say so: the same for the operator who
// opens a shop and for the shop that changes itself.

import { versions } from '../../versions/index.ts'

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/

export const isName = (text: string): boolean => text.trim() !== '' && text.length <= 255

export const nameSentence = (field: string) => `${field} must be 1 to 255 characters long.`

export const isEmail = (text: string): boolean => EMAIL.test(text)

export const emailSentence = (field: string) => `${field} must be an e-mail address such as shop@example.com.`

const dates = versions.map(({ date }) => date)

export const isVersion = (text: string): boolean => dates.includes(text)

export const versionSentence = () => `version must be one of ${dates.join(', ')}.`
